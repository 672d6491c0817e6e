import CCrucible

extension Soup.Pool {
  /// How many threads the pool has at a moment, and what they do: see ``Soup/Pool/status``.
  ///
  /// ```swift
  /// print(Soup.Pool.status)   // 5 threads for 4 workers, limit 256: 1 blocked, 4 idle; 0 firings queued; …
  /// ```
  public struct Status: Sendable, Hashable, CustomStringConvertible {
    /// How many may run bodies at once: ``Soup/Pool/workers``.
    public let workers: Int
    /// How many there may be: ``Soup/Pool/limit``.
    public let limit: Int
    /// Threads that there are, or that are being made.
    public let threads: Int
    /// Threads that block in the library's own calls, or in code marked by ``Soup/Pool/blocking(_:)``.
    public let blocked: Int
    /// Threads that sleep because there is nothing to do.
    public let idle: Int
    /// Firings that wait for a thread. Those that a thread has set aside for itself are not counted.
    public let queuedFirings: Int
    /// How often a thread was needed and the limit refused it, since the program began.
    public let limitReached: Int
    /// How often a thread woke that had slept because there was nothing to do, since the program began.
    public let wakeUps: Int

    init(_ core: crucible_pool_status) {
      workers = core.workers
      limit = core.limit
      threads = core.threads
      blocked = core.blocked
      idle = core.idle
      queuedFirings = Int(core.queued)
      limitReached = Int(core.limit_reached)
      wakeUps = Int(core.wake_ups)
    }

    public var description: String {
      """
      \(threads) threads for \(workers) workers, limit \(limit): \(blocked) blocked, \(idle) idle; \
      \(queuedFirings) firings queued; limit reached \(limitReached) times; \(wakeUps) wake-ups
      """
    }
  }
}
