import CCrucible

extension Soup.Pool {
  /// The number of threads that the pool has at a moment, and their activities: see ``Soup/Pool/status``.
  ///
  /// ```swift
  /// print(Soup.Pool.status)   // 5 threads for 4 workers, limit 256: 1 blocked, 4 idle; 0 firings queued; …
  /// ```
  public struct Status: Sendable, Hashable, CustomStringConvertible {
    /// The number of threads that may run bodies at once: ``Soup/Pool/workers``.
    public let workers: Int
    /// The most threads that the pool may have: ``Soup/Pool/limit``.
    public let limit: Int
    /// The number of threads that exist or are being made.
    public let threads: Int
    /// The number of threads that block in the library's own calls, or in code marked by ``Soup/Pool/blocking(_:)``.
    public let blocked: Int
    /// The number of threads that sleep because there is nothing to do.
    public let idle: Int
    /// The number of firings that wait for a thread. Firings that a thread has set aside for itself do not count.
    public let queuedFirings: Int
    /// The number of times that the limit refused a thread that the pool needed, since the program began.
    public let limitReached: Int
    /// The number of times that an idle thread woke, since the program began.
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
