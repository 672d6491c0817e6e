import Compounds
import Crucible
import CrucibleTestSupport
import Testing

/// The synchronous calls of compounds. None waits for a reaction, so the test itself makes them while a soup is paused.
@Suite(.watched)
struct `A compound that is paused` {
  @Test(arguments: `A channel`.capacities, matchers)
  func `A try of a paused channel fails at once, and a close takes effect when the pause ends`(
    capacity: ChannelCapacity, matcher: Matcher
  ) async throws {
    let channel = Channel<Int>(capacity, options: .init(matcher: matcher))
    if capacity != .unbuffered { #expect(channel.trySend(1)) }
    channel.control.pause()
    #expect(channel.control.isPaused)
    #expect(!channel.trySend(2))
    #expect(channel.tryReceive() == nil)
    #expect(channel.close())
    await #expect(throws: CallError.timedOut) { try await channel.receiveAll(within: .zero) }
    channel.control.resume()
    #expect(!channel.control.isPaused)
    #expect(try await channel.receiveAll() == (capacity == .unbuffered ? [] : [1]))
    #expect(try await channel.receive() == nil)
    #expect(!channel.trySend(3) && !channel.close())
    await channel.control.expectRest(["closed 1", "content 1"])
  }

  @Test(arguments: matchers)
  func `A limit ends a reset of an event whose callers are paused, and they pass once they resume`(
    matcher: Matcher
  ) async throws {
    let event = AsyncEvent(isSet: true, options: .init(matcher: matcher))
    event.control.pause(event.wait)
    let waiting = Task { try await event.wait() }
    await event.control.callers(1)
    await #expect(throws: CallError.timedOut) { try await event.reset(within: .milliseconds(20)) }
    event.control.resume(event.wait)
    try await waiting.value
  }

  @Test(arguments: matchers)
  func `A subscription to a paused topic begins and ends in order once it resumes`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let topic = Topic<Int>(options: options)
    let (early, late) = (Log<Int>(), Log<Int>())
    let first = try topic.subscribe(options: options) { early.append($0) }
    topic.control.pause()
    topic.publish(1)
    let second = try topic.subscribe(options: options) { late.append($0) }
    topic.publish(2)
    first.cancel()
    topic.publish(3)
    topic.control.resume()
    await expectQuiet(topic.control, first.control, second.control)
    #expect(early.all == [1, 2])
    #expect(late.all == [2, 3])
  }

  @Test(arguments: matchers)
  func `A paused supervisor refuses changes at once, and changes nothing`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    _ = try setting.agent("parent")
    _ = try setting.agent("child")
    let supervisor = setting.supervisor
    supervisor.control.pause()
    #expect(throws: CallError.timedOut) { try setting.agent("other") }
    #expect(throws: CallError.timedOut) { try setting.pool(members: 1, crashes: 0) }
    #expect(throws: CallError.timedOut) { try supervisor.link("parent", to: "child") }
    #expect(throws: CallError.timedOut) { try supervisor.unlink("parent", from: "child") }
    #expect(throws: CallError.timedOut) { try supervisor.unsupervise("parent") }
    #expect(supervisor.ids == [])
    #expect(supervisor["parent", as: Agent<Register>.self] == nil)
    supervisor.control.resume()
    #expect(supervisor.ids == ["child", "parent"])
    try supervisor.link("parent", to: "child")
  }

  @Test(arguments: matchers)
  func `A subscriber that runs inline may subscribe, and cancel itself`(matcher: Matcher) async throws {
    let topic = Topic<Int>(options: .init(matcher: matcher))
    let inline = Soup.Options(matcher: matcher, placement: .inline)
    let (own, log) = (Shared<Topic<Int>.Subscription>(nil), Log<Int>())
    let subscription = try topic.subscribe(options: inline) { value in
      log.append(value)
      own.value?.cancel()
    }
    own.put(subscription)
    topic.publish(1)
    topic.publish(2)
    #expect(log.all == [1])
    let second = try topic.subscribe(options: inline) { value in
      if value == 3 { try topic.subscribe(options: inline) { log.append(10 * $0) } }
    }
    topic.publish(3)
    topic.publish(4)
    #expect(log.all == [1, 40])
    second.cancel()
    _ = own.take()
  }
}
