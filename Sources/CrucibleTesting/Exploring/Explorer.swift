import Crucible
import Testing

/// Runs the schedules of an exploration, in a task of its own on the engine's threads.
final class Explorer: @unchecked Sendable {
  typealias Body = @Sendable (World) async throws -> Void

  private let engine: Engine
  private let policy: SchedulePolicy
  private let count: Int
  private let seed: UInt64
  private let matcher: Soup.Matcher
  private let mayLeak: Bool
  private let source: Soup.Source
  private let body: Body
  /// How often a run looks whether its soups are gone.
  private var patience = 1000

  init(
    _ engine: Engine, _ policy: SchedulePolicy, _ count: Int, seed: UInt64, _ matcher: Soup.Matcher, mayLeak: Bool,
    at source: Soup.Source, _ body: @escaping Body
  ) {
    (self.engine, self.policy, self.count, self.seed) = (engine, policy, count, seed)
    (self.matcher, self.mayLeak, self.source, self.body) = (matcher, mayLeak, source, body)
  }

  /// Runs the schedules. A failed expectation fails its run, and not the test.
  func run() async -> Result<Exploration, ExplorationFailure> {
    defer { engine.close() }
    guard let test = Test.current else { return await runAll() }
    nonisolated(unsafe) var result: Result<Exploration, ExplorationFailure>!
    let scope: IssueHandlingTrait = .compactMapIssues { [engine] issue in
      if !engine.isMine { return issue }
      engine.issues.append("\(issue)")
      engine.recordFailure("an expectation fails")
      return nil
    }
    do {
      try await scope.provideScope(for: test, testCase: Test.Case.current) { result = await runAll() }
    } catch { fatalError("Crucible: explore: \(error)") }
    return result
  }

  private func runAll() async -> Result<Exploration, ExplorationFailure> {
    var chooser = policy.chooser(seed: seed)
    var schedules = 0
    while schedules < count && chooser.begin() {
      if let reason = await runOne(&chooser) {
        return .failure(await shrunk(Recorded(engine.choices), reason, passed: schedules))
      }
      schedules += 1
    }
    return .success(Exploration(schedules: schedules, isComplete: !chooser.begin(), digest: engine.digest))
  }

  /// Runs one schedule. Returns why it failed.
  private func runOne(_ chooser: inout any Chooser) async -> String? {
    engine.addStrands(upTo: 8)
    engine.begin(chooser)
    let world = World(engine, matcher)
    let work = world.work
    world.task("test") { [body] in try await body(world) }
    await engine.rest()
    chooser = engine.end()
    engine.story?.end()
    let found = (engine.issues + work.errors).joined(separator: "; ")
    let reason = engine.reason ?? (found.isEmpty ? stuck(work.unfinished) ?? leaked() : found)
    if let reason {
      engine.giveUp(reason)
      await engine.rest()
    }
    return reason
  }

  /// Says what waits although nothing can go on.
  private func stuck(_ unfinished: [String]) -> String? {
    let busy = engine.controls.filter { $0.isAlive && !$0.isQuiet }
    if unfinished.isEmpty && busy.isEmpty { return nil }
    let waiting = unfinished.isEmpty ? "a body" : unfinished.map { "'\($0)'" }.joined(separator: " and ")
    let soups = engine.controls.filter(\.isAlive).map { "\n\($0.explain())" }
    if engine.controls.isEmpty { return "nothing can go on, \(waiting) waits, and the run has defined no soup" }
    return "nothing can go on, and \(waiting) waits" + soups.joined()
  }

  private func leaked() -> String? {
    if mayLeak { return nil }
    // Another thread that lists all soups of the process may hold one for a moment.
    var patience = patience
    while patience > 0 && engine.controls.contains(where: \.isAlive) {
      waitForAMillisecond()
      patience -= 1
    }
    return engine.controls.first(where: \.isAlive).map { "a soup outlives the run: \($0)" }
  }

  // ---- Shrinking ----

  private static let mostStepsToShrink = 500_000
  private static let longestToShrink = Duration.seconds(10)

