public import CCrucible
import Synchronization

extension Soup {
  /// The threads on which synchronous bodies run by default, and all bodies on ``Placement/pool``. The process has one
  /// pool.
  ///
  /// Threads are started when there is work for them. One that blocks in the library's own calls
  /// (``FastInjector/blocking(_:file:line:)``, ``Soup/Control/blocking``, ``sleep(for:)``), or in code that is marked
  /// by ``blocking(_:)``, does not count while it does: another one stands in for it when there is work, up to
  /// ``limit`` threads in all. When it is back, and there is one more than ``workers`` that can run, one of them ends:
  /// at once if it has nothing to do, else after its body. Threads that have nothing to do sleep, and cost no processor
  /// time.
  public enum Pool {
    /// How many bodies may run at once: from 1 to ``limit``, at first the number of processors.
    ///
    /// Can be set at any time; threads beyond it end as soon as they have nothing to do, or after their bodies.
    /// Anything else than from 1 to ``limit`` ends the program with a message.
    public static var workers: Int {
      get { crucible_pool_workers() }
      set {
        if newValue < 1 || !crucible_pool_set_workers(newValue) {
          fatalError(
            "Crucible: Soup.Pool.workers must be from 1 to Soup.Pool.limit, which is \(limit), not \(newValue)")
        }
      }
    }

    /// How many threads the pool may have, those included that are blocked: from ``workers`` to 1024, at first 256.
    ///
    /// Can be set at any time; it is never below ``workers``, so that what may run at once can. Threads beyond a lower
    /// limit end after their bodies, but for the last one that can run, for the others may wait for what it does.
    /// Anything else than from ``workers`` to 1024 ends the program with a message.
    ///
    /// When the limit is reached, work waits until a thread comes back, which may be never if all of them wait for that
    /// very work; ``onLimit`` tells.
    public static var limit: Int {
      get { crucible_pool_limit() }
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

    /// How many threads there are now, and what they do.
    ///
    /// - Complexity: O(1). The numbers are read one after the other, and do not stop anything.
    public static var status: Soup.Pool.Status { Soup.Pool.Status(crucible_pool_look()) }

    /// Called when the pool needs a thread and cannot have it, for its ``limit`` or because the system makes none; at
    /// first this writes one line to standard error.
    ///
    /// ```swift
    /// Soup.Pool.onLimit = { shortage in logger.warning("\(shortage)") }
    /// ```
    ///
    /// It is called once, and again only after a thread of the pool has had nothing to do, so that the pool was below
    /// what it could do, or after the limit was set. It runs on a thread of its own, which is not the pool's, one call
    /// at a time: so it may inject, block, and set the limit. While the system makes no thread for it either, the line
    /// is written to standard error at once, and the call waits for a thread.
    public static var onLimit: @Sendable (Soup.Pool.Shortage) -> Void {
      get { handler.withLock { $0.call } }
      set {
        handler.withLock { $0.call = newValue }
        crucible_pool_on_shortage { shortage in Soup.Pool.onLimit(Soup.Pool.Shortage(shortage.pointee)) }
      }
    }

    /// Not a closure itself: each look into a mutex over a function type would wrap it once more.
    private struct Handler { var call: @Sendable (Soup.Pool.Shortage) -> Void }

    private static let handler = Mutex(Handler { $0.write() })

    /// Runs code that may block the thread for other reasons than waiting for reactions: input and output, a foreign
    /// lock.
    ///
    /// ```swift
    /// soup.react(download) { url in
    ///   page(Soup.Pool.blocking { fetch(url) })
    /// }
    /// ```
    ///
    /// On a thread of the pool, another one stands in for it meanwhile, if there is work and the ``limit`` allows. On
    /// any other thread this just runs the code. Can be nested, in itself and around the library's own blocking calls:
    /// only the outermost counts.
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

    /// Blocks the calling thread for a time; a thread of the pool is replaced meanwhile, as by ``blocking(_:)``.
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
      crucible_pool_sleep(duration.nanoseconds)
    }
  }
}
