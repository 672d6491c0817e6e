import CCrucible

extension Soup {
  /// The static calls of ``Soup`` that block the thread: write `.blocking` before the call instead of `await`.
  public static var blocking: Blocking { Blocking() }

  /// The static calls of ``Soup`` that block the thread; see ``Soup/blocking``.
  ///
  /// ```swift
  /// let message = try Soup.blocking.first(of: inbox.call(), backlog.call())
  /// ```
  public struct Blocking: Sendable {
    /// Calls several names, and blocks the thread until one of the calls has its reply.
    ///
    /// - Throws: as `Soup.first(of:)`, except ``CallError/cancelled``.
    /// - Complexity: as `Soup.first(of:)`.
    @available(*, noasync, message: "await first(of:) instead of blocking a thread of Swift concurrency")
    public func first<Result>(
      of branches: Branch<Result>..., within limit: Duration? = nil, preferring preference: Preference = .none,
      file: StaticString = #fileID, line: UInt = #line
    ) throws(CallError) -> Result {
      try first(of: branches, within: limit, preferring: preference, file: file, line: line)
    }

    /// Calls the names of an array, and blocks the thread until one of the calls has its reply.
    @available(*, noasync, message: "await first(of:) instead of blocking a thread of Swift concurrency")
    public func first<Result>(
      of branches: [Branch<Result>], within limit: Duration? = nil, preferring preference: Preference = .none,
      file: StaticString = #fileID, line: UInt = #line
    ) throws(CallError) -> Result {
      let source = StaticSource(file, line)
      do throws(CallError) {
        let (waiting, open) = try SelectContents.begin(branches, preference, at: source) {
          .deadlock(blocking: $0, at: source)
        }
        waiting.waitBlocking(within: limit, file, line)
        return try waiting.result(of: open)
      } catch {
        throw error.of(branches.map(\.name), file, line)
      }
    }
  }
}
