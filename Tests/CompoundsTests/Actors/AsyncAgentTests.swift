import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@MainActor
private final class Label {
  var texts: [String] = []
  nonisolated init() {}
}

@Suite(.watched)
struct `An agent whose messages may await` {
  @Test(arguments: matchers)
  func `While a message of an async agent awaits, no other one enters`(matcher: Matcher) async throws {
    let agent = AsyncAgent(options: .init(matcher: matcher)) { Register() }
    let (begun, mayGoOn) = (Gate(), Gate())
    agent.send { register in
      register.values.append(1)
      begun.open()
      await mayGoOn.wait()
      register.values.append(2)
    }
    await begun.wait()
    agent.send { $0.values.append(3) }
    agent.send { register in
      await Task.yield()
      register.values.append(3)
    }
    let question = Task { try await agent.ask { $0.values } }
    let inquiry = Task {
      try await agent.ask { register in
        await Task.yield()
        return register.values
      }
    }
    await agent.control.callers(2)
    await #expect(throws: CallError.timedOut) { try await agent.ask(within: .zero) { $0.values } }
    mayGoOn.open()
    #expect(try await question.value.prefix(2) == [1, 2])
    #expect(try await inquiry.value.prefix(2) == [1, 2])
    // A later question may overtake messages, unless the matcher keeps the order.
    await agent.control.expectRest(["object 1"])
    #expect(try await onThread { try agent.blocking.ask { $0.values } } == [1, 2, 3, 3])
    #expect(agent.control.warnings == [])
  }

  @Test func `An async agent handles all that comes in its order`() async throws {
    let agent = AsyncAgent { Register() }
    for number in 0..<20 {
      if number % 2 == 0 {
        agent.send { $0.values.append(number) }
      } else {
        agent.send { register in
          await Task.yield()
          register.values.append(number)
        }
      }
    }
    #expect(try await agent.ask { $0.values } == Array(0..<20))
  }

