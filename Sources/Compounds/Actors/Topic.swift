public import Crucible

/// Delivers published values to all subscribers.
///
/// ```swift
/// let prices = Topic<Price>("prices")
/// let subscription = try prices.subscribe { price in show(price) }
/// prices.publish(Price(42))
/// await subscription.end()        // from now on the closure runs no more
/// ```
///
/// The definition. One name carries the values and the changes of the subscribers, so they keep their order. Each
/// subscriber is a small soup of its own, so a slow one holds up no other:
///
/// ```
/// soup.react(state: subscribers, news) { all, news in /* a value: */ for delivery in all { delivery(value) } }
/// soup.react(state: isActive, delivery) { isActive, value in if isActive { try handle(value) } }
/// soup.react(state: isActive, end) { isActive, call in isActive = false; call.reply() }
/// ```
///
/// Each subscriber gets the values one at a time, in the order in which the topic took them. It gets all that are
/// published after `subscribe` has returned. If a subscriber throws, the `onError` of its
/// options gets the error, and the subscriber gets the next value.
///
/// Subscribers have no limit: values that a slow subscriber has not handled wait in its bag. While the topic is paused,
/// values and changes wait, and no call blocks. A restart of the topic's soup keeps the subscribers.
///
/// A subscriber that keeps its topic, directly or by an object, keeps both for ever. It captures `prices.weak` instead:
/// a copy that does not own.
///
/// - Complexity: O(subscribers) for a value.
public struct Topic<Value: Sendable>: Compound {
  public let control: Soup.Control
  @usableFromInline let news: Injector<News>

  @usableFromInline
  enum News: Sendable {
    case value(Value)
    case change(Change)
  }

  /// A subscriber that comes or goes.
  @usableFromInline
  final class Change: Sendable {
    @usableFromInline let delivery: Injector<Value>
    @usableFromInline let isComing: Bool

    @inlinable init(_ delivery: Injector<Value>, isComing: Bool) {
      self.delivery = delivery
      self.isComing = isComing
    }
  }

  /// The subscribers, which a restart keeps. Only one body has them at a time, because they are a state.
  @usableFromInline
  final class Subscribers: @unchecked Sendable {
    @usableFromInline var deliveries = Ordered<Injector<Value>, Void>()

    @inlinable init() {}
  }

  /// Makes a topic without a subscriber.
  @inlinable
  public init(
    _ label: String = "topic", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    (news, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let news = soup.slow("news", of: News.self)
      let subscribers = Subscribers()
      let state = soup.state("subscribers") { subscribers }

      soup.react(state: state, news, on: .inline) { subscribers, news in
        switch news {
        case .value(let value):
          for delivery in subscribers.deliveries.keys { delivery(value) }
        case .change(let change):
          if change.isComing {
            subscribers.deliveries.insert((), change.delivery)
          } else {
            subscribers.deliveries.removeValue(forKey: change.delivery)
          }
        }
      }
      return (news, soup.control)
    }
  }

  /// Delivers a value to the subscribers, and returns at once.
  ///
  /// - Returns: false if the topic has been stopped.
  /// - Complexity: O(subscribers). Does not wait for them.
  @inlinable @discardableResult
  public func publish(_ value: Value) -> Bool { news(.value(value)) }

  /// Has the closure get each value that is published from now on.
  ///
  /// The closure runs on the placement of the options. The subscription lasts until the program ends it, or until the
  /// topic is stopped or gone. The program may drop the result.
  ///
  /// A closure that is placed `.inline` runs while the topic hands out the value. It may publish, subscribe and cancel
  /// subscriptions of the same topic.
  ///
  /// - Throws: `CallError.stopped` if the topic has been stopped, because it would never deliver anything.
  /// - Complexity: O(1), and a soup. Does not wait.
  @inlinable @discardableResult
  public func subscribe(
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    _ handle: @escaping @Sendable (Value) throws -> Void
  ) throws(CallError) -> Subscription {
    try subscribe(options, file, line) { soup, isActive, delivery in
      soup.react(state: isActive, delivery) { isActive, value in if isActive { try handle(value) } }
    }
  }

  /// Has an `async` closure get each value that is published from now on, one at a time.
  ///
  /// ```swift
  /// try prices.subscribe { price in try await store.write(price) }
  /// ```
  ///
  /// Otherwise it is like the form whose closure does not suspend. The next value comes when the
  /// closure has ended.
  ///
  /// - Throws: `CallError.stopped` if the topic has been stopped.
  /// - Complexity: O(1), and a soup. Each value makes a task.
  @inlinable @discardableResult
  public func subscribe(
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    _ handle: @escaping @Sendable (Value) async throws -> Void
  ) throws(CallError) -> Subscription {
    try subscribe(options, file, line) { soup, isActive, delivery in
      soup.react(state: isActive, delivery) { isActive, value async throws in if isActive { try await handle(value) } }
    }
  }

  /// Has a closure on the main actor get each value that is published from now on.
  ///
  /// ```swift
  /// try prices.subscribe(on: .main) { price in label.show(price) }
  /// ```
  ///
  /// - Throws: `CallError.stopped` if the topic has been stopped.
  /// - Complexity: O(1), and a soup. A value from another thread makes a task.
  @inlinable @discardableResult
  public func subscribe(
    on place: MainPlacement, options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    _ handle: @escaping @MainActor @Sendable (Value) throws -> Void
  ) throws(CallError) -> Subscription {
    try subscribe(options, file, line) { soup, isActive, delivery in
      soup.react(state: isActive, delivery, on: place) { isActive, value in if isActive { try handle(value) } }
    }
  }

  @inlinable
  func subscribe(
    _ options: Soup.Options, _ file: StaticString, _ line: UInt,
    _ declare: (Soup, Soup.State<Bool>, Injector<Value>) -> Void
  ) throws(CallError) -> Subscription {
    let (delivery, end, subscriber) = Soup.define("subscriber", with: options, file: file, line: line) { soup in
      let delivery = soup.slow("delivery", of: Value.self)
      let end = soup.fast("end", returning: Void.self)
      let isActive = soup.state("is active", true)

      declare(soup, isActive, delivery)
      soup.react(state: isActive, end) { isActive, call in
        isActive = false
        call.reply()
      }
      return (delivery, end, soup.control)
    }
    if !news(.change(Change(delivery, isComing: true))) { throw .stopped }
    return Subscription(end: end, control: subscriber) { [news = news.weak] in
      news(.change(Change(delivery, isComing: false)))
    }
  }

  /// Has an agent handle the values that are published from now on. The members of a pool share the values: each value
  /// goes to an idle member.
  ///
  /// - Throws: `CallError.stopped` if the topic has been stopped.
  @inlinable @discardableResult
  public func subscribe<Object>(
    _ recipient: some Recipient<Object>, file: StaticString = #fileID, line: UInt = #line,
    _ handle: @escaping @Sendable (inout Object, Value) throws -> Void
  ) throws(CallError) -> Subscription {
    try subscribe(options: .init(placement: .inline), file: file, line: line) { value in
      recipient.send { object in try handle(&object, value) }
    }
  }
}
