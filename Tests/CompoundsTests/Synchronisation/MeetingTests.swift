import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `Barriers, exchangers, rendezvous, latches, events and values made once` {
  @Test(arguments: matchers, [1, 3, 64, 65])
  func `A barrier opens for all its parties at once, again and again`(matcher: Matcher, parties: Int) async throws {
    let barrier = Barrier(parties: parties, options: .init(matcher: matcher))
    let (arrived, early) = (Tally(), Tally())
    let rounds = parties >= 64 ? 2 : 20
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<parties {
        group.addTask {
          for round in 1...rounds {
            arrived.add()
            try await barrier.arrive()
            if arrived.count < round * parties { early.add() }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(early.count == 0)
    #expect(arrived.count == rounds * parties)
    await barrier.control.expectRest(parties > 64 ? ["gathered 1"] : [])
  }

  @Test(arguments: matchers)
  func `A party of a large barrier that gave up does not count, and a stop ends others`(matcher: Matcher) async throws {
    let barrier = Barrier(parties: 100, options: .init(matcher: matcher))
    for _ in 0..<3 { await #expect(throws: CallError.timedOut) { try await barrier.arrive(within: .zero) } }
    func arrive(_ count: Int) -> [Task<Result<Void, CallError>, Never>] {
      (0..<count).map { _ in Task { await barrier.arrive.outcome() } }
    }
    let waiting = arrive(99)
    await barrier.control.callers(99)
    #expect(barrier.control.explain().callers.count == 99)
    try await barrier.arrive()
    for caller in waiting { try await caller.value.get() }
    let stopped = arrive(2)
    await barrier.control.callers(2)
    await barrier.control.stop(within: patience)
    for caller in stopped { await #expect(throws: CallError.stopped) { try await caller.value.get() } }
  }

  @Test(arguments: matchers)
  func `Once makes one value for all its callers`(matcher: Matcher) async throws {
    let (made, mayEnd) = (Tally(), Gate())
    let once = Once(options: .init(matcher: matcher)) {
      made.add()
      await mayEnd.wait()
      return made.count
    }
    let callers = (0..<4).map { _ in Task { try await once.value() } }
    await once.control.expectWaiting(3)
    await #expect(throws: CallError.timedOut) { try await once.value(within: .zero) }
    mayEnd.open()
    for caller in callers { #expect(try await caller.value == 1) }
    #expect(try await onThread { try once.value.blocking() } == 1)
    await once.control.expectRest(["known 1"])
  }
}
