public import Crucible

/// Lets parties wait until all of them have come, again and again.
///
/// ```swift
/// let barrier = Barrier(parties: 4)
/// for step in steps {
///   compute(step)
///   try await barrier.arrive()
/// }
/// ```
///
/// The definition, for three parties: one reaction over three molecules of one name.
///
/// ```
/// soup.react(arrive, arrive, arrive) { a, b, c in a.reply(); b.reply(); c.reply() }
/// ```
///
/// A reaction has at most 64 inputs. Beyond 64 parties, a molecule has the calls of those that have come.
///
/// If a caller gives up while it waits, its call is withdrawn, and does not count. If it gives up at the moment in
/// which the last party comes, it counts: the others go on.
///
/// - Complexity: O(parties) for each meeting. An arrival that has to wait for others allocates nothing of its own.
public struct Barrier: Compound {
  /// Waits until as many callers as there are parties have come.
  public let arrive: FastInjector<Void, Void>
  public let control: Soup.Control

  /// The calls of parties that have come. Only the body that has its molecule uses it.
  private final class Gathered: @unchecked Sendable {
    var calls: [Call<Void, Void>] = []
  }

  /// Makes a barrier for 1 party or more. Another number ends the program.
  public init(
    parties: Int, _ label: String = "barrier", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    MadeAt("barrier", label, file, line).require("the number of parties", parties, in: 1...1 << 40)
    (arrive, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let arrive = soup.fast("arrive", returning: Void.self)
      if parties <= 64 {
        soup.react(Array(repeating: arrive, count: parties), on: .inline) { calls in
          for call in calls { call.reply() }
        }
        return (arrive, soup.control)
      }

      // A molecule, and no state, so that a stop ends the calls.
      let gathered = soup.slow("gathered", of: Gathered.self)
      soup.react(arrive, gathered, on: .inline) { call, here in
        here.calls.append(call)
        if here.calls.count == parties { here.calls.removeAll { !$0.isAwaited } }
        let met = here.calls.count == parties ? here.calls : []
        if !met.isEmpty { here.calls = [] }
        gathered(here)
        for call in met { call.reply() }
      }

      soup.initially { gathered(Gathered()) }
      return (arrive, soup.control)
    }
  }
}
