import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `A topic` {
  @Test(arguments: matchers, CallForm.allCases)
  func `A topic delivers nothing after the end of a subscription`(matcher: Matcher, form: CallForm) async throws {
    let options = Soup.Options(matcher: matcher)
    let topic = Topic<Int>(options: options)
    let (begun, kept, log) = (Latch(1), Latch(1), Log<Int>())
    let subscription = try topic.subscribe(options: options) { value in
      begun.countDown()
      Soup.Pool.blocking { kept.waitBlocking() }
      log.append(value)
    }
    topic.publish(1)
    topic.publish(2)
    try await onThread { begun.waitBlocking() }
    @Sendable func end() async throws {
      try await form.perform {
        await subscription.end()
      } blocking: {
        try subscription.blocking.end()
      }
    }
    let ending = Task {
      try await end()
      return log.all
    }
    await subscription.control.callers(1)
    kept.countDown()
    let atEnd = try await ending.value
    #expect(atEnd.first == 1)
    topic.publish(3)
    await expectQuiet(topic.control, subscription.control)
    #expect(log.all == atEnd)
    try await end()
    // A stopped subscriber no longer runs.
    await subscription.control.stop()
    try await end()
  }

  @Test(arguments: matchers)
  func `A topic lets a subscriber cancel itself, and goes on after one that throws`(matcher: Matcher) async throws {
    let errors = Log<Fault>()
    let options = Soup.Options(matcher: matcher, onError: { errors.append($0.error as! Fault) })
    let topic = Topic<Int>(options: options)
    let (own, log) = (Shared<Topic<Int>.Subscription>(nil), Log<Int>())
    let subscription = try topic.subscribe(options: options) { value in
      if value == 1 { throw Fault(number: value) }
      log.append(value)
      if value == 2 { own.value?.cancel() }
    }
    own.put(subscription)
    for value in 1...3 {
      topic.publish(value)
      await expectQuiet(topic.control, subscription.control)
    }
    #expect(errors.all == [Fault(number: 1)])
    #expect(log.all == [2])
    #expect(topic.control.warnings == [] && subscription.control.warnings == [])
    _ = own.take()
  }

  @Test(arguments: matchers)
  func `A topic delivers to pools and agents`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let topic = Topic<Int>(options: options)
    let pool = AgentPool(members: 2, options: options) { Register() }
    let agent = Agent(options: options) { Register() }
    let handled = Log<Int>()
    try topic.subscribe(pool) { handled.append($1) }
    let subscription = try topic.subscribe(agent) { $0.values.append($1) }
    for value in 0..<20 { topic.publish(value) }
    await topic.control.settle()
    await subscription.end()
    await pool.control.settle()
    #expect(handled.all.sorted() == Array(0..<20))
    let values = try await agent.ask { $0.values }
    #expect(values == Array(0..<values.count), "the end drops only the last values")
  }
}
