import CCrucible

extension Soup.Pool {
  /// The pool needed a thread and got none: see ``Soup/Pool/onLimit``.
  ///
  /// Its description says in one line what happened, and how to change it.
  public struct Shortage: Sendable, Hashable, CustomStringConvertible {
    /// The status of the pool when it needed the thread.
    public let status: Soup.Pool.Status
    /// The reason why the system made no thread, as `errno` says it. Nil: the pool has reached its limit.
    public let error: Int32?
    public let description: String

    init(_ core: crucible_pool_shortage) {
      status = Soup.Pool.Status(core.status)
      error = core.error == 0 ? nil : core.error
      description = withUnsafePointer(to: core) { core in
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { text in
          crucible_pool_shortage_text(core, text.baseAddress!, text.count)
          return String(cString: text.baseAddress!)
        }
      }
    }

    func write() { writeToStandardError(description) }
  }
}