  /// Drops choices from a schedule as long as it fails: halves of them first, then single ones.
  ///
  /// Source: Zeller, Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE Transactions on Software
  /// Engineering 28 (2002).
  private func shrunk(_ recorded: Recorded, _ reason: String, passed: Int) async -> ExplorationFailure {
    var best = recorded
    if engine.isTouched {  // other schedules of the run may do anything
      return ExplorationFailure(
        reason: reason, story: [], file: nil, replay: best.text, passed: passed, source: source, again: code(best.text))
    }
    patience = 10
    let begin = ContinuousClock.now
    func isOver(since steps: Int) -> Bool {
      engine.progress >= steps + Self.mostStepsToShrink || ContinuousClock.now >= begin + Self.longestToShrink
    }
    var size = (best.choices.count + 1) / 2
    let first = engine.progress
    while size > 0 && !isOver(since: first) {
      var isSmaller = false
      let steps = best.choices.keys.sorted(by: >)
      for begin in stride(from: 0, to: steps.count, by: size) where !isOver(since: first) {
        var candidate = best
        for step in steps[begin..<min(begin + size, steps.count)] { candidate.choices[step] = nil }
        if candidate.choices.count < best.choices.count, await again(candidate) != nil {
          (best, isSmaller) = (candidate, true)
        }
      }
      if !isSmaller { size /= 2 }
    }
    best = await shortest(best, reason, isOver)
    var last: String?
    // A shorter one may have failed by chance.
    for candidate in best == recorded ? [best] : [best, recorded] where last == nil {
      best = candidate
      engine.story = Story(file: source.file) { [engine] in engine.look() }
      last = await again(best)
    }
    let reason = last ?? "\(reason); but the same schedule has passed now"
    let again = code(best.text)
    let file = ExplorationFailure.write(engine.story!.file(reason, source, again: again), for: source)
    return ExplorationFailure(
      reason: reason, story: engine.story!.text, file: file, replay: best.text, passed: passed, source: source,
      again: again)
  }

  /// The code that repeats a run: the policy, and what else changes its steps.
  private func code(_ replay: String) -> String {
    "explore(.replay(\"\(replay)\")" + (matcher == .automatic ? "" : ", matchers: [.\(matcher)]")
      + (mayLeak ? ", mayLeak: true" : "") + (engine.timeWaits ? ", timeWaits: true" : "") + ")"
  }

  private static let mostSchedulesToShorten = 2000

  /// Searches for the shortest story among the schedules with no more interruptions than this one, the fewest first,
  /// that fail in the same way.
  private func shortest(
    _ recorded: Recorded, _ reason: String, _ isOver: (_ steps: Int) -> Bool
  ) async -> Recorded {
    engine.story = Story(file: source.file)
    defer { engine.story = nil }
    guard await again(recorded) != nil else { return recorded }
    var (best, least, left) = (recorded, engine.story!.steps.count, Self.mostSchedulesToShorten)
    let most = engine.choices.reduce(0) { $0 + $1.alternatives.cost(of: $1.index) }
    let first = engine.progress
    for bound in 0...most {
      var search: any Chooser = Search(bound: bound, isExact: false)
      while left > 0 && !isOver(first) && search.begin() {
        left -= 1
        engine.story = Story(file: source.file)
        guard let other = await runOne(&search), !engine.isTouched, engine.story!.steps.count < least,
          other.prefix(12) == reason.prefix(12)  // an expectation, an error, a soup that stays, or a caller that waits
        else { continue }
        (best, least) = (Recorded(engine.choices), engine.story!.steps.count)
      }
    }
    return best
  }

  /// Runs the schedule again. Returns why it failed.
  private func again(_ recorded: Recorded) async -> String? {
    var chooser: any Chooser = Replay(recorded.choices)
    _ = chooser.begin()
    return await runOne(&chooser)
  }
}

/// A schedule as a text: the choices that are not the first alternative, by their steps. The last part is the number of
/// the choices and their sum, so that a part of a text is none.
struct Recorded: Hashable {
  var choices: [Int: Int] = [:]

  init(_ choices: [Choice]) {
    for (step, choice) in choices.enumerated() where choice.index > 0 { self.choices[step] = choice.index }
  }

  /// Reads a text. Nil: it is none of this kind.
  init?(_ text: String) {
    let parts = text.split(separator: "/").map(String.init)
    for part in parts.dropLast() {
      let pair = part.split(separator: "=").compactMap { Int($0) }
      if pair.count != 2 { return nil }
      choices[pair[0]] = pair[1]
    }
    if parts.last != check { return nil }
  }

  private var check: String { "\(choices.count)-\(choices.reduce(0) { $0 + $1.key + $1.value })" }

  var text: String {
    let steps = choices.sorted { $0.key < $1.key }.map { "\($0)=\($1)" }
    return (steps + [check]).joined(separator: "/")
  }
}
