public import Crucible

extension Channel {
  /// Sends a value if the channel has room for it.
  ///
  /// ```swift
  /// if !lines.trySend("hello") { print("the channel is full, or closed") }
  /// ```
  ///
  /// - Returns: false if the channel is full, closed or stopped. Then the value was not sent. An unbuffered channel is
  ///   full unless a receiver waits. It may also seem full while another sender meets a receiver.
  /// - Complexity: O(1). Waits for bodies of the channel on other threads only, so it is fine wherever a lock is.
  @discardableResult
  public func trySend(_ value: Element) -> Bool {
    if isUnbuffered { return (try? send.blocking(value, within: .zero)) != nil }
    return (try? attempt.blocking(.send(value)))?.succeeded ?? false
  }

  /// Receives a value if one is there.
  ///
  /// ```swift
  /// while let line = lines.tryReceive() { print(line) }
  /// ```
  ///
  /// - Returns: `nil` if the channel is empty or stopped. Then nothing was received. An unbuffered channel is empty
  ///   unless a sender waits. It may also seem empty while a sender meets another receiver.
  /// - Complexity: as ``trySend(_:)``.
  public func tryReceive() -> Element? {
    if isUnbuffered { return (try? receive.blocking(within: .zero)) ?? nil }
    return (try? attempt.blocking(.receive))?.element
  }

  /// Closes the channel. Senders that wait, or come later, get ``ChannelClosed``. Receivers get the values that were
  /// sent before, then `nil`.
  ///
  /// - Returns: false if the channel had been closed or stopped.
  /// - Complexity: as ``trySend(_:)``, and O(callers that wait).
  @discardableResult
  public func close() -> Bool { (try? attempt.blocking(.close))?.succeeded ?? false }

  /// Waits while the channel is empty, and returns all values that wait in it, the oldest first; none once the channel
  /// is closed and empty.
  ///
  /// ```swift
  /// for line in try await lines.receiveAll() { print(line) }
  /// ```
  ///
  /// Does not take the values of senders that wait for room or for a receiver. Suspends the task.
  ///
  /// - Throws: `CallError.timedOut`, `CallError.cancelled`, `CallError.stopped`.
  /// - Complexity: O(values).
  nonisolated(nonsending)
    public func receiveAll(
      within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> [Element]
  {
    try await all(after: receive.call((), upTo: limit, file, line))
  }

  func all(after first: Element?) -> [Element] {
    guard let first else { return [] }
    return [first] + ((try? attempt.blocking(.receiveAll))?.rest ?? [])
  }
}

extension Blocking {
  /// Blocks the thread until the channel has a value; see ``Channel/receiveAll(within:file:line:)``.
  @available(*, noasync, message: "await receiveAll(within:) instead of blocking a thread of Swift concurrency")
  public func receiveAll<Element>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) -> [Element] where Blocked == Channel<Element> {
    compound.all(after: try compound.receive.callBlocking((), upTo: limit, file, line))
  }
}
