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
/// The definition. Each subscriber is a small soup of its own, so a slow one holds up no other:
///
/// ```
/// soup.react(state: subscribers, publish) { all, value in for delivery in all { delivery(value) } }
/// soup.react(state: isActive, delivery) { isActive, value in if isActive { try handle(value) } }
/// soup.react(state: isActive, end) { isActive, call in isActive = false; call.reply() }
/// ```
///
/// Each subscriber gets the values one at a time, in the order in which the topic took them. It gets all that are
/// published after ``subscribe(options:file:line:_:)`` has returned. If a subscriber throws, the `onError` of its
/// options gets the error, and the subscriber gets the next value.
///
/// Subscribers have no limit: values that a slow subscriber has not handled wait in its bag.
///
/// - Complexity: O(subscribers) for a value.
public struct Topic<Value: Sendable>: Compound {
  public let control: Soup.Control
  let publishing: Injector<Value>
  let change: FastInjector<Change, Int>

  enum Change: Sendable {
    case add(Injector<Value>)
    case remove(Int)
  }

  struct Subscribers {
    var deliveries: [Int: Injector<Value>] = [:]
    var count = 0
  }

  /// Makes a topic without a subscriber.
  public init(
    _ label: String = "topic", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    (publishing, change, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let publishing = soup.slow("publish", of: Value.self)
      let change = soup.fast("change", of: Change.self, returning: Int.self)
      let subscribers = soup.state("subscribers") { Subscribers() }

      soup.react(state: subscribers, publishing, on: .inline) { subscribers, value in
        for delivery in subscribers.deliveries.values { delivery(value) }
      }
      soup.react(state: subscribers, change, on: .inline) { subscribers, call in
        switch call.input {
        case .add(let delivery):
          subscribers.count += 1
          subscribers.deliveries[subscribers.count] = delivery
          call.reply(subscribers.count)
        case .remove(let number):
          subscribers.deliveries[number] = nil
          call.reply(number)
        }
      }
      return (publishing, change, soup.control)
    }
  }

  /// Delivers a value to the subscribers, and returns at once.
  ///
  /// - Returns: false if the topic has been stopped.
  /// - Complexity: O(subscribers). Does not wait for them.
  @discardableResult
  public func publish(_ value: Value) -> Bool { publishing(value) }

  /// Has the closure get each value that is published from now on.
  ///
  /// The closure runs on the placement of the options. The subscription lasts until the program ends it, or until the
  /// topic is stopped or gone. The program may drop the result.
  ///
  /// A closure that is placed `.inline` runs while the topic hands out the value. It may publish. It must not
  /// subscribe, nor cancel a subscription of the same topic: that call would wait for its own thread.
  ///
  /// - Throws: `CallError.stopped` if the topic has been stopped, because it would never deliver anything.
  /// - Complexity: O(1), and a soup. Waits for bodies of the topic on other threads only.
  @discardableResult
  public func subscribe(
    options: Soup.Options = Soup.Options(), file: StaticString = #fileID, line: UInt = #line,
    _ handle: @escaping @Sendable (Value) throws -> Void
  ) throws(CallError) -> Subscription {
    let (delivery, end, subscriber) = Soup.define("subscriber", with: options, file: file, line: line) { soup in
      let delivery = soup.slow("delivery", of: Value.self)
      let end = soup.fast("end", returning: Void.self)
      let isActive = soup.state("is active", true)

      soup.react(state: isActive, delivery) { isActive, value in if isActive { try handle(value) } }
      soup.react(state: isActive, end) { isActive, call in
        isActive = false
        call.reply()
      }
      return (delivery, end, soup.control)
    }
    let number = try change.blocking(.add(delivery), file: file, line: line)
    return Subscription(end: end, control: subscriber) { [change = change.weak] in
      _ = try? change.blocking(.remove(number))
    }
  }

  /// Has an agent handle the values that are published from now on. The members of a pool share the values: each value
  /// goes to an idle member.
  ///
  /// - Throws: `CallError.stopped` if the topic has been stopped.
  @discardableResult
  public func subscribe<Object>(
    _ recipient: some Recipient<Object>, file: StaticString = #fileID, line: UInt = #line,
    _ handle: @escaping @Sendable (inout Object, Value) throws -> Void
  ) throws(CallError) -> Subscription {
    try subscribe(options: .init(placement: .inline), file: file, line: line) { value in
      recipient.send { object in try handle(&object, value) }
    }
  }
}
