public import Crucible

extension Topic {
  /// The right to end the delivery of a topic's values to one subscriber; see
  /// `Topic.subscribe`.
  ///
  /// ```swift
  /// let subscription = try prices.subscribe { price in show(price) }
  /// subscription.cancel()           // what was handed over is still handled
  /// await subscription.end()        // from now on the closure runs no more
  /// ```
  ///
  /// A program may drop this value: the subscription goes on.
  public struct Subscription: Sendable {
    let endDelivery: FastInjector<Void, Void>
    let leave: @Sendable () -> Void
    /// The control of the subscriber's soup, which shows the values that it has not yet handled.
    public let control: Soup.Control

    @usableFromInline
    init(end: FastInjector<Void, Void>, control: Soup.Control, leave: @escaping @Sendable () -> Void) {
      endDelivery = end
      self.control = control
      self.leave = leave
    }

    /// Ends the subscription, and waits until the subscriber's closure runs no more.
    ///
    /// The call drops values that were published before and are not yet handled. A second end does nothing.
    ///
    /// Blocks: suspends the task while the closure runs. A closure that ends its own subscription calls ``cancel()``.
    ///
    /// - Complexity: O(1), and what the subscriber has not handled.
    public func end() async {
      leave()
      // In a separate task, because a cancelled task would not wait.
      await Task { [endDelivery] in _ = try? await endDelivery() }.value
    }

    /// Ends the subscription, and returns at once. The closure still gets the values that the topic has already handed
    /// over.
    ///
    /// If the topic is paused, the subscription ends when the pause does.
    ///
    /// - Complexity: O(1). Does not wait.
    public func cancel() { leave() }
  }
}

extension Topic.Subscription {
  /// The waiting call of a subscription in the form that blocks the thread: write `.blocking` before the call instead
  /// of `await`.
  ///
  /// ```swift
  /// try subscription.blocking.end()
  /// ```
  public var blocking: Blocking { Blocking(subscription: self) }

  /// The waiting call of a ``Topic/Subscription`` that blocks the thread; see ``Topic/Subscription/blocking``.
  ///
  /// ```swift
  /// let subscription = try prices.subscribe { price in show(price) }
  /// try subscription.blocking.end()
  /// ```
  public struct Blocking: Sendable {
    let subscription: Topic.Subscription

    /// Ends the subscription, and blocks the thread until the subscriber's closure runs no more; see
    /// ``Topic/Subscription/end()``.
    ///
    /// - Throws: `CallError.failed` with `Deadlock` if a closure ends its own subscription in this way. It still gets
    ///   the values that the topic has handed over, as after ``Topic/Subscription/cancel()``.
    /// - Complexity: as ``Topic/Subscription/end()``.
    @available(*, noasync, message: "await end() instead of blocking a thread of Swift concurrency")
    public func end(file: StaticString = #fileID, line: UInt = #line) throws(CallError) {
      subscription.leave()
      do throws(CallError) {
        try subscription.endDelivery.blocking(file: file, line: line)
      } catch {
        if case .failed = error { throw error }
      }
    }
  }
}
