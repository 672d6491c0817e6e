public import Crucible

/// Delivers the values of each topic to its subscribers, which read them at their own pace.
///
/// ```swift
/// let prices = PubSub<String, Price>()
/// let subscription = try await prices.subscribe(to: "ACME", buffer: 16, whenFull: .dropOldest)
/// Task { for try await price in subscription { show(price) } }
/// try await prices.publish(Price(), to: "ACME", within: .seconds(1))
/// ```
///
/// The definition. Each topic has its subscribers. A publisher that must wait is a molecule of its own:
///
/// ```
/// soup.react(state: topic, publish) { topic, call in /* deliver; if one is full that is waited for: waiting(call) */ }
/// soup.react(state: topic, taken) { topic, reader in /* there is room: if publishers wait, next(topic) */ }
/// soup.react(state: topic, waiting, next) { topic, call, _ in /* deliver */ }
/// soup.react(state: topic, leave) { topic, reader in /* remove it; there may be room as well */ }
/// ```
///
/// All subscribers of a topic get its values in the same order, each from the moment at which `subscribe` returns. Each
/// has a ``Channel`` of its own, so a slow one holds up no other, unless ``WhenFull/wait`` says so. A ``Topic`` is for
/// subscribers that are closures. It is one topic, never waits for a subscriber, and has no limit.
///
/// A subscription ends when its last copy, iterators included, is gone, as after a loop that was left or whose task was
/// cancelled. Topics without subscribers take no memory.
///
/// After a drain, a stop, or the end of the compound, each loop gets the values that were delivered before, and then
/// ends. Publishers that wait get `CallError.stopped`. Reports count the subscribers. A restart begins without them.
///
/// - Complexity: O(subscribers of the topic) for a value.
public struct PubSub<Key: Hashable & Sendable, Value: Sendable>: Compound {
  /// The fate of a value that is published while the buffer of a subscriber is full.
  public enum WhenFull: Sendable {
    /// Its publisher waits, and with it those that publish to the topic after it. No subscriber has the value then.
    case wait
    /// The oldest value in the buffer is dropped.
    case dropOldest
    /// The new value is dropped for this subscriber.
    case dropNewest
    /// The subscription ends. Its loop gets the values in the buffer, and then throws ``SubscriberTooSlow``.
    case end
  }

  @usableFromInline typealias Post = (topic: Key, value: Value)
  @usableFromInline typealias Reader = (topic: Key, id: FastInjector<Value, Void>)

  @usableFromInline
  struct Subscriber: Sendable {
    @usableFromInline let topic: Key
    @usableFromInline let inbox: Channel<Value>
    @usableFromInline let whenFull: WhenFull
    /// The number of values for which the buffer has room, of a subscriber that is waited for.
    @usableFromInline var room: Int
    @usableFromInline var missed = 0
    @usableFromInline var isOver = false

    @inlinable
    init(topic: Key, inbox: Channel<Value>, whenFull: WhenFull, room: Int) {
      (self.topic, self.inbox, self.whenFull, self.room) = (topic, inbox, whenFull, room)
    }

    @inlinable var isFull: Bool { whenFull == .wait && room == 0 && !isOver }
  }

  @usableFromInline
  struct Topic {
    @usableFromInline var subscribers = Ordered<FastInjector<Value, Void>, Subscriber>()
    /// Whether publishers wait, or have waited until now.
    @usableFromInline var isQueued = false
    /// Whether one of them is about to be served.
    @usableFromInline var isServing = false

    @inlinable init() {}

    @inlinable var isFull: Bool { subscribers.values.contains { $0.isFull } }

    @inlinable
    mutating func deliver(_ value: Value) {
      for index in subscribers.values.indices { deliver(value, to: &subscribers.values[index]) }
    }

    @inlinable
    func deliver(_ value: Value, to subscriber: inout Subscriber) {
      subscriber.room -= 1
      if subscriber.isOver || subscriber.inbox.trySend(value) { return }
      subscriber.missed += 1
      switch subscriber.whenFull {
      case .dropNewest: break
      case .dropOldest: while subscriber.inbox.tryReceive() != nil && !subscriber.inbox.trySend(value) {}
      case .wait, .end:  // one that is waited for has room, unless a clear has ended it
        subscriber.isOver = true
        subscriber.inbox.close()
      }
    }
  }

