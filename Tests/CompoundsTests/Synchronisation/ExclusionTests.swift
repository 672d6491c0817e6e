import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `Locks, semaphores and read-write locks` {
  @Test(arguments: matchers)
  func `A lock serves its callers in the order in which they came`(matcher: Matcher) async throws {
    let lock = Lock(options: .init(matcher: matcher))
    let order = Log<Int>()
    try await lock.acquire()
    var callers: [Task<Void, any Error>] = []
    for number in 0..<4 {
      callers.append(Task { try await lock.withLock { order.append(number) } })
      await lock.control.expectWaiting(number + 1)
    }
    lock.release()
    for caller in callers { try await caller.value }
    #expect(order.all == [0, 1, 2, 3])
  }

  @Test(arguments: matchers, [63, 64])
  func `A semaphore serves its callers in the order in which they came`(matcher: Matcher, limit: Int) async throws {
    let semaphore = Semaphore(permits: 0, limit: limit, options: .init(matcher: matcher))
    var callers: [Task<Void, any Error>] = []
    for number in 0..<4 {
      callers.append(Task { try await semaphore.acquire() })
      await semaphore.control.expectWaiting(number + 1)
    }
    for (number, caller) in callers.enumerated() {
      semaphore.release()
      try await caller.value
      #expect(semaphore.control.snapshot().waitingCallers == 3 - number)
    }
    await semaphore.control.expectRest(limit < 64 ? [] : ["available 1"])
  }

  @Test(arguments: matchers)
  func `A scope gives back what it had when its body throws, and does not run its body when it had nothing`(
    matcher: Matcher
  ) async throws {
    struct Failed: Error {}
    let lock = Lock(options: .init(matcher: matcher))
    let semaphore = Semaphore(permits: 1, options: .init(matcher: matcher))
    let both = ReadWriteLock(options: .init(matcher: matcher))
    await #expect(throws: Failed.self) { try await lock.withLock { throw Failed() } }
    await #expect(throws: Failed.self) { try await semaphore.withPermit { throw Failed() } }
    await #expect(throws: Failed.self) { try await both.withReading { throw Failed() } }
    await #expect(throws: Failed.self) { try await both.withWriting { throw Failed() } }
    try await onThread {
      #expect(throws: Failed.self) { try lock.blocking.withLock { throw Failed() } }
      #expect(throws: Failed.self) { try semaphore.blocking.withPermit { throw Failed() } }
      #expect(throws: Failed.self) { try both.blocking.withReading { throw Failed() } }
      #expect(throws: Failed.self) { try both.blocking.withWriting { throw Failed() } }
    }
    let late: CallError = .timedOut
    _ = try await lock.withLock {
      await #expect(throws: late) { try await lock.withLock(within: .zero) { Issue.record("two are inside") } }
    }
    _ = try await semaphore.withPermit {
      await #expect(throws: late) { try await semaphore.withPermit(within: .zero) { Issue.record("two are inside") } }
    }
    _ = try await both.withReading {
      let other = try await both.withReading(within: .zero) { 7 }
      #expect(other == 7)
      await #expect(throws: late) { try await both.withWriting(within: .zero) { Issue.record("two are inside") } }
    }
    _ = try await both.withWriting {
      await #expect(throws: late) { try await both.withReading(within: .zero) { Issue.record("two are inside") } }
    }
    await lock.control.expectRest(["free 1"])
    await semaphore.control.expectRest(["permit 1"])
    await both.control.expectRest(["turn 1", "room 1"])
  }

  @Test(arguments: matchers)
  func `Callers that give up neither lose nor double a lock`(matcher: Matcher) async throws {
    let lock = Lock(options: .init(matcher: matcher))
    let (inside, overlaps) = (Tally(), Tally())
    try await onThreads(3) { thread in
      var chance = Seeded(Run.seed &+ UInt64(thread))
      for _ in 0..<200 {
        let limit = Duration.nanoseconds(Int64(chance.next() % 20_000))
        if try lock.acquire.blockingOutcome((), within: limit).inTime() == nil { continue }
        if inside.add() != 1 { overlaps.add() }
        inside.add(-1)
        lock.release()
      }
    }
    #expect(overlaps.count == 0)
    await lock.control.expectRest(["free 1"])
  }

  @Test(arguments: matchers)
  func `A semaphore lets as many in as it has permits`(matcher: Matcher) async throws {
    let semaphore = Semaphore(permits: 2, options: .init(matcher: matcher))
    let (inside, overlaps) = (Tally(), Tally())
    try await onThreads(4) { thread in
      var chance = Seeded(Run.seed &+ UInt64(thread))
      for round in 0..<100 {
        let limit = round % 3 == 0 ? Duration.nanoseconds(Int64(chance.next() % 20_000)) : patience
        if try semaphore.acquire.blockingOutcome((), within: limit).inTime() == nil { continue }
        if inside.add() > 2 { overlaps.add() }
        inside.add(-1)
        semaphore.release()
      }
    }
    #expect(overlaps.count == 0)
    await semaphore.control.expectRest(["permit 2"])
  }

  @Test(arguments: matchers)
  func `A semaphore that begins without permits is a signal`(matcher: Matcher) async throws {
    let signal = Semaphore(permits: 0, limit: 2, options: .init(matcher: matcher))
    await #expect(throws: CallError.timedOut) { try await signal.acquire(within: .zero) }
    let waiting = Task { try await signal.acquire() }
    signal.release()
    try await waiting.value
    signal.release()
    signal.release()
    await signal.control.expectRest(["permit 2"])
  }

  @Test(arguments: matchers)
  func `A read-write lock lets readers in together, and a writer alone`(matcher: Matcher) async throws {
    let lock = ReadWriteLock(options: .init(matcher: matcher))
    let (reading, writing, clashes) = (Tally(), Tally(), Tally())
    try await onThreads(4) { thread in
      var chance = Seeded(Run.seed &+ UInt64(thread))
      for round in 0..<100 {
        let limit = round % 3 == 0 ? Duration.nanoseconds(Int64(chance.next() % 20_000)) : patience
        let access = thread == 0 ? ReadWriteLock.Access.writing : .reading
        if try lock.enter.blockingOutcome(access, within: limit).inTime() == nil { continue }
        if access == .writing {
          if writing.add() > 1 || reading.count > 0 { clashes.add() }
          writing.add(-1)
        } else {
          reading.add()
          if writing.count > 0 { clashes.add() }
          reading.add(-1)
        }
        lock.leave(access)
      }
    }
    #expect(clashes.count == 0)
    await lock.control.expectRest(["turn 1", "room 1"])
  }

  @Test(arguments: matchers)
  func `No reader overtakes a writer, unless the writer gives up`(matcher: Matcher) async throws {
    let lock = ReadWriteLock(options: .init(matcher: matcher))
    try await lock.enter(.reading)
    let writer = Task { await lock.enter.outcome(.writing) }
    await lock.control.expectCaller()
    let reader = Task { try await lock.enter(.reading) }
    await lock.control.expectWaiting(1)
    await #expect(throws: CallError.timedOut) { try await lock.enter(.reading, within: .zero) }
    writer.cancel()
    await #expect(throws: CallError.cancelled) { try await writer.value.get() }
    try await reader.value
    lock.leave(.reading)
    lock.leave(.reading)
    try await lock.enter(.writing)
    lock.leave(.writing)
    await lock.control.expectRest(["turn 1", "room 1"])
  }
}
