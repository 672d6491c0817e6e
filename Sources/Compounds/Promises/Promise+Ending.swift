public import Crucible

extension Promise {
  /// Rejects the promise with `CancellationError`, and cancels the task of its work, if it runs.
  ///
  /// If the promise is settled already, it cancels only the work that still runs. Promises that
  /// ``then(_:options:file:line:_:)`` made of this one are rejected as well.
  ///
  /// - Returns: whether this call settled the promise.
  /// - Complexity: as ``fulfil(_:)``.
  @discardableResult
  public func cancel() -> Bool {
    // In this order: work that has not begun finds the promise settled, and work that has begun is cancelled.
    let isFirst = reject(CancellationError())
    control.cancelBodies()
    return isFirst
  }

  /// Suspends the task until the work of the promise has ended, whatever its result; returns at once if it has none.
  ///
  /// - Throws: `CallError` if the wait ended otherwise.
  nonisolated(nonsending)
    public func join(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError)
  {
    try await end?(within: limit, file: file, line: line)
  }

  /// Cancels the promise and suspends the task until its work has ended.
  ///
  /// ```swift
  /// let watch = Promise { while true { try await look() } }
  /// try await watch.cancelAndJoin(within: .seconds(1))
  /// ```
  ///
  /// - Throws: as ``join(within:file:line:)``.
  nonisolated(nonsending)
    public func cancelAndJoin(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError)
  {
    cancel()
    try await join(within: limit, file: file, line: line)
  }
}

extension Blocking {
  /// Blocks the thread until the work of a promise has ended, whatever its result; see
  /// ``Promise/join(within:file:line:)``.
  ///
  /// ```swift
  /// let page = Promise { try await load(url) }
  /// try page.blocking.join(within: .seconds(1))
  /// ```
  ///
  /// The work must not wait for itself.
  @available(*, noasync, message: "await join(within:) instead of blocking a thread of Swift concurrency")
  public func join<Value>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) where Blocked == Promise<Value> {
    try compound.end?.blocking(within: limit, file: file, line: line)
  }

  /// Cancels a promise, and blocks the thread until its work has ended; see
  /// ``Promise/cancelAndJoin(within:file:line:)``.
  @available(*, noasync, message: "await cancelAndJoin(within:) instead of blocking a thread of Swift concurrency")
  public func cancelAndJoin<Value>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) where Blocked == Promise<Value> {
    compound.cancel()
    try join(within: limit, file: file, line: line)
  }
}

extension Promise where Value == Void {
  /// Makes a promise that is fulfilled once the delay is over, by the clock of the options.
  ///
  /// ```swift
  /// let reminder = Promise.after(.seconds(60)).then { remind() }
  /// reminder.cancel()
  /// ```
  ///
  /// - Complexity: O(1), and a timer.
  public static func after(
    _ delay: Duration, _ label: String = "delay", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) -> Promise {
    Promise(after: delay, label, options, file, line)
  }

  private init(after delay: Duration, _ label: String, _ options: Soup.Options, _ file: StaticString, _ line: UInt) {
    (value, outcome, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let (value, outcome) = Self.declare(in: soup)
      let due = soup.slow("due")
      soup.react(due, on: .inline) { _ in outcome(.success(())) }
      due.after(delay)
      return (value, outcome, soup.control)
    }
    end = nil
  }
}
