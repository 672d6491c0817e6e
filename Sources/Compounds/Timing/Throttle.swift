public import Crucible

/// Acts on the first value at once, and then at most once in an interval, on the latest value.
///
/// ```swift
/// let report = Throttle<Int>(every: .seconds(1)) { progress in await draw(progress) }
/// for step in steps { report.send(step) }
/// ```
///
/// The definition:
///
/// ```
/// soup.react(state: latest, send) { latest, value in /* act, or keep it until the interval is over */ }
/// soup.react(state: latest, over) { latest, _ in /* act on what was kept */ }
/// soup.react(state: turn, act) { _, value in await action(value) }
/// ```
///
/// The actions run one after the other. When the compound is gone, a value that it keeps is dropped.
///
/// - Complexity: O(1), and a timer for each action.
public struct Throttle<Value: Sendable>: Compound {
  /// Sends a value. Does not block.
  public let send: Injector<Value>
  public let control: Soup.Control

  @usableFromInline
  struct Latest {
    @usableFromInline var value: Value?
    @usableFromInline var isOpen = true

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
    (send, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let send = soup.slow("send", of: Value.self)
      let over = soup.slow("over")
      let act = soup.slow("act", of: Value.self)
      let latest = soup.state("latest") { Latest() }
      let turn = soup.state("turn", 0)

      soup.react(state: latest, send, on: .inline) { latest, value in
        if latest.isOpen {
          latest.isOpen = false
          over.after(interval)
          act(value)
        } else {
          latest.value = value
        }
      }
      soup.react(state: latest, over, on: .inline) { latest, _ in
        if let value = latest.value {
          latest.value = nil
          over.after(interval)
          act(value)
        } else {
          latest.isOpen = true
        }
      }
      soup.react(state: turn, act) { _, value async throws in try await action(value) }

      return (send, soup.control)
    }
  }
}
