public import Crucible

/// Lets two callers swap values.
///
/// ```swift
/// let exchanger = Exchanger<Buffer>()
/// full = try await exchanger.exchange(empty)      // in one task
/// empty = try await exchanger.exchange(full)      // in another
/// ```
///
/// The definition. Two calls of one name meet:
///
/// ```
/// soup.react(exchange, exchange) { a, b in
///   if a.reply(b.input) { b.reply(a.input) } else { again(b) }
/// }
/// ```
///
/// If a caller gives up while it waits, its call is withdrawn. If the first of two gives up at the moment in which they
/// meet, the second one waits for another partner (`again`). If the second one gives up, the first has got its value,
/// and the first one's value is dropped.
///
/// - Complexity: O(1).
public struct Exchanger<Value: Sendable>: Compound {
  /// Waits for a partner, hands it the value, and returns the partner's.
  public let exchange: FastInjector<Value, Value>
  public let control: Soup.Control

  /// Makes an exchanger.
  @inlinable
  public init(
    _ label: String = "exchanger", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    (exchange, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let exchange = soup.fast("exchange", of: Value.self, returning: Value.self)
      let again = soup.slow("again", of: Call<Value, Value>.self)

      @Sendable func meet(_ a: Call<Value, Value>, _ b: Call<Value, Value>) {
        if a.reply(b.input) { b.reply(a.input) } else { again(b) }
      }
      soup.react(exchange, exchange, on: .inline, meet)
      soup.react(exchange, again, on: .inline, meet)
      soup.react(again, again, on: .inline, meet)

      return (exchange, soup.control)
    }
  }
}
