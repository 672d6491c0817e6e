import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `Rate limiters by key` {
  @Test func `Each key has its own limit, and an attempt says how long to wait`() async throws {
    let clock = ManualClock()
    let limiter = KeyedRateLimiter<String>(2, per: .seconds(1), options: .init(clock: clock))
    for user in ["anna", "bert"] {
      for _ in 0..<2 { #expect(try await limiter.attempt(user) == nil) }
      #expect(try await limiter.attempt(user) == .milliseconds(500))
    }
    clock.advance(by: .milliseconds(400))
    #expect(try await limiter.attempt("anna") == .milliseconds(100))
    clock.advance(by: .milliseconds(100))
    #expect(try await limiter.attempt("anna") == nil)
    #expect(try await limiter.attempt("anna") == .milliseconds(500))
    for _ in 0..<3 { await limiter.control.settle(clock, advancedBy: .seconds(1)) }
    await limiter.control.expectRest([])
    #expect(limiter.control.snapshot().timers == [])
    #expect(limiter.control.warnings == [])
  }

  @Test func `Callers of a key that wait pass in their order, each in its time, and no attempt overtakes them`()
    async throws
  {
    let (clock, passed) = (ManualClock(), Log<Int>())
    let limiter = KeyedRateLimiter<String>(1, per: .seconds(1), options: .init(clock: clock))
    try await limiter.pass("a")
    var callers: [Task<Void, any Error>] = []
    for number in 0..<4 {
      callers.append(
        Task {
          try await limiter.pass("a")
          passed.append(number)
        })
      await limiter.control.expectCallers(number + 1)
    }
    #expect(try await limiter.attempt("a") == .seconds(1))
    try await limiter.pass("b", within: .zero)
    callers[1].cancel()
    await #expect(throws: CallError.cancelled) { try await callers[1].value }
    await limiter.control.settle(clock, advancedBy: .milliseconds(999))
    #expect(passed.all == [])
    await limiter.control.settle(clock, advancedBy: .milliseconds(1))
    await eventually("the first one passes") { passed.all == [0] }
    await limiter.control.settle(clock, advancedBy: .seconds(1))
    await eventually("the third one passes") { passed.all == [0, 2] }
    callers[3].cancel()
    await #expect(throws: CallError.cancelled) { try await callers[3].value }
    for _ in 0..<4 { await limiter.control.settle(clock, advancedBy: .seconds(1)) }
    await limiter.control.expectRest([])
    #expect(limiter.control.snapshot().timers == [])
  }

  @Test func `Callers that wait get the error of a stop, and a restart begins with full buckets`() async throws {
    let limiter = KeyedRateLimiter<Int>(1, per: .seconds(1_000), options: .init(clock: ManualClock()))
    try await limiter.pass(1)
    let waiting = Task { await limiter.pass.outcome(1) }
    await limiter.control.expectCallers(1)
    #expect(await limiter.control.drain(within: patience).unfinished.map(\.description) == ["waiting 1"])
    await #expect(throws: CallError.stopped) { try await waiting.value.get() }
    try await limiter.control.restart(within: patience)
    try await limiter.pass(1, within: .zero)
    let dropped = Task { await limiter.pass.outcome(1) }
    await limiter.control.expectCallers(1)
    #expect(await limiter.control.stop().dropped == 1)
    await #expect(throws: CallError.stopped) { try await dropped.value.get() }
  }

  @Test func `Many callers of few keys pass as often as the rate allows, and nothing is left behind`() async throws {
    let (clock, passed) = (ManualClock(), (0..<3).map { _ in Tally() })
    let limiter = KeyedRateLimiter<Int>(10, per: .seconds(1), options: .init(clock: clock))
    try await onThreads(4) { thread in
      for round in 0..<300 {
        let key = (thread + round) % 3
        let isPassed =
          round % 2 == 0
          ? try limiter.attempt.blocking(key) == nil : limiter.pass.blockingOutcome(key, within: .zero).isSuccess
        if isPassed { passed[key].add() }
      }
    }
    #expect(passed.map(\.count) == [10, 10, 10])
    await limiter.control.settle(clock, advancedBy: .seconds(1))
    for _ in 0..<3 { await limiter.control.settle(clock, advancedBy: .seconds(1)) }
    await limiter.control.expectRest([])
  }
}

extension Result {
  fileprivate var isSuccess: Bool { if case .success = self { true } else { false } }
}
