public import Crucible

extension Channel {
  /// Sends a value if the channel has room for it.
  ///
  /// ```swift
  /// if !lines.trySend("hello") { print("the channel is full, or closed") }
  /// ```
  ///
  /// - Returns: false if the channel is full, closed, paused or stopped. Then the value was not sent. An unbuffered
  ///   channel is full unless a receiver waits. It may also seem full while another sender meets a receiver.
  /// - Complexity: O(1). Waits for bodies of the channel on other threads only, so it is fine wherever a lock is.
  @discardableResult @inlinable
  public func trySend(_ value: Element) -> Bool {
    if isUnbuffered { return (try? send.blocking(value, within: .zero)) != nil }
    return (try? attempt.unlessPaused(.send(value), control))?.succeeded ?? false
  }

  /// Receives a value if one is there.
  ///
  /// ```swift
  /// while let line = lines.tryReceive() { print(line) }
  /// ```
  ///
  /// - Returns: `nil` if the channel is empty, paused or stopped. Then nothing was received. An unbuffered channel is
  ///   empty unless a sender waits. It may also seem empty while a sender meets another receiver.
  /// - Complexity: as ``trySend(_:)``.
  @inlinable
  public func tryReceive() -> Element? {
    if isUnbuffered { return (try? receive.blocking(within: .zero)) ?? nil }
    return (try? attempt.unlessPaused(.receive, control))?.element
  }

  /// Closes the channel. Senders that wait, or come later, get ``ChannelClosed``. Receivers get the values that were
  /// sent before, then `nil`. If the channel is paused, it is closed when the pause ends.
  ///
  /// - Returns: false if the channel had been closed or stopped. While the channel is paused, an earlier close is not
  ///   known.
  /// - Complexity: as ``trySend(_:)``, and O(callers that wait).
  @discardableResult
  public func close() -> Bool {
    do throws(CallError) {
      return try attempt.unlessPaused(.close, control).succeeded
    } catch {
      return error == .timedOut && closing()
    }
  }

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
    try await all(after: receive(within: limit, file: file, line: line))
  }

  /// Receives `count` values, and waits for each that is missing.
  ///
  /// ```swift
  /// let page = try await lines.receive(count: 40, within: .seconds(1))
  /// ```
  ///
  /// Other receivers may get values in between. Suspends the task.
  ///
  /// - Returns: fewer values if the channel is closed, or if the wait ends otherwise after some values have come: no
  ///   value is lost. None once the channel is closed and empty.
  /// - Throws: `CallError` if the wait ends before the first value: `.timedOut`, `.cancelled`, `.stopped`.
  /// - Complexity: O(values).
  nonisolated(nonsending)
    public func receive(
      count: Int, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> [Element]
  {
    madeAt.require("the number of values", count, in: 0...Int.max)
    let remaining = limit.map { clock.remaining(of: $0) }
    var values: [Element] = []
    while values.count < count {
      do throws(CallError) {
        guard let value = try await receive(within: remaining?(), file: file, line: line) else { break }
        values.append(value)
      } catch {
        if values.isEmpty { throw error }
        break
      }
    }
    return values
  }

  func all(after first: Element?) -> [Element] {
    guard let first else { return [] }
    return [first] + ((try? attempt.unlessPaused(.receiveAll, control))?.rest ?? [])
  }
}

extension Blocking {
  /// Blocks the thread until the channel has a value; see ``Channel/receiveAll(within:file:line:)``.
  @available(*, noasync, message: "await receiveAll(within:) instead of blocking a thread of Swift concurrency")
  public func receiveAll<Element>(
    within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) -> [Element] where Blocked == Channel<Element> {
    compound.all(after: try compound.receive.blocking(within: limit, file: file, line: line))
  }

  /// Receives `count` values, and blocks the thread for each that is missing; see
  /// ``Channel/receive(count:within:file:line:)``.
  ///
  /// ```swift
  /// let page = try lines.blocking.receive(count: 40, within: .seconds(1))
  /// ```
  @available(*, noasync, message: "await receive(count:) instead of blocking a thread of Swift concurrency")
  public func receive<Element>(
    count: Int, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) -> [Element] where Blocked == Channel<Element> {
    compound.madeAt.require("the number of values", count, in: 0...Int.max)
    let remaining = limit.map { compound.clock.remaining(of: $0) }
    var values: [Element] = []
    while values.count < count {
      do throws(CallError) {
        guard let value = try compound.receive.blocking(within: remaining?(), file: file, line: line) else { break }
        values.append(value)
      } catch {
        if values.isEmpty { throw error }
        break
      }
    }
    return values
  }
}
