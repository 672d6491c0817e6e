import Compounds
import Crucible
import CrucibleTestSupport
import Testing

/// An object that no two threads may touch at once, and that is not `Sendable`.
final class Register {
  var values: [Int] = []
}

struct Fault: Error, Equatable {
  var number = 0
}

@Suite(.watched)
struct `An agent` {
  private func make(_ matcher: Matcher, _ errors: Log<Fault> = Log()) -> Agent<Register> {
    let options = Soup.Options(matcher: matcher, onError: { errors.append($0.error as! Fault) })
    return Agent("register", options: options) { Register() }
  }

  @Test(arguments: matchers)
  func `An agent handles the messages of each thread in their order, one at a time`(matcher: Matcher) async throws {
    let agent = make(matcher)
    try await onThreads(2) { thread in
      for number in 0..<100 { agent.send { $0.values.append(thread * 100 + number) } }
    }
    await agent.control.settle()
    let values = try await agent.ask { $0.values }
    #expect(values.filter { $0 < 100 } == Array(0..<100))
    #expect(values.filter { $0 >= 100 } == Array(100..<200))
    #expect(agent.control.warnings == [])
    await agent.control.expectRest(["object 1"])
  }

  @Test(arguments: matchers)
  func `An agent answers tasks, threads and promises, with its result or its error`(matcher: Matcher) async throws {
    let agent = make(matcher)
    #expect(try await agent.ask { $0.values.count } == 0)
    #expect(try await onThread { try agent.blocking.ask { $0.values.isEmpty } })
    #expect(try await agent.promise { $0.values.count }.value() == 0)
    await #expect(throws: CallError.failed(Fault())) { try await agent.ask { _ in throw Fault() } }
    await #expect(throws: CallError.failed(Fault())) {
      try await agent.promise { (_) throws -> Int in throw Fault() }.value()
    }
  }

  @Test func `An agent answers with values of any type`() async throws {
    let agent = Agent { 7 }
    #expect(agent.control.matchers == [.arrival])
    #expect(try await agent.ask { $0 > 6 ? Optional($0) : nil } == 7)
    #expect(try await agent.ask { $0 > 7 ? $0 : nil } == nil)
    #expect(try await agent.ask { $0 > 6 ? Optional(Optional<Int>.none) : nil } == .some(nil))
    #expect(try await agent.ask { Array(repeating: $0, count: 3) } == [7, 7, 7])
    #expect(try await agent.ask { ("a long text, which lies on the heap", $0, $0, $0) }.3 == 7)
    #expect(try await agent.ask { n -> any Sendable in n } as? Int == 7)
    #expect(try await agent.ask { n -> any Error in Fault(number: n) } as? Fault == Fault(number: 7))
    #expect(try await agent.ask { n -> (any Sendable)? in n > 7 ? n : nil } == nil)
    #expect(try await agent.request { n, done in done(n as any Sendable) } as? Int == 7)
    #expect(try await agent.ask { ($0, $0 + 1, $0 + 2) } == (7, 8, 9))
    #expect(try await agent.ask { ($0, $0 + 1, $0 + 2, $0 + 3) } == (7, 8, 9, 10))
    #expect(try await agent.ask { SIMD4(repeating: Int32($0)) } == SIMD4(7, 7, 7, 7))
    try await agent.ask { $0 = 8 }
    #expect(try await agent.ask { (UInt8($0), Double($0)) } == (8, 8))
  }

  @Test func `An agent keeps no answer that its caller has`() async throws {
    let agent = Agent { 0 }
    weak var answer: Reference?
    do {
      let reference = try await agent.ask { _ in Reference() }
      answer = reference
      #expect(answer === reference)
    }
    #expect(answer == nil)
  }

  @Test(arguments: matchers, [false, true])
  func `An agent that asks itself gets an error, even supervised`(matcher: Matcher, isSupervised: Bool) async throws {
    let setting = Setting(matcher)
    let agent = isSupervised ? try setting.agent("store") : make(matcher)
    let reason = try await agent.ask { _ in
      do throws(CallError) {
        _ = try agent.blocking.ask { $0.values.count }
        return "an answer"
      } catch {
        guard case .failed(let reason) = error else { return "\(error)" }
        return "\(type(of: reason))"
      }
    }
    #expect(reason == "Deadlock")
    await agent.control.expectRest(isSupervised ? ["up 1", "object 1"] : ["object 1"])
    #expect(setting.events.all == [])
  }

  @Test(arguments: matchers)
  func `An agent reports a message that throws, and goes on`(matcher: Matcher) async throws {
    let errors = Log<Fault>()
    let agent = make(matcher, errors)
    agent.send { _ in throw Fault(number: 1) }
    agent.send { $0.values.append(2) }
    agent.crash(with: Fault(number: 3))
    await agent.control.settle()
    #expect(errors.all == [Fault(number: 1), Fault(number: 3)])
    #expect(try await agent.ask { $0.values } == [2])
  }

  @Test(arguments: matchers)
  func `An agent's request is completed later, once, and fails when forgotten`(matcher: Matcher) async throws {
    let agent = make(matcher)
    let kept = Shared<Completion<Int>>(nil)
    let caller = Task { try await agent.request { (_, completion: Completion<Int>) in kept.put(completion) } }
    await agent.control.callers(1)
    #expect(try await agent.ask { $0.values.count } == 0)
    let completion = try #require(kept.take())
    #expect(completion.isWanted && completion(7) && !completion(8) && !completion.isWanted)
    #expect(try await caller.value == 7)
    await #expect(throws: CallError.neverReplied) { try await agent.request { (_, _: Completion<Int>) in } }
    await #expect(throws: CallError.failed(Fault())) {
      try await agent.request { (_, completion: Completion<Int>) in completion.fail(Fault()) }
    }
    await agent.control.expectRest(["object 1"])
  }

  @Test(arguments: matchers)
  func `An agent lets a thread or a promise wait until a request is completed`(matcher: Matcher) async throws {
    let agent = make(matcher)
    let kept = Shared<Completion<Int>>(nil)
    let thread = Task { try await onThread { try agent.blocking.request { kept.put($1) } } }
    await agent.control.callers(1)
    #expect(try await agent.ask { $0.values.count } == 0)
    #expect(kept.take()?(7) == true)
    #expect(try await thread.value == 7)
    let promise: Promise<Int> = agent.promise { kept.put($1) }
    await agent.control.callers(1)
    #expect(kept.take()?(8) == true)
    #expect(try await promise.value() == 8)
    await agent.control.expectRest(["object 1"])
  }

  @Test(arguments: matchers)
  func `An agent fails a thread or a promise whose request fails, or is forgotten`(matcher: Matcher) async throws {
    let agent = make(matcher)
    try await onThread {
      #expect(throws: CallError.failed(Fault())) {
        try agent.blocking.request { (_, completion: Completion<Int>) in completion.fail(Fault()) }
      }
      #expect(throws: CallError.neverReplied) { try agent.blocking.request { (_, _: Completion<Int>) in } }
    }
    await #expect(throws: CallError.failed(Fault())) {
      try await agent.promise { (_, completion: Completion<Int>) in completion.fail(Fault()) }.value()
    }
    await #expect(throws: CallError.failed(CallError.neverReplied)) {
      try await agent.promise { (_, _: Completion<Int>) in }.value()
    }
    await #expect(throws: CallError.failed(Fault())) {
      try await agent.promise { (_, _: Completion<Int>) in throw Fault() }.value()
    }
  }

  @Test(arguments: matchers)
  func `An agent has no use for the result of a request whose promise is gone`(matcher: Matcher) async {
    let agent = make(matcher)
    let kept = Shared<Completion<Int>>(nil)
    do {
      let promise: Promise<Int> = agent.promise { kept.put($1) }
      await agent.control.callers(1)
      #expect(kept.value?.isWanted == true)
      withExtendedLifetime(promise) {}
    }
    await agent.control.callers(0)
    #expect(kept.take()?.isWanted == false)
  }

  private func deadlock(_ work: () throws -> Int) -> Deadlock? {
    do { _ = try work() } catch CallError.failed(let error) { return error as? Deadlock } catch { return nil }
    return nil
  }

  @Test(arguments: matchers)
  func `Two agents that ask each other on one thread throw Deadlock, with both`(matcher: Matcher) async throws {
    let a = Agent("a", options: .init(matcher: matcher)) { 1 }
    let b = Agent("b", options: .init(matcher: matcher)) { 2 }
    let found = Log<Deadlock?>()
    let sum = try await onThread {
      try a.blocking.ask { (one: inout Int) in
        let two = try b.blocking.ask { (two: inout Int) in
          found.append(deadlock { try a.blocking.ask { $0 } })
          return two
        }
        return one + two
      }
    }
    #expect(sum == 3, "both went on")
    #expect(found.all.map { $0?.bodies.map(\.soup.label) } == [["a", "b"]])
  }
}

