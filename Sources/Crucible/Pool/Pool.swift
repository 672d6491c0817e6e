public import CCrucible

extension Soup {
  /// The threads on which synchronous bodies run by default, and all bodies on ``Placement/pool``: one pool a process.
  ///
  /// The pool starts threads when there is work for them. While a thread blocks in the library's own calls
  /// (``FastInjector/blocking(_:within:file:line:)``, ``Soup/Control/blocking``, ``sleep(for:)``), or in code that
  /// ``blocking(_:)`` marks, it does not count: the pool runs a replacement thread, up to ``limit`` threads in all. If
  /// more than ``workers`` threads can run afterwards, one of them ends. Threads that have nothing to do sleep.
  public enum Pool {
    /// The number of bodies that may run at once: from 1 to ``limit``, at first the number of processors.
    ///
    /// The program may set it at any time. Threads beyond it end as soon as they have nothing to do, or after their
    /// bodies. Another value ends the program with a message.
    public static var workers: Int {
      get { crucible_pool_look().workers }
      set {
        if newValue < 1 || !crucible_pool_set_workers(newValue) {
          fatalError(
            "Crucible: Soup.Pool.workers must be from 1 to Soup.Pool.limit, which is \(limit), not \(newValue)")
        }
      }
    }

    /// The number of threads that the pool may have, blocked ones included: from ``workers`` to 1024, at first 256.
    ///
    /// The program may set it at any time. Threads beyond a lower limit end after their bodies. The last one that can
    /// run stays, because the others may wait for its work. Another value ends the program with a message.
    ///
    /// At the limit, work waits for a thread. If all threads wait for that work, they wait for ever. See ``onLimit``.
    public static var limit: Int {
      get { crucible_pool_look().limit }
      set {
        if newValue < 1 || !crucible_pool_set_limit(newValue) {
          fatalError(
            """
            Crucible: Soup.Pool.limit must be from Soup.Pool.workers, which is \(workers), to \
            \(CRUCIBLE_MAX_POOL_LIMIT), not \(newValue)
            """)
        }
      }
    }

    /// The number of threads that the pool has now, and their activities.
    ///
    /// - Complexity: O(1). The numbers are read one after the other, and reading them stops nothing.
    public static var status: Soup.Pool.Status { Soup.Pool.Status(crucible_pool_look()) }

    /// Called when the pool needs a thread and gets none, because of its ``limit`` or because the system makes none. By
    /// default, it writes one line to standard error.
    ///
    /// ```swift
    /// Soup.Pool.onLimit = { shortage in logger.warning("\(shortage)") }
    /// ```
    ///
    /// The library calls it once, and again only after a thread of the pool had nothing to do, or after the program set
    /// the limit. The calls run one at a time on a thread of their own, so they may inject, block, and set the limit.
    /// If the system makes no thread for the call either, the library writes the line to standard error at once.
    public static var onLimit: @Sendable (Soup.Pool.Shortage) -> Void {
      get { handler.withLock { $0.call } }
      set {
        handler.withLock { $0.call = newValue }
        crucible_pool_on_shortage { shortage in Soup.Pool.onLimit(Soup.Pool.Shortage(shortage.pointee)) }
      }
    }

    private static let handler = Guarded(Handler<Soup.Pool.Shortage> { $0.write() })

    /// Runs code that may block the thread for other reasons than reactions, such as input, output or a foreign lock.
    ///
    /// ```swift
    /// soup.react(download) { url in
    ///   page(Soup.Pool.blocking { fetch(url) })
    /// }
    /// ```
    ///
    /// On a thread of the pool, the pool runs a replacement thread meanwhile, if there is work and the ``limit`` allows
    /// it. On any other thread, the function just runs the code. Calls may nest: only the outermost one counts.
    ///
    /// - Throws: what the code throws.
    /// - Returns: what the code returns.
    /// - Complexity: O(1), and the wake-up or the start of a thread when work waits.
    @available(*, noasync, message: "a thread of Swift concurrency must not be blocked: do it in a body on the pool")
    @inlinable
    @discardableResult
    public static func blocking<Result: ~Copyable, Failure: Error>(
      _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
      crucible_pool_begin_blocking()
      defer { crucible_pool_end_blocking() }
      return try body()
    }

    /// Blocks the calling thread for a time. The pool replaces its own thread meanwhile, as in ``blocking(_:)``.
    ///
    /// ```swift
    /// Soup.Pool.sleep(for: .milliseconds(10))
    /// ```
    ///
    /// - Parameter duration: by a monotonic clock that stands still while the system is suspended. Zero or less returns
    ///   at once. Signals do not shorten it.
    /// - Complexity: as ``blocking(_:)``.
    @available(*, noasync, message: "await Task.sleep(for:) instead of blocking a thread of Swift concurrency")
    public static func sleep(for duration: Duration) {
      if let run = ControlledThread.currentRun { return run.sleep(nanoseconds: duration.nanoseconds) }
      crucible_pool_sleep(duration.nanoseconds)
    }
  }
}
