import Compounds
import Crucible
import CrucibleTestSupport
import Testing

extension Waiter {
  static let ofSynchronisation: [Waiter] = [
    Waiter("a lock", \.acquire, ()) { try await prepared(Lock(options: $0)) { try await $0.acquire() } },
    Waiter("a semaphore", \.acquire, ()) {
      try await prepared(Semaphore(permits: 2, options: $0)) {
        try await $0.acquire()
        try await $0.acquire()
      }
    },
    Waiter("a reader", \.enter, .reading) {
      try await prepared(ReadWriteLock(options: $0)) { try await $0.enter(.writing) }
    },
    Waiter("a writer behind a writer", \.enter, .writing) {
      try await prepared(ReadWriteLock(options: $0)) { try await $0.enter(.writing) }
    },
    Waiter("a writer behind a reader", \.enter, .writing) {
      try await prepared(ReadWriteLock(options: $0)) { try await $0.enter(.reading) }
    },
    Waiter("a barrier", \.arrive, ()) { Barrier(parties: 2, options: $0) },
    Waiter("an exchanger", \.exchange, 1) { Exchanger<Int>(options: $0) },
    Waiter("the left of a rendezvous", \.left, 1) { Rendezvous<Int, String>(options: $0) },
    Waiter("the right of a rendezvous", \.right, "one") { Rendezvous<Int, String>(options: $0) },
    Waiter("a latch", \.wait, ()) { CountDownLatch(1, options: $0) },
    Waiter("an event", \.wait, ()) { AsyncEvent(options: $0) },
    Waiter("a full buffer", \.put, 2) {
      try await prepared(BoundedBuffer<Int>(capacity: 1, options: $0)) { try await $0.put(1) }
    },
    Waiter("an empty buffer", \.take, ()) { BoundedBuffer<Int>(capacity: 1, options: $0) },
  ]
}

extension Soup.Control {
  /// The first caller of `name` gives up as it meets one of `other`, who then meets the second.
  fileprivate func expectMeeting<Own: Equatable, Other: Equatable>(
    _ name: FastInjector<Own, Other>, _ inputs: [Own], _ other: FastInjector<Other, Own>, _ input: Other,
    waiting: String, _ moment: Moment
  ) async throws {
    let partner = Shared<Task<Result<Own, CallError>, Never>>(nil)
    try await moment.cancel(name, inputs[0], in: self) {
      partner.put(Task { await other.outcome(input) })
      await expectRest([waiting])
    }
    #expect(try await name(inputs[1]) == input)
    #expect(await partner.value!.value == .success(inputs[1]))
    await expectRest([])
  }
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
    let exchange = exchanger.exchange
    try await exchanger.control.expectMeeting(exchange, [1, 3], exchange, 2, waiting: "again 1", moment)
  }

  @Test(arguments: matchers)
  func `A caller that gives up in a rendezvous does not cost its partner the meeting`(matcher: Matcher) async throws {
    let moment = Moment("left")
    let rendezvous = Rendezvous<Int, String>(options: .init(matcher: matcher, observer: moment.observer))
    try await rendezvous.control.expectMeeting(
      rendezvous.left, [1, 2], rendezvous.right, "one", waiting: "right again 1", moment)
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
    let rendezvous = Rendezvous<Int, String>(options: .init(matcher: matcher, observer: moment.observer))
    try await rendezvous.control.expectMeeting(
      rendezvous.right, ["one", "two"], rendezvous.left, 1, waiting: "left again 1", moment)
  }
}
