import CrucibleTestSupport
import CrucibleTesting
import Synchronization

/// One operation of a recorded history: what it did, with its result, and the moments before and after it.
struct Step<Action: Sendable>: Sendable {
  let action: Action
  let begin: Int
  let end: Int
}

/// Whether some order of the steps explains a history: each step takes effect at one moment between its begin and its
/// end, and does what the model does. `apply` returns false if the model could not have had that result.
///
/// A search by hand over short histories, after Wing and Gong, J. Parallel Distrib. Comput. 17 (1993),
/// doi:10.1006/jpdc.1993.1015, which remembers the sets of steps that it has tried.
func isExplained<State: Hashable, Action>(
  _ steps: [Step<Action>], from initial: State, _ apply: (inout State, Action) -> Bool, finally: (State) -> Bool
) -> Bool {
  var tried: Set<Place<State>> = []
  func search(_ place: Place<State>) -> Bool {
    if place.rest == 0 { return finally(place.state) }
    if !tried.insert(place).inserted { return false }
    let rest = steps.indices.filter { place.rest >> $0 & 1 == 1 }
    let firstEnd = rest.map { steps[$0].end }.min()!
    return rest.contains { index in
      var next = place
      next.rest &= ~(1 << UInt64(index))
      return steps[index].begin < firstEnd && apply(&next.state, steps[index].action) && search(next)
    }
  }
  precondition(steps.count <= 63, "a short history")
  return search(Place(rest: (1 << UInt64(steps.count)) - 1, state: initial))
}

/// The steps that have not taken effect yet, as bits, and the state after the others.
private struct Place<State: Hashable>: Hashable {
  var rest: UInt64
  var state: State
}

/// Records the steps of several threads.
final class Recorder<Action: Sendable>: Sendable {
  private let now = Atomic<Int>(0)
  private let log = Log<Step<Action>>()

  func tick() -> Int { now.add(1, ordering: .sequentiallyConsistent).newValue }

  /// Runs an operation. Its result says what it did; nil if that says nothing.
  @discardableResult
  func record(_ act: () throws -> Action?) rethrows -> Action? {
    let begin = tick()
    guard let action = try act() else { return nil }
    record(action, since: begin)
    return action
  }

  /// Records what was done since a moment.
  func record(_ action: Action, since begin: Int) { log.append(Step(action: action, begin: begin, end: tick())) }

  /// Has three threads of a world record random operations. Each operation gets a number of its own.
  func run(_ world: World, seed: UInt64, _ act: @escaping @Sendable (inout Seeded, Int) throws -> Void) async throws {
    for thread in 1...3 {
      world.thread("\(thread)") {
        var random = Seeded(seed &+ UInt64(thread))
        for step in 0..<5 { try act(&random, 100 * thread + step) }
      }
    }
    await world.quiet()
  }

  /// Returns the history as text if no order explains it.
  func unexplained<State: Hashable>(
    from initial: State, _ apply: (inout State, Action) -> Bool, finally: (State) -> Bool = { _ in true }
  ) -> String? {
    let steps = log.all
    if isExplained(steps, from: initial, apply, finally: finally) { return nil }
    return steps.sorted { $0.begin < $1.begin }.map { "\($0.begin)-\($0.end) \($0.action)" }.joined(separator: ", ")
  }
}
