public import Crucible

/// Lets two kinds of callers meet in pairs, one of each kind, and swap values.
///
/// ```swift
/// let desk = Rendezvous<Order, Receipt>()
/// let answer = try await desk.left(order)       // a customer gets a receipt
/// let task = try await desk.right(receipt)      // a clerk gets an order
/// ```
///
/// The definition:
///
/// ```
/// soup.react(left, right) { l, r in
///   if l.reply(r.input) { r.reply(l.input) } else { again(r) }
/// }
/// ```
///
/// If a caller gives up while it waits, its call is withdrawn. If the left caller gives up at the moment in which they
/// meet, the right one waits for another partner (`again`). If the right one gives up then, the left one has got its
/// value, and the left one's value is dropped.
///
/// - Complexity: O(1).
public struct Rendezvous<Left: Sendable, Right: Sendable>: Compound {
  /// Waits for a caller on the right, hands it the value, and returns the other's.
  public let left: FastInjector<Left, Right>
  /// Waits for a caller on the left, hands it the value, and returns the other's.
  public let right: FastInjector<Right, Left>
  public let control: Soup.Control

  /// Makes a rendezvous.
  @inlinable
  public init(
    _ label: String = "rendezvous", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    (left, right, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let left = soup.fast("left", of: Left.self, returning: Right.self)
      let right = soup.fast("right", of: Right.self, returning: Left.self)
      let again = soup.slow("again", of: Call<Right, Left>.self)

      @Sendable func meet(_ l: Call<Left, Right>, _ r: Call<Right, Left>) {
        if l.reply(r.input) { r.reply(l.input) } else { again(r) }
      }
      soup.react(left, right, on: .inline, meet)
      soup.react(left, again, on: .inline, meet)

      return (left, right, soup.control)
    }
  }
}
