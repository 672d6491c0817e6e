import Compounds
import Crucible
import CrucibleTestSupport
import Testing

extension Waiter {
  static let ofSynchronisation: [Waiter] = [
    Waiter("a lock") { options in
      let lock = Lock(options: options)
      try await lock.acquire()
      return (lock.control, calling(lock.acquire, ()))
    },
    Waiter("a semaphore") { options in
      let semaphore = Semaphore(permits: 2, options: options)
      try await semaphore.acquire()
      try await semaphore.acquire()
      return (semaphore.control, calling(semaphore.acquire, ()))
    },
    Waiter("a reader") { options in
      let lock = ReadWriteLock(options: options)
      try await lock.enter(.writing)
      return (lock.control, calling(lock.enter, .reading))
    },
    Waiter("a writer behind a writer") { options in
      let lock = ReadWriteLock(options: options)
      try await lock.enter(.writing)
      return (lock.control, calling(lock.enter, .writing))
    },
    Waiter("a writer behind a reader") { options in
      let lock = ReadWriteLock(options: options)
      try await lock.enter(.reading)
      return (lock.control, calling(lock.enter, .writing))
    },
    Waiter("a barrier") { options in
      let barrier = Barrier(parties: 2, options: options)
      return (barrier.control, calling(barrier.arrive, ()))
    },
    Waiter("an exchanger") { options in
      let exchanger = Exchanger<Int>(options: options)
      return (exchanger.control, calling(exchanger.exchange, 1))
    },
    Waiter("the left of a rendezvous") { options in
      let rendezvous = Compounds.Rendezvous<Int, String>(options: options)
      return (rendezvous.control, calling(rendezvous.left, 1))
    },
    Waiter("the right of a rendezvous") { options in
      let rendezvous = Compounds.Rendezvous<Int, String>(options: options)
      return (rendezvous.control, calling(rendezvous.right, "one"))
    },
    Waiter("a latch") { options in
      let latch = CountDownLatch(1, options: options)
      return (latch.control, calling(latch.wait, ()))
    },
    Waiter("an event") { options in
      let event = AsyncEvent(options: options)
      return (event.control, calling(event.wait, ()))
    },
    Waiter("a full buffer") { options in
      let buffer = BoundedBuffer<Int>(capacity: 1, options: options)
      try await buffer.put(1)
      return (buffer.control, calling(buffer.put, 2))
    },
    Waiter("an empty buffer") { options in
      let buffer = BoundedBuffer<Int>(capacity: 1, options: options)
      return (buffer.control, calling(buffer.take, ()))
    },
  ]
}

/// Callers that give up when the reaction that serves them has just been chosen.
@Suite(.watched)
struct `A caller that gives up in the moment in which it is served` {
  typealias Accesses = (inside: ReadWriteLock.Access, behind: ReadWriteLock.Access)

  @Test(arguments: matchers)
  func `A caller that gives up as it is served gives the lock back`(matcher: Matcher) async throws {
    let moment = Moment("acquire")
    let lock = Lock(options: .init(matcher: matcher, observer: moment.observer))
    try await lock.acquire()
    try await moment.cancel(lock.acquire, (), in: lock.control) { lock.release() }
    await lock.control.expectRest(["free 1"])
    try await lock.acquire(within: .zero)
  }

  @Test(arguments: matchers, [(63, "acquire"), (64, "available & acquire")])
  func `A caller that gives up in the moment in which it is served gives the permit back`(
    matcher: Matcher, kind: (permits: Int, pattern: String)
  ) async throws {
    let moment = Moment(kind.pattern)
    let options = Soup.Options(matcher: matcher, observer: moment.observer)
    let semaphore = Semaphore(permits: kind.permits, options: options)
    for _ in 0..<kind.permits { try await semaphore.acquire() }
    try await moment.cancel(semaphore.acquire, (), in: semaphore.control) { semaphore.release() }
    await semaphore.control.expectRest(kind.permits < 64 ? ["permit 1"] : ["permit 1", "available 1"])
  }

  @Test(arguments: matchers, [(.writing, .reading), (.writing, .writing), (.reading, .writing)] as [Accesses])
  func `A caller that gives up as it is served does not enter a lock behind another`(
    matcher: Matcher, accesses: Accesses
  ) async throws {
    let moment = Moment(accesses.inside == .writing ? "room & turn & enter" : "room & leave")
    let lock = ReadWriteLock(options: .init(matcher: matcher, observer: moment.observer))
    try await lock.enter(accesses.inside)
    try await moment.cancel(lock.enter, accesses.behind, in: lock.control) { lock.leave(accesses.inside) }
    await lock.control.expectRest(["turn 1", "room 1"])
    try await lock.enter(.writing, within: .zero)
  }

  @Test(arguments: matchers)
  func `A caller that gives up as it is served puts nothing into a buffer`(matcher: Matcher) async throws {
    let moment = Moment("items & put")
    let buffer = BoundedBuffer<Int>(capacity: 1, options: .init(matcher: matcher, observer: moment.observer))
    try await buffer.put(1)
    try await moment.cancel(buffer.put, 2, in: buffer.control) { _ = try await buffer.take() }
    await buffer.control.expectRest(["free 1", "items 1"])
  }