  /// What the soup has of a subscriber in a molecule, which a stop drops.
  @usableFromInline
  final class Presence: Sendable {
    @usableFromInline let inbox: Channel<Value>

    @inlinable init(_ inbox: Channel<Value>) { self.inbox = inbox }
    @inlinable deinit { inbox.closing() }
  }

  @usableFromInline let post: FastInjector<Post, Int>
  @usableFromInline let join: FastInjector<Subscriber, Void>
  @usableFromInline let status: FastInjector<Reader, Subscriber?>
  @usableFromInline let taken: Injector<Reader>, leave: Injector<Reader>
  @usableFromInline let madeAt: MadeAt
  public let control: Soup.Control

  /// Makes a compound without topics.
  @inlinable
  public init(
    _ label: String = "publications", options: Soup.Options = Soup.Options(), file: StaticString = #fileID,
    line: UInt = #line
  ) {
    madeAt = MadeAt("publications", label, file, line)
    (post, join, status, taken, leave, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let post = soup.fast("publish", of: Post.self, key: { $0.topic }, returning: Int.self)
      let join = soup.fast("subscribe", of: Subscriber.self, key: { $0.topic }, returning: Void.self)
      let status = soup.fast("status", of: Reader.self, key: { $0.topic }, returning: Subscriber?.self)
      let taken = soup.slow("taken", of: Reader.self, key: { $0.topic })
      let leave = soup.slow("leave", of: Reader.self, key: { $0.topic })
      let waiting = soup.slow("waiting", of: Call<Post, Int>.self, key: { $0.input.topic })
      let turn = soup.slow("turn", of: Key.self, key: { $0 })
      // Those that expire may have no partner: a publisher has just given up, or a clear has dropped the subscriber.
      let next = soup.slow("next", of: Key.self, key: { $0 }, expires: .seconds(1), into: turn)
      let gone = soup.slow("gone", of: FastInjector<Value, Void>.self, key: { $0 }, expires: .seconds(1))
      let topic = soup.state("topic", key: Key.self, forget: .when { $0.subscribers.values.isEmpty && !$0.isQueued }) {
        _ in
        Topic()
      }
      let subscriber = soup.slow("subscriber", of: Presence.self, key: { $0.inbox.send })
      let control = soup.control

      @Sendable func serve(_ topic: inout Topic, _ key: Key) {
        if !topic.isQueued || topic.isServing || topic.isFull { return }
        topic.isQueued = control.snapshot(of: key)[waiting] > 0
        topic.isServing = topic.isQueued && next(key)
      }
      soup.react(state: topic, post, on: .inline) { topic, call in
        if topic.isQueued || topic.isFull {
          topic.isQueued = true
          waiting(call)
        } else if call.reply(topic.subscribers.values.count) {
          topic.deliver(call.input.value)
        }
      }
      soup.react(state: topic, waiting, next, on: .inline) { topic, call, key in
        if call.reply(topic.subscribers.values.count) { topic.deliver(call.input.value) }
        topic.isServing = false
        serve(&topic, key)
      }
      soup.react(state: topic, turn, on: .inline) { topic, key in
        topic.isServing = false
        serve(&topic, key)
      }
      soup.react(state: topic, taken, on: .inline) { topic, reader in
        topic.subscribers[reader.id]?.room += 1
        serve(&topic, reader.topic)
      }
      soup.react(state: topic, join, on: .inline) { topic, call in
        let inbox = call.input.inbox
        if call.reply() && subscriber(Presence(inbox)) { topic.subscribers[inbox.send] = call.input }
      }
      soup.react(state: topic, leave, on: .inline) { topic, reader in
        if topic.subscribers.removeValue(forKey: reader.id) != nil { gone(reader.id) }
        serve(&topic, reader.topic)
      }
      soup.react(state: topic, status, on: .inline) { topic, call in call.reply(topic.subscribers[call.input.id]) }
      soup.react(subscriber, gone, on: .inline) { _, _ in }
      return (post, join, status, taken, leave, soup.control)
    }
  }

