public import Crucible

/// Acts on the first value at once, and then at most once in an interval, on the latest value.
///
/// ```swift
/// let report = Throttle<Int>(every: .seconds(1)) { progress in await draw(progress) }
/// for step in steps { report.send(step) }
/// report.flush()                           // the last step, now
/// ```
///
/// The definition. The next action needs both: the interval is `over`, and the action has `ended`:
///
/// ```
/// soup.react(state: latest, send) { latest, value in /* act, or keep it, or flush: end the interval */ }
/// soup.react(act) { value in await action(value); ended() }
/// soup.react(state: latest, ended, over) { latest, _, _ in /* act on what was kept */ }
/// ```
///
/// The actions run one after the other. If an action is slower than the interval, the next one begins when it has
/// ended, on the latest value. A drain acts on a value that is kept before it ends. A stop drops the value, and counts
/// it. When the compound is gone, a value that it keeps is dropped.
///
/// - Complexity: O(1), and a timer for each action.
public struct Throttle<Value: Sendable>: Compound {
  /// Values, and flushes as nil: one name, because the values of one name keep their order.
  @usableFromInline let input: Injector<Value?>
  public let control: Soup.Control

  @usableFromInline
  struct Latest {
    @usableFromInline var value: Value?
    @usableFromInline var isOpen = true
    @usableFromInline var timer: Soup.Timer?
    /// Whether intervals last no time, because a drain waits for their values.
    @usableFromInline var isDraining = false

    @inlinable init() {}
  }

  /// Makes a compound that acts at most once in an interval, by the clock of the options.
  ///
  /// `action` runs on the placement of the options.
  @inlinable
  public init(
    every interval: Duration, _ label: String = "throttle", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, _ action: @escaping @Sendable (Value) async throws -> Void
  ) {
    (input, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let send = soup.slow("send", of: Value?.self)
      let draining = soup.slow("draining")
      let over = soup.slow("over")
      let ended = soup.slow("ended")
      let act = soup.slow("act", of: Value.self)
      let latest = soup.state("latest", holding: { $0.value == nil ? 0 : 1 }) { Latest() }

      // What a stop has refused stays in the state, where the stop counts it.
      @Sendable func begin(_ value: Value, _ latest: inout Latest) {
        if latest.isDraining { over() } else { latest.timer = over.after(interval) }
        if !act(value) { latest.value = value }
      }
      soup.react(state: latest, send, on: .inline) { latest, value in
        guard let value else {
          if latest.timer?.cancel() == true { over() }
          return
        }
        if !latest.isOpen {
          latest.value = value
          return
        }
        latest.isOpen = false
        begin(value, &latest)
      }
      soup.react(state: latest, ended, over, on: .inline) { latest, _, _ in
        latest.isOpen = latest.value == nil
        if let value = latest.value.take() { begin(value, &latest) }
      }
      soup.react(state: latest, draining, on: .inline) { latest, _ in
        latest.isDraining = true
        if latest.timer?.cancel() == true { over() }
      }
      soup.react(act) { value async throws in
        defer { ended() }
        try await action(value)
      }
      soup.whenDraining(draining)

      return (send, soup.control)
    }
  }

  /// Sends a value. Does not block. Returns false if the compound has been stopped, drains, or is gone.
  @inlinable
  @discardableResult
  public func send(_ value: Value) -> Bool { input(value) }

  /// Ends the interval now: acts on the value that is kept, once the action has ended. Does not block. Returns a result
  /// as ``send(_:)`` does.
  @inlinable
  @discardableResult
  public func flush() -> Bool { input(nil) }
}
