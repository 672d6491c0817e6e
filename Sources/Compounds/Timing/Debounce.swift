public import Crucible

/// Acts on a value once no other has come for some time.
///
/// ```swift
/// let search = Debounce<String>(for: .milliseconds(300)) { text in await show(results(of: text)) }
/// field.onChange { search.send($0) }
/// ```
///
/// The definition. Each value arms a timer, and only the last timer counts:
///
/// ```
/// soup.react(state: last, send) { last, value in last.count += 1; last.value = value; due.after(time, last.count) }
/// soup.react(state: last, due) { last, count in if count == last.count { act(last.value) } }
/// soup.react(state: turn, act) { _, value in await action(value) }
/// ```
///
/// The actions run one after the other. When the compound is gone, a value whose time is not over is dropped.
///
/// - Complexity: O(1), and a timer for each value.
public struct Debounce<Value: Sendable>: Compound {
  /// Sends a value. It replaces the one before if the time of that one is not over. Does not block.
  public let send: Injector<Value>
  public let control: Soup.Control

  @usableFromInline
  struct Last {
    @usableFromInline var count = 0
    @usableFromInline var value: Value?
    @usableFromInline var timer: Soup.Timer?

    @inlinable init() {}
  }

  /// Makes a compound that acts on a value after that time, by the clock of the options.
  ///
  /// `action` runs on the placement of the options.
  @inlinable
  public init(
    for time: Duration, _ label: String = "debounce", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line, _ action: @escaping @Sendable (Value) async throws -> Void
  ) {
    (send, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let send = soup.slow("send", of: Value.self)
      let due = soup.slow("due", of: Int.self)
      let act = soup.slow("act", of: Value.self)
      let last = soup.state("last") { Last() }
      let turn = soup.state("turn", 0)

      soup.react(state: last, send, on: .inline) { last, value in
        last.count += 1
        last.value = value
        last.timer?.cancel()
        last.timer = due.after(time, last.count)
      }
      soup.react(state: last, due, on: .inline) { last, count in
        guard count == last.count, let value = last.value else { return }
        last.value = nil
        act(value)
      }
      soup.react(state: turn, act) { _, value async throws in try await action(value) }

      return (send, soup.control)
    }
  }
}
