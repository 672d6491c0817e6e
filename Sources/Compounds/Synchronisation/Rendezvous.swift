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
///   if !l.reply(r.input, with: r, l.input) { /* the one that still waits meets another */ }
/// }
/// ```
///
/// Both callers get the value of the other one, or neither does. If a caller gives up while it waits, its call is
/// withdrawn. If it gives up at the moment in which two meet, the other one waits for another partner.
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
      let leftAgain = soup.slow("left again", of: Call<Left, Right>.self)
      let rightAgain = soup.slow("right again", of: Call<Right, Left>.self)

      @Sendable func meet(_ l: Call<Left, Right>, _ r: Call<Right, Left>) {
        if l.reply(r.input, with: r, l.input) { return }
        if l.isAwaited { leftAgain(l) }
        if r.isAwaited { rightAgain(r) }
      }
      soup.react(left, right, on: .inline, meet)
      soup.react(left, rightAgain, on: .inline, meet)
      soup.react(leftAgain, right, on: .inline, meet)
      soup.react(leftAgain, rightAgain, on: .inline, meet)

      return (left, right, soup.control)
    }
  }
}
