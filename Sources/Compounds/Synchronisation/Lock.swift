public import Crucible

/// Lets one caller in at a time, in the order in which they came. It cannot be restarted once it has been stopped.
///
/// ```swift
/// let lock = Lock("cache")
/// try await lock.withLock { cache[key] = value }
/// ```
///
/// The definition. The lock is a molecule, and to release it is to inject it:
///
/// ```
/// soup.react(acquire, free) { call, _ in if !call.reply() { free() } }
/// soup.react(free, free) { _, _ in /* a mistake: two locks */ }
/// ```
///
/// If a caller gives up while it waits, its call is withdrawn. If it gives up at the moment in which it gets the lock,
/// its reply fails, and the lock is free again. The lock does not know who has it, and is not recursive: a holder that
/// acquires it again waits for itself.
///
/// - Complexity: O(1), without allocation where the lock is free.
public struct Lock: Compound {
  /// Waits until the lock is free, and takes it. A limit of zero tries.
  ///
  /// ```swift
  /// try await lock.acquire(within: .milliseconds(50))
  /// defer { lock.release() }
  /// ```
  public let acquire: FastInjector<Void, Void>
  /// Gives the lock back. Does not block, and may be called on any thread.
  ///
  /// If no caller has the lock, a release ends the program, or hands the lock to one more caller if some wait.
  public let release: Injector<Void>
  public let control: Soup.Control

  /// Makes a lock that is free.
  public init(
    _ label: String = "lock", options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line
  ) {
    let madeAt = MadeAt("lock", label, file, line)
    (acquire, release, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let control = soup.control
      let acquire = soup.fast("acquire", returning: Void.self)
      let free = soup.slow("free")

      soup.react(acquire, free, on: .inline) { call, _ in if !call.reply() { free() } }
      soup.react(free, free, on: .inline) { _, _ in madeAt.misuse("released while nobody has it") }

      soup.refuseRestarts()
      free()
      return (acquire, free, control)
    }
  }

  /// Runs `body` with the lock, which is released when the body has returned or thrown.
  ///
  /// The limit covers the wait for the lock, not the body.
  ///
  /// - Throws: the error of `body`. `CallError` if the call did not get the lock; then `body` has not run.
  @inlinable
  nonisolated(nonsending)
    public func withLock<Result>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result
  {
    try await acquire(within: limit, file: file, line: line)
    defer { release() }
    return try await body()
  }
}

extension Blocking where Blocked == Lock {
  /// Blocks the thread until the lock is free, and runs `body` with it; see ``Lock/withLock(within:file:line:_:)``.
  @available(*, noasync, message: "await withLock(within:) instead of blocking a thread of Swift concurrency")
  @inlinable
  public func withLock<Result>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Result
  ) throws -> Result {
    try compound.acquire.blocking(within: limit, file: file, line: line)
    defer { compound.release() }
    return try body()
  }
}
