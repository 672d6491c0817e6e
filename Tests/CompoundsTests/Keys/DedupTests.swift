import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `Keys that come again` {
  @Test func `A key is new again after its time, after it was forgotten, and when it is the oldest of too many`()
    async throws
  {
    let clock = ManualClock()
    let seen = Dedup<Int>(for: .seconds(10), limit: 3, options: .init(clock: clock))
    #expect(try await seen.isFirst(1))
    clock.advance(by: .milliseconds(9_999))
    #expect(try await !seen.isFirst(1))
    clock.advance(by: .milliseconds(1))
    #expect(try await seen.isFirst(1), "a duplicate does not prolong the time")
    await seen.control.settle()
    try await seen.forget(1)
    #expect(try await seen.isFirst(1))
    for key in 2...3 { #expect(try await seen.isFirst(key)) }
    #expect(try await !seen.isFirst(1))
    #expect(try await seen.isFirst(4))
    await seen.control.expectRest(["mark 3", "roll 1"])
    #expect(try await seen.isFirst(1))
    #expect(try await !seen.isFirst(3))
    for _ in 0..<2 { await seen.control.settle(clock, advancedBy: .seconds(10)) }
    await seen.control.expectRest(["roll 1"])
    #expect(seen.control.snapshot().timers == [])
    await seen.control.stop()
    await #expect(throws: CallError.stopped) { try await seen.isFirst(1) }
    #expect(seen.control.warnings == [])
  }
}
