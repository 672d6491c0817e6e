public import Crucible

/// One run of an exploration: its tasks, threads and clock.
///
/// ```swift
/// try await explore { world in
///   let buffer = makeBuffer()
///   world.task("producer") { try await buffer.put("a") }
///   world.thread("consumer") { _ = try buffer.take.blocking() }
/// }
/// ```
public final class World: Sendable {
  @TaskLocal static var taskName: String?

  private let engine: Engine
  let work = Work()
  /// The matcher that is explored, for the options of soups.
  ///
  /// ```swift
  /// try await explore(matchers: Soup.Matcher.all) { world in
  ///   let log = Soup.define("log", with: .init(matcher: world.matcher)) { soup in soup.slow("line") }
  /// }
  /// ```
  public let matcher: Soup.Matcher

  /// The tasks and threads of the world. Only the thread with the turn uses it.
  final class Work: @unchecked Sendable {
    fileprivate(set) var errors: [String] = []
    fileprivate(set) var unfinished: [String] = []

    fileprivate func end(_ name: String, _ error: (any Error)?, in engine: Engine?) {
      unfinished.remove(at: unfinished.firstIndex(of: name)!)
      guard let error else { return }
      errors.append("'\(name)' throws \(error)")
      engine?.recordFailure("throws \(error)")
    }
  }

  init(_ engine: Engine, _ matcher: Soup.Matcher) {
    self.engine = engine
    self.matcher = matcher
  }

  /// The clock of the world, which soups that it defines have by default.
  public var clock: WorldClock { engine.worldClock }

  /// Starts a task. An error that it throws fails the run, and so does a task that never ends.
  ///
  /// ```swift
  /// let producer = world.task("producer") { try await buffer.put("a") }
  /// producer.cancel()
  /// ```
  ///
  /// - Returns: the task, which can be cancelled and awaited.
  /// - Complexity: O(1).
  @discardableResult
  public func task(_ name: String, _ run: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
    work.unfinished.append(name)
    let task = World.$taskName.withValue(name) {
      Task(executorPreference: engine.executor) { [work, weak engine] in
        do {
          try await run()
          work.end(name, nil, in: engine)
        } catch {
          work.end(name, error is CancellationError && Task.isCancelled ? nil : error, in: engine)
          throw error
        }
      }
    }
    engine.cancellations.append { task.cancel() }
    return task
  }

  /// Starts a thread, which may make blocking calls.
  ///
  /// ```swift
  /// world.thread("consumer") { _ = try buffer.take.blocking() }
  /// ```
  ///
  /// - Complexity: O(1).
  public func thread(_ name: String, _ run: @escaping @Sendable () throws -> Void) {
    work.unfinished.append(name)
    engine.add(name) { [work, weak engine] in
      do {
        try run()
        work.end(name, nil, in: engine)
      } catch { work.end(name, error, in: engine) }
    }
  }

  /// Waits until nothing else goes on: no task or thread of the world, no body, no timer. Suspends the task.
  ///
  /// ```swift
  /// await world.quiet()
  /// #expect(buffer.control.snapshot()["full"] == 0)
  /// ```
  ///
  /// Time passes for it. A timer that repeats keeps the world from being quiet.
  ///
  /// - Complexity: O(1), beside what goes on.
  public func quiet() async { await engine.rest() }

  /// Lets another task or thread go on, if the schedule says so.
  ///
  /// ```swift
  /// let seen = balance
  /// world.point()
  /// print(seen)
  /// ```
  ///
  /// Events of soups are such points by themselves.
  ///
  /// - Complexity: O(what can go on).
  public func point(line: UInt = #line) {
    engine.record("passes line \(line)")
    engine.point()
  }
}
