public import Crucible

/// Lets a limited number of callers in at a time, in the order in which they came. It cannot be restarted once it has
/// been stopped.
///
/// ```swift
/// let downloads = Semaphore(permits: 4)
/// try await downloads.withPermit { try await fetch(url) }
/// ```
///
/// The definition. A `permit` is a molecule, and releasing a permit injects it. For a limit of two:
///
/// ```
/// soup.react(acquire, permit) { call, _ in if !call.reply() { permit() } }
/// soup.react(permit, permit, permit) { _, _, _ in /* a mistake: more permits than the limit */ }
/// ```
///
/// A reaction has at most 64 inputs. Beyond a limit of 63, a state counts the permits.
///
/// If a caller gives up while it waits, its call is withdrawn. If it gives up at the moment in which it gets a permit,
/// the permit comes back.
///
/// - Complexity: O(1), without allocation where a permit is there.
public struct Semaphore: Compound {
  /// Waits for a permit, and takes it. A limit of zero tries.
  ///
  /// ```swift
  /// try await downloads.acquire(within: .milliseconds(50))
  /// defer { downloads.release() }
  /// ```
  public let acquire: FastInjector<Void, Void>
  /// Gives a permit back, or adds one. Does not block, and may be called on any thread. Beyond the limit it ends the
  /// program.
  public let release: Injector<Void>
  public let control: Soup.Control

  /// Makes a semaphore with `permits` permits, 0 or more. It never has more than `limit` permits or, without a limit,
  /// more than at first.
  public init(
    permits: Int, limit: Int? = nil, _ label: String = "semaphore", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    let madeAt = MadeAt("semaphore", label, file, line)
    madeAt.require("the number of permits", permits, in: 0...1 << 40)
    let limit = limit ?? permits
    madeAt.require("the limit", limit, in: max(permits, 1)...1 << 40)
    (acquire, release, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let acquire = soup.fast("acquire", returning: Void.self)
      let permit = soup.slow("permit")
      soup.refuseRestarts()
      permit.inject(count: permits)

      if limit < 64 {
        soup.react(acquire, permit, on: .inline) { call, _ in if !call.reply() { permit() } }
        soup.react(Array(repeating: permit, count: limit + 1), on: .inline) { _ in
          madeAt.misuse("released beyond its limit of \(limit)")
        }
        return (acquire, permit, soup.control)
      }

      let release = soup.slow("release")
      let available = soup.state("available", permits)
      soup.react(state: available, acquire, permit, on: .inline) { n, call, _ in
        if call.reply() { n -= 1 } else { permit() }
      }
      soup.react(state: available, release, on: .inline) { n, _ in
        if n == limit { madeAt.misuse("released beyond its limit of \(limit)") }
        n += 1
        permit()
      }
      return (acquire, release, soup.control)
    }
  }

  /// Runs `body` with a permit, and gives the permit back when the body has returned or thrown.
  ///
  /// The limit covers the wait for the permit, not the body.
  ///
  /// - Throws: the error of `body`. `CallError` if the call did not get a permit; then `body` has not run.
  @inlinable
  nonisolated(nonsending)
    public func withPermit<Result>(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line,
      _ body: nonisolated(nonsending) () async throws -> Result
    ) async throws -> Result
  {
    try await acquire(within: limit, file: file, line: line)
    defer { release() }
    return try await body()
  }
}

extension Blocking where Blocked == Semaphore {
  /// Blocks the thread until there is a permit, and runs `body` with it; see
  /// ``Semaphore/withPermit(within:file:line:_:)``.
  @available(*, noasync, message: "await withPermit(within:) instead of blocking a thread of Swift concurrency")
  @inlinable
  public func withPermit<Result>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line, _ body: () throws -> Result
  ) throws -> Result {
    try compound.acquire.blocking(within: limit, file: file, line: line)
    defer { compound.release() }
    return try body()
  }
}