  @Test(arguments: matchers)
  func `An async agent reports a message's error, and gives a caller its question's`(matcher: Matcher) async throws {
    let errors = Log<Fault>()
    let agent = AsyncAgent(options: .init(matcher: matcher, onError: { errors.append($0.error as! Fault) })) { 0 }
    agent.send { number in
      await Task.yield()
      number = 1
      throw Fault(number: 1)
    }
    await #expect(throws: CallError.failed(Fault(number: 2))) {
      try await agent.ask { _ in
        await Task.yield()
        throw Fault(number: 2)
      }
    }
    await agent.control.settle()
    #expect(
      try await onThread { () throws in
        try agent.blocking.ask { number in
          await Task.yield()
          return number
        }
      } == 1)
    #expect(errors.all == [Fault(number: 1)])
  }

  @Test(arguments: matchers)
  func `A message of an async agent that asks its own agent gets an error`(matcher: Matcher) async throws {
    let agent = AsyncAgent(options: .init(matcher: matcher)) { 0 }
    for _ in 0..<2 {
      let error = await #expect(throws: CallError.self) { try await agent.ask { _ in try await agent.ask { $0 } } }
      guard case .failed(CallError.failed(is Deadlock)) = try #require(error) else { throw error! }
    }
  }

  @Test(arguments: matchers)
  func `An existing object becomes an agent, and stays it over a restart`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let census = Census()
    do {
      let register = Register()
      register.values = [1]
      let (agent, async) = (Agent(of: register, options: options), AsyncAgent(of: census.live(7), options: options))
      agent.send { $0.values.append(2) }
      await agent.control.settle()
      #expect(try await agent.ask { $0.values } == [1, 2])
      await agent.control.settle()
      await agent.control.stop(within: patience)
      try await agent.control.restart(within: patience)
      #expect(try await agent.ask { $0.values } == [1, 2])
      #expect(try await async.ask { $0.number } == 7)
    }
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `Messages, subscribers, dendrites and timed actions run on the main actor if their closures say so`(
    matcher: Matcher
  ) async throws {
    let options = Soup.Options(matcher: matcher)
    let label = Label()
    let agent = AsyncAgent(of: label, options: options)
    agent.send(on: .main) { label in label.texts.append("message") }
    await agent.control.settle()
    let texts = try await agent.ask(on: .main) { label in label.texts }
    #expect(texts == ["message"])

    let topic = Topic<String>(options: options)
    let subscription = try topic.subscribe(on: .main, options: options) { text in label.texts.append(text) }
    topic.publish("value")
    await eventually("the value comes") { await label.texts == ["message", "value"] }
    await subscription.end()

    let debounce = Debounce<String>(for: .milliseconds(1), options: options) { @MainActor in label.texts.append($0) }
    debounce.send("debounced")
    await eventually("the action runs") { await label.texts.last == "debounced" }

    let entrance = Numbers("in")
    let graph = try NeuronGraph(
      entrance: entrance,
      neurons: [
        Neuron("main", NoAxon()) { neuron in
          neuron.dendrite(entrance.out) { @MainActor number, _ in
            label.texts.append("\(number)")
            return []
          }
        }
      ], options: options)
    try await graph.stimulate(entrance.out(7))
    #expect(await label.texts.last == "7")
  }

  @Test(arguments: matchers)
  func `A subscriber that awaits gets one value at a time, in order, until the end`(matcher: Matcher) async throws {
    let errors = Log<Fault>()
    let options = Soup.Options(matcher: matcher, onError: { errors.append($0.error as! Fault) })
    let topic = Topic<Int>(options: options)
    let (log, mayGoOn) = (Log<Int>(), Gate())
    let subscription = try topic.subscribe(options: options) { value in
      await mayGoOn.wait()
      log.append(value)
      await Task.yield()
      if value == 1 { throw Fault(number: value) }
      log.append(value)
    }
    for value in 1...3 { topic.publish(value) }
    mayGoOn.open()
    await expectQuiet(topic.control, subscription.control)
    #expect(log.all == [1, 2, 2, 3, 3])
    #expect(errors.all == [Fault(number: 1)])
    await subscription.end()
    topic.publish(4)
    await topic.control.settle()
    #expect(log.count == 5)
  }

  @Test(arguments: matchers)
  func `Compounds that know each other by weak copies do not keep each other`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let census = Census()
    let (lateTopic, lateAgent, latePool): (Topic<Int>, Agent<Live>, AgentPool<Live>)
    do {
      let topic = Topic<Int>(options: options)
      let heard = Tally()
      try topic.subscribe(options: options) { [topic = topic.weak, live = census.live()] value in
        if value < 3 { topic.publish(value + live.number + 1) }
        heard.add()
      }
      topic.publish(1)
      await eventually("the subscriber publishes") { heard.count == 3 }
      let agent = Agent(options: options) { census.live() }
      let pool = AgentPool(members: 2, options: options) { census.live() }
      agent.send { [pool = pool.weak] _ in pool.send { [live = census.live()] _ in _ = live } }
      pool.send { [agent = agent.weak] _ in agent.send { [live = census.live()] _ in _ = live } }
      await expectQuiet(agent.control, pool.control)
      #expect(try await agent.weak.ask { $0.number } == 0)
      (lateTopic, lateAgent, latePool) = (topic.weak, agent.weak, pool.weak)
      #expect(lateTopic.publish(9) && lateAgent.send { _ in })
    }
    await census.expectExtinction()
    await eventually("the soups are gone") { !lateTopic.publish(1) && !lateAgent.send { _ in } }
    await #expect(throws: CallError.gone) { try await latePool.ask { $0.number } }
    #expect(throws: CallError.stopped) { try lateTopic.subscribe { _ in } }
    #expect(lateTopic.control.snapshot().counts.allSatisfy { $0.molecules == 0 })
  }
}