  @Test(arguments: matchers)
  func `A caller that gives up as it is served leaves a buffer's first item the first`(matcher: Matcher) async throws {
    let moment = Moment("items & take")
    let buffer = BoundedBuffer<Int>(capacity: 2, options: .init(matcher: matcher, observer: moment.observer))
    try await moment.cancel(buffer.take, (), in: buffer.control) { try await buffer.put(1) }
    try await buffer.put(2)
    #expect(try await buffer.take() == 1)
    #expect(try await buffer.take() == 2)
    await buffer.control.expectRest(["free 2", "items 1"])
  }

  @Test(arguments: matchers)
  func `A caller that gives up in an exchange does not cost its partner the exchange`(matcher: Matcher) async throws {
    let moment = Moment("exchange")
    let exchanger = Exchanger<Int>(options: .init(matcher: matcher, observer: moment.observer))
    let partner = Shared<Task<Result<Int, CallError>, Never>>(nil)
    try await moment.cancel(exchanger.exchange, 1, in: exchanger.control) {
      partner.put(Task { await exchanger.exchange.outcome(2) })
      await exchanger.control.expectRest(["again 1"])
    }
    #expect(try await exchanger.exchange(3) == 2)
    #expect(await partner.value!.value == .success(3))
    await exchanger.control.expectRest([])
  }

  @Test(arguments: matchers)
  func `A caller that gives up in a rendezvous does not cost its partner the meeting`(matcher: Matcher) async throws {
    let moment = Moment("left")
    let rendezvous = Compounds.Rendezvous<Int, String>(options: .init(matcher: matcher, observer: moment.observer))
    let partner = Shared<Task<Result<Int, CallError>, Never>>(nil)
    try await moment.cancel(rendezvous.left, 1, in: rendezvous.control) {
      partner.put(Task { await rendezvous.right.outcome("one") })
      await rendezvous.control.expectRest(["right again 1"])
    }
    #expect(try await rendezvous.left(2) == "one")
    #expect(await partner.value!.value == .success(2))
    await rendezvous.control.expectRest([])
  }

  @Test(arguments: matchers)
  func `A caller that gives up as it is served has come to a barrier`(matcher: Matcher) async throws {
    let moment = Moment("arrive")
    let barrier = Barrier(parties: 2, options: .init(matcher: matcher, observer: moment.observer))
    try await moment.cancel(barrier.arrive, (), in: barrier.control) { try await barrier.arrive() }
    await barrier.control.expectRest([])
    await #expect(throws: CallError.timedOut) { try await barrier.arrive(within: .zero) }
  }

  @Test(arguments: matchers)
  func `A caller that gives up as the second of an exchange leaves the first waiting`(matcher: Matcher) async throws {
    let moment = Moment("exchange")
    let exchanger = Exchanger<Int>(options: .init(matcher: matcher, observer: moment.observer))
    exchanger.control.pause()
    let first = Task { await exchanger.exchange.outcome(1) }
    await exchanger.control.expectWaiting(1)
    let second = Task { await exchanger.exchange.outcome(2) }
    await exchanger.control.expectWaiting(2)
    moment.arm(cancelling: second)
    exchanger.control.resume()
    #expect(await second.value == .failure(.cancelled))
    #expect(moment.hasCome)
    await exchanger.control.expectRest(["again 1"])
    #expect(try await exchanger.exchange(3) == 1)
    #expect(await first.value == .success(3))
    await exchanger.control.expectRest([])
  }

  @Test(arguments: matchers)
  func `A caller that gives up on the right of a rendezvous leaves the left waiting`(matcher: Matcher) async throws {
    let moment = Moment("left")
    let rendezvous = Compounds.Rendezvous<Int, String>(options: .init(matcher: matcher, observer: moment.observer))
    let left = Shared<Task<Result<String, CallError>, Never>>(nil)
    try await moment.cancel(rendezvous.right, "one", in: rendezvous.control) {
      left.put(Task { await rendezvous.left.outcome(1) })
      await rendezvous.control.expectRest(["left again 1"])
    }
    #expect(try await rendezvous.right("two") == 1)
    #expect(await left.value!.value == .success("two"))
    await rendezvous.control.expectRest([])
  }

  /// Each object has one owner at any time: a caller whose exchange times out keeps its own.
  @Test(arguments: matchers)
  func `Callers of an exchanger that give up at any moment lose and double no object`(matcher: Matcher) async throws {
    let exchanger = Exchanger<Int>(options: .init(matcher: matcher))
    let (swaps, rounds) = (Tally(), scaled(3000))
    let owned = try await onThreads(4) { thread in
      var own = thread
      for round in 0..<rounds {
        let limit = Duration.microseconds((round + thread) % 40)
        guard let other = try exchanger.exchange.blockingOutcome(own, within: limit).inTime() else { continue }
        own = other
        swaps.add()
      }
      return own
    }
    #expect(owned.sorted() == [0, 1, 2, 3], "after \(swaps.count) swaps")
    await exchanger.control.expectRest([])
  }
}
