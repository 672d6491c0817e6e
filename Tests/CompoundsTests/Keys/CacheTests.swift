import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

private struct Key: Hashable {
  let live: Live

  func hash(into hasher: inout Hasher) { hasher.combine(live.number) }
}

@Suite(.watched)
struct `Caches` {
  @Test func `A cache makes a value once for all its callers`() async throws {
    let (made, mayEnd, clock) = (Tally(), Gate(), ManualClock())
    let cache = Cache<Int, String>(options: .init(clock: clock)) { key in
      made.add()
      await mayEnd.wait()
      return "\(key)"
    }
    let callers = (0..<6).map { number in Task { try await cache.value(number % 2) } }
    await cache.control.callers(6)
    await #expect(throws: CallError.timedOut) { try await clock.expire { try await cache.value(1, within: $0) } }
    mayEnd.open()
    for (number, caller) in callers.enumerated() { #expect(try await caller.value == "\(number % 2)") }
    #expect(made.count == 2)
    #expect(try await onThread { try cache.value.blocking(1) } == "1")
    try await cache.invalidate(1)
    #expect(try await cache.value(1) == "1")
    #expect(made.count == 3)
    try await cache.invalidate(0)
    await cache.control.expectRest(["entry 1"])
    #expect(cache.control.warnings == [])
  }

  @Test func `A cache forgets a caller that gives up`() async throws {
    let (mayEnd, clock) = (Gate(), ManualClock())
    let cache = Cache<Key, Int>(options: .init(clock: clock)) { key in
      await mayEnd.wait()
      return key.live.number
    }
    let all = Census()
    let caller = Task { try await cache.value(Key(live: all.live(1))) }
    await cache.control.callers(1)
    let census = Census()
    for form in CallForm.allCases {
      let outcome = await clock.expire { await cache.value.outcome(Key(live: census.live(1)), within: $0, form) }
      #expect(outcome == .failure(.timedOut))
    }
    await census.expectExtinction()
    mayEnd.open()
    #expect(try await caller.value == 1)
  }

  @Test func `A cache that forgets a key while its value is made keeps no value that is older`() async throws {
    let (made, isMaking, mayEnd) = (Tally(), [Gate(), Gate()], [Gate(), Gate()])
    let cache = Cache<String, Int> { _ in
      let number = made.add()
      if number <= 2 {
        isMaking[number - 1].open()
        await mayEnd[number - 1].wait()
      }
      return number
    }
    let before = Task { try await cache.value("a") }
    await isMaking[0].wait()
    try await cache.invalidate("a")
    let after = Task { try await cache.value("a") }
    await isMaking[1].wait()
    mayEnd[0].open()
    #expect(try await before.value == 1, "it asked before")
    mayEnd[1].open()
    #expect(try await after.value == 2)
    #expect(try await cache.value("a") == 2)
    try await cache.invalidate("a")
    #expect(try await cache.value("a") == 3)
    await cache.control.expectRest(["entry 1"])
  }

  @Test func `All callers get the error of making a value, and the next one tries again`() async throws {
    let (attempts, mayEnd) = (Tally(), Gate())
    let cache = Cache<Int, Int> { key in
      await mayEnd.wait()
      if attempts.add() == 1 { throw Fault() }
      return key
    }
    let callers = (0..<3).map { _ in Task { await cache.value.outcome(7) } }
    await cache.control.callers(3)
    mayEnd.open()
    for caller in callers { #expect(await caller.value == .failure(.failed(Fault()))) }
    await cache.control.expectRest([])
    #expect(try await cache.value(7) == 7)
  }

  @Test func `A value is renewed once it is old, while callers get it, and is never served when it is too old`()
    async throws
  {
    let (clock, made, mayEnd, errors) = (ManualClock(), Tally(), [Gate(), Gate(), Gate(), Gate()], Log<Fault>())
    let options = Soup.Options(clock: clock, onError: { errors.append($0.error as! Fault) })
    let cache = Cache<String, Int>(keeping: .seconds(10), refreshingAfter: .seconds(6), options: options) { _ in
      let number = made.add()
      await mayEnd[number - 1].wait()
      if number == 3 { throw Fault(number: number) }
      return number
    }
    mayEnd[0].open()
    #expect(try await cache.value("a") == 1)
    clock.advance(by: .milliseconds(5_999))
    #expect(try await cache.value("a") == 1)
    #expect(made.count == 1, "it is young")
    clock.advance(by: .milliseconds(1))
    for _ in 0..<3 { #expect(try await cache.value("a") == 1) }
    mayEnd[1].open()
    await cache.control.settle()
    #expect(made.count == 2, "many callers renew it once")
    #expect(try await cache.value("a") == 2)
    clock.advance(by: .seconds(9))
    #expect(try await cache.value("a") == 2)
    mayEnd[2].open()
    await cache.control.settle()
    #expect(errors.all == [Fault(number: 3)], "no caller waits for a renewal")
    clock.advance(by: .seconds(1))
    let last = Task { try await cache.value("a") }
    await cache.control.callers(1)
    mayEnd[3].open()
    #expect(try await last.value == 4)
    await cache.control.expectRest(["entry 1", "roll 1"])
  }

  @Test func `Values that are too old leave without a call, and those that are too many leave unless they are used`()
    async throws
  {
    let (clock, made) = (ManualClock(), Tally())
    let cache = Cache<Int, Int>(limit: 2, keeping: .seconds(10), options: .init(clock: clock)) { key in
      made.add()
      return key
    }
    for key in 1...3 { #expect(try await cache.value(key) == key) }
    await cache.control.expectRest(["entry 2", "roll 1"])
    #expect(try await cache.value(2) == 2)
    #expect(made.count == 3, "the first has left")
    #expect(try await cache.value(4) == 4)
    await cache.control.expectRest(["entry 2", "roll 1"])
    #expect(try await cache.value(2) == 2)
    #expect(made.count == 4, "the unused third has left")
    for _ in 0..<1_000 {
      try await cache.invalidate(2)
      #expect(try await cache.value(2) == 2)
    }
    #expect(try await cache.value(4) == 4)
    #expect(made.count == 1_004, "a key that is made again displaces no other")
    await cache.control.settle(clock, advancedBy: .seconds(10))
    await cache.control.expectRest(["roll 1"])
    #expect(cache.control.snapshot().timers == [])
  }

  @Test func `A stop answers callers whose value is being made, and a clear of the work ends those`() async throws {
    let (begun, mayEnd) = (Gate(), Gate())
    let cache = Cache<Int, Int>(limit: 10) { key in
      begun.open()
      await mayEnd.wait()
      return key
    }
    cache.control.pause()
    let cleared = Task { await cache.value.outcome(7) }
    await cache.control.expectWaiting(1)
    #expect(cache.control.step() != nil)
    #expect(cache.control.clear() == 1)
    #expect(await cleared.value == .failure(.cleared))
    cache.control.resume()
    let callers = (0..<3).map { _ in Task { await cache.value.outcome(7) } }
    await begun.wait()
    await cache.control.callers(3)
    #expect(await cache.control.stop(within: .zero).dropped == 0)
    mayEnd.open()
    for caller in callers { #expect(await caller.value == .success(7)) }
    #expect(await cache.value.outcome(7) == .failure(.stopped))
    try await cache.control.restart(within: patience)
    let last = Task { await cache.value.outcome(7) }
    #expect(await last.value == .success(7))
    let report = await cache.control.drain(within: patience)
    #expect(report.isQuiet && report.unfinished == [])
  }
}
