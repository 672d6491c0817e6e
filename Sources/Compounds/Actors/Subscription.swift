public import Crucible

/// The right to end the delivery of a topic's values to one subscriber; see ``Topic/subscribe(options:file:line:_:)``.
///
/// ```swift
/// let subscription = try prices.subscribe { price in show(price) }
/// subscription.cancel()           // what was handed over is still handled
/// await subscription.end()        // from now on the closure runs no more
/// ```
///
/// It may be dropped: the subscription goes on.
public struct Subscription: Sendable {
  let endDelivery: FastInjector<Void, Void>
  let leave: @Sendable () -> Void
  /// Looks at the subscriber's soup: what it has not yet handled.
  public let control: Soup.Control

  init(end: FastInjector<Void, Void>, control: Soup.Control, leave: @escaping @Sendable () -> Void) {
    endDelivery = end
    self.control = control
    self.leave = leave
  }

  /// Ends the subscription, and waits until the subscriber's closure runs no more.
  ///
  /// What was published before and not yet handled is dropped. A second end does nothing.
  ///
  /// Blocks: suspends the task while the closure runs. A closure that ends its own subscription calls ``cancel()``.
  ///
  /// - Complexity: O(1), and what the subscriber has not handled.
  public func end() async {
    leave()
    // In a task of its own: a task that is cancelled would not wait.
    await Task { [endDelivery] in _ = try? await endDelivery() }.value
  }

  /// Ends the subscription, and goes on at once: what the topic has handed over already is still handled.
  ///
  /// - Complexity: O(1). Waits for bodies of the topic on other threads only.
  public func cancel() { leave() }
}