  /// Delivers a value to the subscribers of a topic. Waits while one of them is full that wants it so.
  ///
  /// - Returns: the number of subscribers.
  /// - Throws: `CallError` if the caller gives up, or the soup is stopped. Then no subscriber gets the value.
  @discardableResult
  @inlinable
  nonisolated(nonsending)
    public func publish(
      _ value: Value, to topic: Key, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> Int
  {
    try await post((topic, value), within: limit, file: file, line: line)
  }

  /// Begins a subscription, which gets the values that are published to the topic from now on.
  ///
  /// ```swift
  /// let subscription = try await PubSub<String, Price>().subscribe(to: "ACME", whenFull: .end)
  /// do { for try await price in subscription { show(price) } } catch is SubscriberTooSlow { print("read faster") }
  /// ```
  ///
  /// The topic need not exist. At most `buffer` values, 1 or more, wait for the loop; `whenFull` is for one more.
  ///
  /// - Throws: `CallError` if the caller gives up, or the soup is stopped.
  @inlinable
  nonisolated(nonsending)
    public func subscribe(
      to topic: Key, buffer: Int = 64, whenFull: WhenFull = .wait, file: StaticString = #fileID, line: UInt = #line
    ) async throws(CallError) -> Subscription
  {
    madeAt.require("the buffer", buffer, in: 1...Int.max)
    let inbox = Channel<Value>(.buffered(buffer), "subscription", file: file, line: line)
    let subscriber = Subscriber(topic: topic, inbox: inbox, whenFull: whenFull, room: buffer)
    let reading = Reading(subscriber, of: self)
    try await join(subscriber, file: file, line: line)
    return Subscription(reading: reading)
  }

  /// The values of one subscriber, in their order: for one loop at a time, or one by one.
  ///
  /// ```swift
  /// let subscription = try await PubSub<String, Price>().subscribe(to: "ACME", whenFull: .dropNewest)
  /// if let price = try await subscription.next() { print(price, await subscription.missed()) }
  /// ```
  ///
  /// - Complexity: O(1) for each value. Suspends the task while there is none.
  public struct Subscription: AsyncSequence, AsyncIteratorProtocol, Sendable {
    @usableFromInline let reading: Reading

    @inlinable init(reading: Reading) { self.reading = reading }

    @inlinable
    nonisolated(nonsending)
      public func next() async throws -> Value?
    { try await reading.next() }

    @inlinable public func makeAsyncIterator() -> Subscription { self }

    /// The number of values that were dropped because the buffer was full; 0 once the compound is stopped.
    @inlinable public func missed() async -> Int { await reading.known()?.missed ?? 0 }
  }

  /// The reader's side of a subscription, which leaves the topic when it ends. It does not keep the compound.
  @usableFromInline
  final class Reading: Sendable {
    @usableFromInline let subscriber: Subscriber
    @usableFromInline let publications: PubSub

    @inlinable
    init(_ subscriber: Subscriber, of publications: PubSub) {
      (self.subscriber, self.publications) = (subscriber, publications.weak)
    }

    @inlinable deinit { publications.leave(reader) }

    @inlinable var reader: Reader { (subscriber.topic, subscriber.inbox.send) }
    @inlinable func known() async -> Subscriber? { (try? await publications.status(reader)) ?? nil }

    @inlinable
    nonisolated(nonsending)
      func next() async throws -> Value?
    {
      if let value = try await subscriber.inbox.receive() {
        if subscriber.whenFull == .wait { publications.taken(reader) }
        return value
      }
      if subscriber.whenFull == .end, await known()?.isOver == true { throw SubscriberTooSlow() }
      return nil
    }
  }
}

/// The error of a subscription that has ended because its buffer was full; see ``PubSub/WhenFull/end``.
public struct SubscriberTooSlow: Error, Equatable, CustomStringConvertible {
  @inlinable init() {}

  public var description: String { "The subscriber did not read its values in time." }
}

extension Blocking {
  /// Blocks the thread until the value is delivered; see ``PubSub/publish(_:to:within:file:line:)``.
  @available(*, noasync, message: "await publish(_:to:within:) instead of blocking a thread of Swift concurrency")
  @discardableResult @inlinable
  public func publish<Key, Value>(
    _ value: Value, to topic: Key, within limit: Duration? = nil, file: StaticString = #fileID, line: UInt = #line
  ) throws(CallError) -> Int where Blocked == PubSub<Key, Value> {
    try compound.post.blocking((topic, value), within: limit, file: file, line: line)
  }
}
