import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `Rate limiters by key` {
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
      await limiter.control.callers(number + 1)
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
    await limiter.control.callers(1)
    #expect(await limiter.control.drain(within: patience).unfinished.map(\.description) == ["waiting 1"])
    await #expect(throws: CallError.stopped) { try await waiting.value.get() }
    try await limiter.control.restart(within: patience)
    try await limiter.pass(1, within: .zero)
    let dropped = Task { await limiter.pass.outcome(1) }
    await limiter.control.callers(1)
    #expect(await limiter.control.stop().dropped == 1)
    await #expect(throws: CallError.stopped) { try await dropped.value.get() }
  }
}
