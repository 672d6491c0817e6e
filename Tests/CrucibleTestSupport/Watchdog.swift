import Crucible
import Foundation

/// Ends the process, with a description of the soups concerned, when a test exceeds its deadline.
///
/// A time limit of the test library cancels the test's task, which does not end a thread that is blocked. This is one
/// thread of its own that looks at deadlines only.
public final class Watchdog: @unchecked Sendable {
  /// The object of a watch: one test with its deadline, and the soups that it has registered.
  public final class Watch: @unchecked Sendable {
    fileprivate let name: String
    fileprivate let limit: Duration
    fileprivate let deadline: Date
    fileprivate let lock = NSLock()
    fileprivate var soups: [Soup.Control] = []

    fileprivate init(_ name: String, _ limit: Duration) {
      self.name = name
      self.limit = limit
      deadline = Date(timeIntervalSinceNow: limit / .seconds(1))
    }

    fileprivate func forget(from count: Int) { lock.withLock { soups.removeSubrange(count...) } }
    fileprivate var count: Int { lock.withLock { soups.count } }
    fileprivate func add(_ soup: Soup.Control) { lock.withLock { soups.append(soup) } }
  }

  /// The watch of the running test.
  @TaskLocal public static var current: Watch?

  /// Has the soup described should the running test exceed its deadline. Keeps the soup until the test ends, or until
  /// the end of the ``whileWatching(_:)`` around this call.
  public static func watch(_ soup: Soup.Control) {
    let watch = current ?? shared.condition.withLock { shared.process }
    watch?.add(soup)
  }

  /// Runs `body`, then lets go of the soups that it had watched: for tests of what happens when a soup goes.
  public static func whileWatching<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    let before = current?.count ?? 0
    defer { current?.forget(from: before) }
    return try await body()
  }

  /// Runs `body` under a deadline; `soups` are watched from the beginning.
  public static func guarding<Result>(
    _ name: String, within limit: Duration, watching soups: [Soup.Control] = [], _ body: () async throws -> Result
  ) async rethrows -> Result {
    _ = hasWorkers
    let watch = shared.begin(name, limit, soups)
    defer { shared.end(watch) }
    return try await $current.withValue(watch) { try await body() }
  }

  /// Puts the rest of the process under a deadline: for processes that run one test only.
  public static func guardProcess(_ name: String, within limit: Duration = .seconds(200 * AddressSanitizer.patience)) {
    let watch = shared.begin(name, limit, [])
    shared.condition.withLock { shared.process = watch }
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
  private var process: Watch?

  private init() {
    let thread = Thread { self.look() }
    thread.name = "watchdog"
    thread.start()
  }

  private func begin(_ name: String, _ limit: Duration, _ soups: [Soup.Control]) -> Watch {
    let watch = Watch(name, limit)
    for soup in soups { watch.add(soup) }
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
    for soup in watch.lock.withLock({ watch.soups }) {
      say(soup.description)
      say(soup.explain().description)
      say("  pending firings: \(soup.snapshot().pending)")
    }
    abort()
  }

  private func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
