import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `A compound that is stopped` {
  @Test(arguments: Waiter.all, matchers)
  func `A caller of a compound that gives up leaves nothing behind`(waiter: Waiter, matcher: Matcher) async throws {
    try await waiter.expectNothingBehind(matcher)
  }

  @Test(arguments: Waiter.ofSynchronisation + Waiter.ofTiming + Waiter.ofChannels, matchers)
  func `A caller that waits in a compound gets .stopped at its stop`(waiter: Waiter, matcher: Matcher) async throws {
    let (control, call) = try await waiter.make(.init(matcher: matcher))
    let caller = Task { await call(nil, .suspending) }
    await control.expectCaller()
    await control.stop(within: patience)
    #expect(await caller.value == .stopped)
  }

  /// Both the writer that gives up and the last reader that leaves act before the pause ends.
  @Test(arguments: matchers)
  func `A writer that gave up as the last reader left lets no later one in early`(matcher: Matcher) async throws {
    let lock = ReadWriteLock(options: .init(matcher: matcher))
    for _ in 0..<20 {
      try await lock.enter(.reading)
      let first = Task { await lock.enter.outcome(.writing) }
      await lock.control.expectCaller()
      await lock.control.expectRest(["next 1", "room 1"])
      lock.control.pause()
      lock.leave(.reading)
      first.cancel()
      await #expect(throws: CallError.cancelled) { try await first.value.get() }
      await lock.control.expectContents(["leave 1", "gave up 1", "room 1"])
      lock.control.resume()
      try await lock.enter(.reading)
      let second = Task { await lock.enter.outcome(.writing) }
      await lock.control.expectCaller()
      await lock.control.settle()
      await #expect(throws: CallError.timedOut) { try await lock.enter(.reading, within: .zero) }
      #expect(lock.control.explain().callers.count == 1)
      lock.leave(.reading)
      try await second.value.get()
      lock.leave(.writing)
    }
  }
}
