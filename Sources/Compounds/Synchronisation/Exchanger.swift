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
///   if !a.reply(b.input, with: b, a.input) { /* the one that still waits meets another: */ again(a or b) }
/// }
/// ```
///
/// Both callers get the value of the other one, or neither does. If a caller gives up while it waits, its call is
/// withdrawn. If it gives up at the moment in which two meet, the other one waits for another partner (`again`).
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
        if a.reply(b.input, with: b, a.input) { return }
        for call in [a, b] where call.isAwaited { again(call) }
      }
      soup.react(exchange, exchange, on: .inline, meet)
      soup.react(exchange, again, on: .inline, meet)
      soup.react(again, again, on: .inline, meet)

      return (exchange, soup.control)
    }
  }
}
