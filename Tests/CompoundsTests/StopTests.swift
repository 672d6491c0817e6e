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

  @Test(arguments: matchers)
  func `All callers of a memo that is stopped while it makes the value get an error`(matcher: Matcher) async throws {
    let end = Latch(1)
    let memo = Memo<Int, Int>(options: .init(matcher: matcher)) { key in
      await end.wait()
      return key
    }
    let callers = (0..<3).map { _ in Task { await memo.value.outcome(7) } }
    await memo.control.expectCallers(3)
    await memo.control.stop(within: .zero)
    end.countDown()
    for caller in callers { #expect(await caller.value == .failure(.failed(CallError.stopped))) }
    try await memo.control.restart(within: patience)
    #expect(try await memo.value(7) == 7)
  }

  @Test(arguments: matchers)
  func `A memo whose work was cleared at first makes the value for the next caller`(matcher: Matcher) async throws {
    let memo = Memo<Int, Int>(options: .init(matcher: matcher)) { $0 }
    memo.control.pause()
    let first = Task { await memo.value.outcome(7) }
    await memo.control.expectWaiting(1)
    #expect(memo.control.step() != nil)
    await memo.control.expectContents(["work 1", "table 1"])
    #expect(memo.control.clear() == 1)
    #expect(await first.value == .failure(.cleared))
    memo.control.resume()
    #expect(try await memo.value(7) == 7)
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
