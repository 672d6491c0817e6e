public import Crucible

/// Runs a test again and again, each time by another schedule.
///
/// ```swift
/// try await explore { world in
///   let buffer = makeBuffer()
///   world.task("producer") { try? await buffer.put("a", within: .seconds(1)) }
///   world.task("consumer") { _ = try? await buffer.take(within: .seconds(1)) }
///   await world.quiet()
///   let counts = buffer.control.snapshot()
///   #expect(counts["free"]! + counts["full"]! == 1)
/// }
/// ```
///
/// In each run the threads and tasks of the ``World`` take turns, and the policy decides which of them goes on at each
/// step. A run fails if
///
/// - an expectation fails, or the closure or a task of the world throws,
/// - nothing can go on although a caller or a task waits,
/// - a soup outlives the run, unless `mayLeak`,
/// - it does not end within 20,000 steps,
/// - a thread that the world does not know takes part.
///
/// `explore` shrinks the schedule of the first run that fails, and throws its story. If the variable `CRUCIBLE_STORIES`
/// names a folder, it writes the story there, for the inspector and for Perfetto. If the process crashes in a run,
/// it prints what replays the run first.
///
/// - Parameters:
///   - policy: how the schedules are chosen.
///   - matchers: each of them is explored in turn, as ``World/matcher``.
///   - schedules: the most schedules for each matcher; the default is the variable `CRUCIBLE_EXPLORE`, or 1,000.
///   - seed: of the choices. The same seed takes the same steps, in another process too. The default is random.
///   - mayLeak: whether soups of a run may outlive it.
///   - timeWaits: whether time passes only when nothing else can go on. Then no limit ends before the work that it
///     limits could be done.
///   - file: the file that a failure names.
///   - line: the line that a failure names.
///   - body: the test, which defines its soups.
/// - Returns: the number of schedules.
/// - Throws: ``ExplorationFailure``.
/// - Complexity: O(schedules × steps × what can go on). Suspends its task. All runs use one processor.
@discardableResult
public func explore(
  _ policy: SchedulePolicy = .mixed, matchers: [Soup.Matcher] = [.automatic], schedules: Int? = nil,
  seed: UInt64? = nil, mayLeak: Bool = false, timeWaits: Bool = false, file: StaticString = #fileID,
  line: UInt = #line,
  _ body: @escaping @Sendable (World) async throws -> Void
) async throws -> Exploration {
  precondition(ControlledThread.currentRun == nil, "explore inside explore")
  let count = schedules ?? environment("CRUCIBLE_EXPLORE").flatMap { Int($0) } ?? 1000
  var result = Exploration(schedules: 0, isComplete: true, digest: 0)
  for matcher in matchers {
    let engine = Engine(timeWaits: timeWaits)
    let explorer = Explorer(
      engine, policy, count, seed: seed ?? .random(in: 1 ... .max), matcher, mayLeak: mayLeak,
      at: Soup.Source(file, line), body)
    let watch = Watch(engine)
    defer { watch.end() }
    let one = try await Task(executorPreference: engine.executor) { await explorer.run() }.value.get()
    result = Exploration(
      schedules: result.schedules + one.schedules, isComplete: result.isComplete && one.isComplete,
      digest: result.digest &* 31 &+ one.digest)
  }
  return result
}

/// The result of an exploration in which no run failed.
///
/// ```swift
/// let done = try await explore(.all(preemptions: 2), schedules: 100_000) { world in … }
/// print(done)                        // all 90 schedules pass
/// ```
public struct Exploration: Sendable, Hashable, CustomStringConvertible {
  /// The number of schedules that ran.
  public let schedules: Int
  /// Whether these are all schedules that the policy allows.
  public let isComplete: Bool
  /// Tells explorations apart that have taken other steps.
  package let digest: UInt64

  public var description: String { isComplete ? "all \(schedules) schedules pass" : "\(schedules) schedules pass" }
}

/// The error of an exploration in which a run failed.
///
/// ```swift
/// do { try await explore { world in … } } catch let failure as ExplorationFailure {
///   print(failure.reason, failure.story.count, failure.replay)
/// }
/// ```
public struct ExplorationFailure: Error, CustomStringConvertible {
  /// Why the run failed.
  public let reason: String
  /// The steps of the shrunk run.
  public let story: [String]
  /// Says where the story is for the inspector.
  let file: String?
  /// The text for ``SchedulePolicy/replay(_:)`` that repeats the shrunk run.
  public let replay: String
  /// The number of schedules that passed before.
  public let passed: Int
  let source: Soup.Source
  /// The code that repeats the shrunk run.
  let again: String

  /// The reason, the story with numbers, and the code that repeats the run.
  public var description: String {
    let steps = story.enumerated().map { "  \($0 + 1) \($1)" }.joined(separator: "\n")
    return """
      \(source): a schedule fails, after \(passed) that pass: \(reason)
      \(steps)
      again: \(again)
      """ + (file.map { "\n\($0)" } ?? "")
  }
}
