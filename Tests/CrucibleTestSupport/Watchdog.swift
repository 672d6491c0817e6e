import Crucible
import Foundation

/// Ends the process, with a description of the soups that live, when a test exceeds its deadline.
///
/// A time limit of the test library cancels the test's task, which does not end a thread that is blocked. This is one
/// thread of its own that looks at deadlines only.
public final class Watchdog: @unchecked Sendable {
  /// One test with its deadline.
  private final class Watch: Sendable {
    let name: String
    let limit: Duration
    let deadline: Date

    init(_ name: String, _ limit: Duration) {
      self.name = name
      self.limit = limit
      deadline = Date(timeIntervalSinceNow: limit / .seconds(1))
    }
  }

  /// Runs `body` under a deadline.
  public static func guarding<Result>(
    _ name: String, within limit: Duration, _ body: () async throws -> Result
  ) async rethrows -> Result {
    _ = hasWorkers
    let watch = shared.begin(name, limit)
    defer { shared.end(watch) }
    return try await body()
  }

  /// Puts the rest of a process that runs one test under a deadline, and sets the size of its pool.
  public static func guardProcess(_ name: String, workers: Int? = nil, limit: Int? = nil) {
    _ = shared.begin(name, .seconds(200 * AddressSanitizer.patience))
    if let workers { Soup.Pool.workers = workers }
    if let limit { Soup.Pool.limit = limit }
  }

  private static let shared = Watchdog()

  /// Tests that run side by side keep workers of the pool waiting in bodies, each until another body of its own has
  /// run. With as many workers as processors two such tests can hold all of them, and wait for each other.
  private static let hasWorkers: Bool = {
    Soup.Pool.workers = max(32, Soup.Pool.workers)
    return true
  }()
  private let condition = NSCondition()
  private var watches: [ObjectIdentifier: Watch] = [:]

  private init() {
    let thread = Thread { self.look() }
    thread.name = "watchdog"
    thread.start()
  }

  private func begin(_ name: String, _ limit: Duration) -> Watch {
    let watch = Watch(name, limit)
    condition.withLock {
      watches[ObjectIdentifier(watch)] = watch
      condition.signal()
    }
    return watch
  }

  private func end(_ watch: Watch) {
    _ = condition.withLock { watches.removeValue(forKey: ObjectIdentifier(watch)) }
  }

  private func look() {
    condition.lock()
    while true {
      let first = watches.values.min { $0.deadline < $1.deadline }
      if let first, first.deadline.timeIntervalSinceNow <= 0 { bark(at: first) }
      _ = condition.wait(until: first?.deadline ?? Date(timeIntervalSinceNow: 3600))
    }
  }

  private func bark(at watch: Watch) -> Never {
    say("Watchdog: '\(watch.name)' did not end within \(watch.limit)")
    // One at a time: a description may block for ever, on a lock that a stuck thread holds.
    for soup in Soup.all.controls.prefix(100) {
      say(soup.description)
      say(soup.explain().description)
      say("  pending firings: \(soup.snapshot().pending)")
    }
    abort()
  }

  private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
