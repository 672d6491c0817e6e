public import Crucible

/// A lock for each key: lets one caller of a key in at a time, in the order in which they came. It cannot be restarted
/// once it has been stopped.
///
/// ```swift
/// let files = KeyedLock<String>("files")
/// try await files.withLock("report.csv") { try await rewrite("report.csv") }
/// ```
///
/// The definition. `users` counts the callers of a key that have the lock or wait for it. The first one brings the
/// lock, and the last one leaves it to `end`, so a key that nobody uses takes no memory:
///
/// ```
/// soup.react(state: users, enter) { users, call in /* the first one injects free(key), unless one is to end */ }
/// soup.react(take, free) { call, key in if !call.reply() { free(key) } }
/// soup.react(state: users, release) { users, key in /* one fewer; if some wait: free(key) */ }
/// soup.react(state: users, giveUp) { users, key in /* one fewer; the last one injects end(key) */ }
/// soup.react(state: users, end, free) { users, _, key in /* the lock ends, unless a caller has come meanwhile */ }
/// ```
///
/// Locks of several keys at once may deadlock, as locks do: acquire them in the order of their keys. It is not
/// recursive. It does not know who has a lock: a release by somebody else lets one more caller in, if some wait.
///
/// - Complexity: O(1) on average. Calls of different keys do not wait for each other, but for moments of some hundred
///   nanoseconds.
public struct KeyedLock<Key: Hashable & Sendable>: Compound {
  @usableFromInline let enter: FastInjector<Key, Void>, take: FastInjector<Key, Void>
  @usableFromInline let giveUp: Injector<Key>

  /// The callers of a key. While there are some, one of them has the lock, or it is free.
  @usableFromInline
  struct Users: Equatable {
    @usableFromInline var count = 0
    /// There are none, and the lock is free and is to end.
    @usableFromInline var isEnding = false
    /// A molecule `end` waits for a free lock.
    @usableFromInline var hasEnd = false

    @inlinable init() {}
  }

  /// Gives the lock of a key back. Does not block, and may be called on any thread.
  ///
  /// If no caller has it or waits for it, a release ends the program.
  public let release: Injector<Key>
  public let control: Soup.Control

  /// Makes locks that are free.
  @inlinable
  public init(
    _ label: String = "keyed lock", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    let madeAt = MadeAt("keyed lock", label, file, line)
    (enter, take, giveUp, release, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let users = soup.state("users", key: Key.self, forget: .whenEqualToNew) { _ in Users() }
      let enter = soup.fast("enter", of: Key.self, key: \.self, returning: Void.self)
      let take = soup.fast("acquire", of: Key.self, key: \.self, returning: Void.self)
      let free = soup.slow("free", of: Key.self, key: \.self)
      let release = soup.slow("release", of: Key.self, key: \.self)
      let giveUp = soup.slow("give up", of: Key.self, key: \.self)
      let end = soup.slow("end", of: Key.self, key: \.self)

      soup.react(state: users, enter, on: .inline) { users, call in
        users.count += 1
        if users.count == 1 && !users.isEnding { free(call.input) }
        users.isEnding = false
        if !call.reply() { giveUp(call.input) }
      }
      soup.react(take, free, on: .inline) { call, key in if !call.reply() { free(key) } }
      soup.react(state: users, release, on: .inline) { users, key in
        if users.count == 0 { madeAt.misuse("released while nobody has it") }
        users.count -= 1
        users.isEnding = users.count == 0 && users.hasEnd
        if users.count > 0 || users.isEnding { free(key) }
      }
      soup.react(state: users, giveUp, on: .inline) { users, key in
        users.count -= 1
        users.isEnding = users.count == 0
        if !users.isEnding || users.hasEnd { return }
        users.hasEnd = true
        end(key)
      }
      soup.react(state: users, end, free, on: .inline) { users, _, key in
        if !users.isEnding { free(key) }
        users.isEnding = false
        users.hasEnd = false
      }

      soup.refuseRestarts()
      return (enter, take, giveUp, release, soup.control)
    }
  }

  /// Waits until the lock of the key is free, and takes it. A limit of zero tries. While the compound is paused, a
  /// caller may wait twice as long.
  ///
  /// ```swift
  /// try await files.acquire("report.csv", within: .milliseconds(50))
  /// defer { files.release("report.csv") }
  /// ```
  ///
  /// - Throws: `CallError` if the caller gives up, or the soup is stopped. Then it does not have the lock.
  @inlinable
  nonisolated(nonsending)
    public func acquire(
      _ key: Key, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError)
  {
    try await enter(key, within: limit, file: file, line: line)
    do throws(CallError) { try await take(key, within: limit, file: file, line: line) } catch {
      giveUp(key)
      throw error
    }
  }

  /// Runs `body` with the lock of the key, which is released when the body has returned or thrown.
  ///
  /// The limit covers the wait for the lock, not the body.
  ///
  /// - Throws: the error of `body`. `CallError` if the call did not get the lock; then `body` has not run.
  @inlinable
  nonisolated(nonsending)
    public func withLock<Result>(
      _ key: Key, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result
  {
    try await acquire(key, within: limit, file: file, line: line)
    defer { release(key) }
    return try await body()
  }

  /// Blocks the thread until the lock of the key is free.
  @available(*, noasync)
  fileprivate func acquireBlocking(
    _ key: Key, _ limit: Duration?, _ file: StaticString, _ line: UInt
  ) throws(CallError) {
    try enter.blocking(key, within: limit, file: file, line: line)
    do throws(CallError) { try take.blocking(key, within: limit, file: file, line: line) } catch {
      giveUp(key)
      throw error
    }
  }
}

extension Blocking {
  /// Blocks the thread until the lock of the key is free, and runs `body` with it; see
  /// ``KeyedLock/withLock(_:within:file:line:_:)``.
  @available(*, noasync, message: "await withLock(_:within:) instead of blocking a thread of Swift concurrency")
  public func withLock<Key, Result>(
    _ key: Key, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
    _ body: () throws -> Result
  ) throws -> Result where Blocked == KeyedLock<Key> {
    try compound.acquireBlocking(key, limit, file, line)
    defer { compound.release(key) }
    return try body()
  }
}