extension Waiter {
  static let ofActors: [Waiter] = [
    Waiter("an agent") { options in
      let agent = Agent(options: options) { Register() }
      agent.control.pause()
      return (agent.control, asking(agent))
    },
    Waiter("a pool of agents") { options in
      let pool = AgentPool(members: 2, options: options) { Register() }
      pool.control.pause()
      return (pool.control, asking(pool))
    },
    Waiter("an agent that has a request") { options in
      let (agent, kept) = (Agent(options: options) { Register() }, Log<Completion<Int>>())
      return (
        agent.control,
        { limit, form in
          let end = await error(of: form) {
            try await agent.request(within: limit) { kept.append($1) }
          } blocking: {
            try agent.blocking.request(within: limit) { kept.append($1) }
          }
          // A completion keeps the closure of its request, and this one keeps the log.
          #expect(kept.takeAll().allSatisfy { !$0.isWanted && !$0(7) })
          return end
        }
      )
    },
  ]

  /// Asks an agent or a pool.
  static func asking(_ recipient: some Recipient<Register>) -> Call {
    { limit, form in
      await error(of: form) {
        try await recipient.ask(within: limit) { $0.values }
      } blocking: {
        try recipient.blocking.ask(within: limit) { $0.values }
      }
    }
  }
}

/// The error of a call in one of its forms.
private func error<Result: Sendable>(
  of form: CallForm, suspending: () async throws -> Result, blocking: @escaping @Sendable () throws -> Result
) async -> CallError? {
  do {
    _ = try await form.perform(suspending, blocking: blocking)
    return nil
  } catch {
    return (error as! CallError)
  }
}

private final class Reference: Sendable {}
