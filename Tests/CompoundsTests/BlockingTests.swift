import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Blocking calls that are no single name of a soup, from threads. `MapReduceTests.swift` has those of the jobs.
@Suite(.watched)
struct `A call that blocks its thread` {
  @Test(arguments: matchers)
  func `A blocking join waits for the end of a promise's work`(matcher: Matcher) async throws {
    let (begun, mayEnd) = (Gate(), Gate())
    let clock = ManualClock()
    let promise = Promise(options: .init(matcher: matcher, clock: clock)) {
      begun.open()
      await mayEnd.wait()
      throw Fault()
    }
    await begun.wait()
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in try await onThread { try promise.blocking.join(within: limit) } }
    }
    let joined = Task { try await onThread { try promise.blocking.join() } }
    await promise.control.expectCaller()
    mayEnd.open()
    try await joined.value
    // The caller may continue before the body that served it has reported the end of the work.
    #expect(await promise.control.quiet(within: patience))
    try await onThread { try promise.blocking.join(within: .zero) }
    await #expect(throws: CallError.failed(Fault())) { try await promise.value() }
    // A promise without work has ended.
    try await onThread { try Promise<Int>(options: .init(matcher: matcher)).blocking.join() }
  }

  @Test(arguments: matchers)
  func `A blocking join cancels a promise, and waits for the end of its work`(matcher: Matcher) async throws {
    let (begun, mayEnd, ended) = (Gate(), Gate(), Tally())
    let clock = ManualClock()
    let promise = Promise(options: .init(matcher: matcher, clock: clock)) {
      begun.open()
      try? await Task.sleep(for: patience * 2)
      await mayEnd.wait()
      ended.add()
    }
    await begun.wait()
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in try await onThread { try promise.blocking.cancelAndJoin(within: limit) } }
    }
    #expect(ended.count == 0)
    mayEnd.open()
    try await onThread { try promise.blocking.cancelAndJoin() }
    #expect(ended.count == 1)
    guard case .failure(.failed(is CancellationError)) = await promise.value.outcome() else { throw Fault() }
  }

  @Test(arguments: matchers)
  func `A thread waits for all promises, or for the first of them`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let options = Soup.Options(matcher: matcher, clock: clock)
    let promises = (0..<3).map { _ in Promise<Int>(options: options) }
    let all = Task { try await onThread { try Promise.blocking.all(promises) } }
    let first = Task { try await onThread { try Promise.blocking.first(of: promises) } }
    for promise in promises { await promise.control.expectWaiting(2) }
    promises[1].fulfil(1)
    #expect(try await first.value == 1)
    promises[2].fulfil(2)
    promises[0].fulfil(0)
    #expect(try await all.value == [0, 1, 2])
    #expect(try await onThread { try Promise<Int>.blocking.all([]) } == [])
    // The same promise may occur twice.
    #expect(try await onThread { try Promise.blocking.all([promises[1], promises[1]]) } == [1, 1])
    #expect(try await onThread { try Promise.blocking.first(of: [promises[2], promises[2]]) } == 2)
  }

  @Test(arguments: matchers)
  func `A thread that waits for promises gets their error, or that the limit is over`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let options = Soup.Options(matcher: matcher, clock: clock)
    let (open, rejected) = (Promise<Int>(options: options), Promise<Int>(options: options))
    rejected.reject(Fault(number: 3))
    try await onThread { () throws in
      #expect(throws: Fault(number: 3)) { try Promise.blocking.all([open, rejected]) }
      #expect(throws: Fault(number: 3)) { try Promise.blocking.first(of: [open, rejected]) }
    }
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in try await onThread { try Promise.blocking.all([open], within: limit) } }
    }
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in try await onThread { try Promise.blocking.first(of: [open], within: limit) } }
    }
    await open.control.expectRest([])
  }

  @Test(arguments: matchers)
  func `A thread takes turns with a coroutine`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let doubling = Coroutine<Int, Int>(options: .init(matcher: matcher, clock: clock)) { first, yield in
      var number = first
      while number > 0 { number = try await yield(2 * number) }
      if number < 0 { throw Fault(number: number) }
    }
    try await onThread { () throws in
      #expect(try doubling.blocking.next(with: 1) == 2)
      #expect(try doubling.blocking.next(with: 2, within: patience) == 4)
    }
    doubling.control.pause()
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in try await onThread { try doubling.blocking.next(with: 3, within: limit) } }
    }
    doubling.control.resume()
    try await onThread { () throws in
      #expect(throws: CallError.failed(Fault(number: -1))) { try doubling.blocking.next(with: -1) }
      #expect(try doubling.blocking.next(with: 4) == nil)
    }
  }

  @Test(arguments: matchers)
  func `A thread takes some values of a generator`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let (isAsked, mayGoOn) = (Gate(), Gate())
    let generator = Generator<Int>(options: .init(matcher: matcher, clock: clock)) { yield in
      for number in 1...4 { try await yield(number) }
      isAsked.open()
      await mayGoOn.wait()
      throw Fault()
    }
    try await onThread { () throws in
      #expect(try generator.blocking.take(0) == [])
      #expect(try generator.blocking.take(2) == [1, 2])
    }
    // The limit covers the whole wait.
    let taking = Task { try await onThread { try generator.blocking.take(3, within: .seconds(10)) } }
    await isAsked.wait()
    await generator.control.expectCaller()
    clock.advance(by: .seconds(10))
    #expect(try await taking.value == [3, 4])
    try await onThread { () throws in
      #expect(throws: CallError.timedOut) { try generator.blocking.take(1, within: .zero) }
    }
    mayGoOn.open()
    try await onThread { () throws in
      #expect(throws: CallError.failed(Fault())) { try generator.blocking.take(1) }
      #expect(try generator.blocking.take(2, within: patience) == [])
    }
  }

  @Test func `A thread waits until a callback completes its call`() async throws {
    let kept = Shared<Completion<Int>>(nil)
    let caller = Task { try await onThread { try Completion.blocking.value { completion in kept.put(completion) } } }
    while kept.value == nil { await Task.yield() }
    #expect(kept.take()?(7) == true)
    #expect(try await caller.value == 7)
    try await onThread { () throws in
      #expect(throws: CallError.neverReplied) { try Completion<Int>.blocking.value { _ in } }
      #expect(throws: CallError.failed(Fault())) { try Completion<Int>.blocking.value { $0.fail(Fault()) } }
      #expect(throws: CallError.failed(Fault())) { try Completion<Int>.blocking.value { _ in throw Fault() } }
      #expect(throws: CallError.timedOut) { try Completion<Int>.blocking.value(within: .zero) { kept.put($0) } }
    }
    #expect(kept.take()?.isWanted == false)
  }

  @Test(arguments: matchers)
  func `A thread ends a subscription, after what its closure does`(matcher: Matcher) async throws {
    let options = Soup.Options(matcher: matcher)
    let topic = Topic<Int>(options: options)
    let (begun, mayEnd) = (Gate(), Gate())
    let log = Log<Int>()
    let subscription = try topic.subscribe(options: options) { value in
      begun.open()
      Soup.Pool.blocking { mayEnd.waitBlocking() }
      log.append(value)
    }
    topic.publish(1)
    await begun.wait()
    let ending = Task {
      try await onThread {
        try subscription.blocking.end()
        return log.all
      }
    }
    await subscription.control.expectCaller()
    mayEnd.open()
    #expect(try await ending.value == [1])
    topic.publish(2)
    try await onThread { try subscription.blocking.end() }
    #expect(await topic.control.quiet(within: patience))
    #expect(log.all == [1])
    // A stopped subscriber no longer runs.
    await subscription.control.stop()
    try await onThread { try subscription.blocking.end() }
  }

  @Test(arguments: matchers)
  func `A blocking end of the subscription whose closure calls it throws an error`(matcher: Matcher) async throws {
    let reasons = Log<String>()
    let options = Soup.Options(matcher: matcher)
    let topic = Topic<Int>(options: options)
    let own = Shared<Topic<Int>.Subscription>(nil)
    let subscription = try topic.subscribe(options: options) { _ in
      do throws(CallError) {
        try own.value?.blocking.end()
      } catch {
        if case .failed(let reason) = error { reasons.append("\(type(of: reason))") }
      }
    }
    own.put(subscription)
    for value in 1...2 {
      topic.publish(value)
      #expect(await topic.control.quiet(within: patience))
      #expect(await subscription.control.quiet(within: patience))
    }
    // The second value did not arrive, because the topic has removed the subscriber.
    #expect(reasons.all == ["Deadlock"])
    _ = own.take()
  }

  @Test(arguments: matchers)
  func `A thread runs a graph of neurons`(matcher: Matcher) async throws {
    let (entrance, out) = (Numbers("in"), Numbers("out"))
    let graph = try NeuronGraph(
      entrance: entrance,
      neurons: [
        Neuron("one", out) { neuron in
          neuron.dendrite(entrance.out) { n, axon in
            if n < 0 { throw Fault(number: n) }
            return [axon.out(n + 1)]
          }
        }
      ], options: .init(matcher: matcher))
    try await onThread { () throws in
      #expect(try graph.blocking.stimulate(entrance.out(1)).values(of: out.out) == [2])
      do throws(CallError) {
        try graph.blocking.stimulate(entrance.out(-1))
        Issue.record("no error")
      } catch {
        guard case .failed(let failure as NeuronGraph.Failure) = error else { throw error }
        #expect(failure.faults.map { $0.error as? Fault } == [Fault(number: -1)])
      }
      #expect(throws: CallError.failed(NeuronGraph.Mistake.foreign("foreign"))) {
        try graph.blocking.stimulate(Collateral<Int>("foreign")(1))
      }
    }
  }

  @Test(arguments: matchers)
  func `A thread runs a graph of neurons until an event or a limit ends it`(matcher: Matcher) async throws {
    let clock = ManualClock()
    for isByEvent in [true, false] {
      let (entrance, begun, event, ended) = (Numbers("in"), Gate(), AsyncEvent(), Tally())
      let graph = try NeuronGraph(
        entrance: entrance,
        neurons: [
          Neuron("one", Numbers("out")) { neuron in
            neuron.dendrite(entrance.out) { _, _ in
              defer { ended.add() }
              begun.open()
              try await Task.sleep(for: patience * 2)
              return []
            }
          }
        ], options: .init(matcher: matcher, clock: clock))
      let run = Task {
        try await onThread {
          try graph.blocking.stimulate(entrance.out(1), entrance.out(2), until: event, within: .seconds(1))
        }
      }
      await begun.wait()
      if isByEvent { try await event.set() } else { clock.advance(by: .seconds(1)) }
      await #expect(throws: isByEvent ? CallError.cancelled : .timedOut) { try await run.value }
      #expect(ended.count == 1)
    }
  }
}
