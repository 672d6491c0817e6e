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
    let lock = Lock(options: .init(matcher: matcher))
    let semaphore = Semaphore(permits: 1, options: .init(matcher: matcher))
    let both = ReadWriteLock(options: .init(matcher: matcher))
    await #expect(throws: Fault.self) { try await lock.withLock { throw Fault() } }
    await #expect(throws: Fault.self) { try await semaphore.withPermit { throw Fault() } }
    await #expect(throws: Fault.self) { try await both.withReading { throw Fault() } }
    await #expect(throws: Fault.self) { try await both.withWriting { throw Fault() } }
    try await onThread {
      #expect(throws: Fault.self) { try lock.blocking.withLock { throw Fault() } }
      #expect(throws: Fault.self) { try semaphore.blocking.withPermit { throw Fault() } }
      #expect(throws: Fault.self) { try both.blocking.withReading { throw Fault() } }
      #expect(throws: Fault.self) { try both.blocking.withWriting { throw Fault() } }
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
  func `No reader overtakes a writer, unless the writer gives up`(matcher: Matcher) async throws {
    let lock = ReadWriteLock(options: .init(matcher: matcher))
    try await lock.enter(.reading)
    let writer = Task { await lock.enter.outcome(.writing) }
    await lock.control.callers(1)
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
