import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Glibc
import Testing

/// Makes a soup whose only reaction logs the molecules of a timer.
private func meter(
  _ matcher: Matcher, _ clock: (any Clock<Duration>)?, _ log: Log<Int>
) -> (Injector<Int>, Soup.Control) {
  matcher.with(clock: clock).react(slow("tick", of: Int.self)) { log.append($0) }
}

/// Makes a soup in which values wait for a partner.
private func store(_ matcher: Matcher, _ clock: (any Clock<Duration>)?) -> (Injector<Live>, Soup.Control) {
  let options = matcher.with(clock: clock, allowing: Set(Soup.Warning.Kind.allCases))
  return options.define(slow("value", of: Live.self), named: "store") { soup, value in
    soup.react(value, soup.slow("partner")) { _, _ in }
  }
}

@Suite(.watched, .serialized)
struct `Timers` {
  @Test
  func `Threads that arm timers of one soup seldom wait for one another`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("timers of many threads")
      let (value, control) = store(.automatic, nil)
      let (threads, count) = (8, 2000)
      func sleeps() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_nvcsw
      }
      let before = sleeps()
      _ = try await onThreads(threads) { _ in
        let census = Census()
        for _ in 0..<count { value.after(.seconds(1000), census.live()) }
      }
      // A lock that is handed over by the kernel makes nearly each timer wait for a thread to wake.
      #expect(sleeps() - before < threads * count / 10)
      await control.stop()
    }
  }

  @Test(arguments: matchers)
  func `Timers fire in the order of their times, and at one time in the order of arming`(matcher: Matcher) async {
    let (clock, log) = (ManualClock(), Log<Int>())
    let (tick, control) = matcher.on(.inline).with(clock: clock).react(slow("tick", of: Int.self)) { log.append($0) }
    tick.after(.seconds(7), 7)
    tick.every(.seconds(3), 3)
    tick.after(.seconds(6), 61)
    tick.after(.seconds(5), 5)
    tick.after(.zero, 0)
    tick.after(.seconds(-1), -1)
    tick.after(.seconds(6), 62)
    tick.after(.seconds(Int64.max), .max)
    await control.settle()
    #expect(log.all == [0, -1])
    await control.settle(clock, advancedBy: .seconds(10))
    #expect(log.all == [0, -1, 3, 5, 61, 62, 3, 7, 3])
  }

  @Test(arguments: matchers)
  func `A timer that repeats injects after each period until it is cancelled`(matcher: Matcher) async {
    let (clock, log) = (ManualClock(), Log<Int>())
    let (tick, control) = meter(matcher, clock, log)
    let timer = tick.every(.seconds(2), 1)
    for second in 1...9 {
      await control.settle(clock, advancedBy: .seconds(1))
      #expect(log.count == second / 2)
    }
    #expect(timer.isArmed && timer.cancel() && !timer.isArmed && !timer.cancel())
    await control.settle(clock, advancedBy: .seconds(60))
    #expect(log.count == 4)
  }

  @Test(arguments: matchers)
  func `A timer that is cancelled injects nothing, and destroys its value`(matcher: Matcher) async {
    let (clock, census) = (ManualClock(), Census())
    let (value, control) = store(matcher, clock)
    let timers = [value.after(.seconds(1), census.live()), value.every(.seconds(1), census.live())]
    #expect(census.alive == 2)
    for timer in timers { #expect(timer.cancel() && !timer.cancel() && !timer.isArmed) }
    #expect(census.alive == 0)
    await control.settle(clock, advancedBy: .seconds(10))
    #expect(control.snapshot()[value] == 0)
    #expect(clock.nextAwakening == nil, "no task sleeps for timers that were cancelled")
  }

  @Test(arguments: matchers, [true, false])
  func `A timer ends with its soup, and keeps none alive`(matcher: Matcher, byHand: Bool) {
    let clock = ManualClock()
    let (values, soups) = (Census(), Census())
    var timers: [Soup.Timer] = []
    do {
      let inSoup = soups.live()
      let (value, _) = matcher.with(clock: byHand ? clock : nil).react(slow("value", of: Live.self)) { _ in
        withExtendedLifetime(inSoup) {}
      }
      timers = [value.after(.seconds(3600), values.live()), value.every(.seconds(3600), values.live())]
    }
    #expect(values.alive == 0 && soups.alive == 0)
    for timer in timers { #expect(!timer.isArmed && !timer.cancel()) }
    #expect(clock.nextAwakening == nil)
  }

  @Test(arguments: matchers, [true, false])
  func `A timer ends when its soup stops, and can be armed anew later`(matcher: Matcher, byHand: Bool) async throws {
    let (clock, census) = (ManualClock(), Census())
    let (value, control) = store(matcher, byHand ? clock : nil)
    let timers = [value.after(.seconds(3600), census.live()), value.every(.seconds(3600), census.live())]
    let report = await control.stop(within: patience)
    #expect(report.isQuiet && census.alive == 0)
    for timer in timers { #expect(!timer.isArmed && !timer.cancel()) }
    #expect(!value.after(.zero, census.live()).isArmed && census.alive == 0, "a stopped soup has no timer")
    try await control.restart(within: patience)
    let timer = value.after(.zero, census.live())
    while control.snapshot()[value] == 0 { await Task.yield() }
    #expect(!timer.isArmed && census.alive == 1)
    control.clear()
    #expect(census.alive == 0)
  }

  @Test(arguments: matchers)
  func `A timer of a soup that is gone has ended`(matcher: Matcher) {
    let census = Census()
    let value = matcher.react(slow("value", of: Live.self)) { _ in }.0.weak
    let timer = value.every(.seconds(1), census.live())
    #expect(!timer.isArmed && !timer.cancel() && census.alive == 0)
  }

  @Test(arguments: matchers)
  func `A due timer fires while its soup is drained, and the report lists the others`(matcher: Matcher) async {
    let (clock, gate, log) = (ManualClock(), Gate(), Log<Int>())
    let (tick, hold, control) = matcher.with(clock: clock).define(slow("tick", of: Int.self), slow("hold")) {
      soup, tick, hold in
      soup.react(tick) { log.append($0) }
      soup.react(hold, on: .task) { _ in await gate.wait() }
    }
    tick.after(.seconds(1), 1)
    let late = tick.after(.seconds(2), 2)
    hold()
    async let report = control.drain(within: patience)
    while !control.snapshot().isDraining { await Task.yield() }
    clock.advance(by: .seconds(1))
    while log.count == 0 { await Task.yield() }
    gate.open()
    let end = await report
    #expect(end.isQuiet && end.unfinished.isEmpty && end.description == "quiet, timers ended: 1 × tick")
    #expect(end.timers.map(\.label) == ["tick"] && end.timers.map(\.count) == [1])
    #expect(log.all == [1] && !late.isArmed && clock.nextAwakening == nil)
  }

  @Test(arguments: matchers)
  func `A timer outlasts clear and pause`(matcher: Matcher) async {
    let (clock, log) = (ManualClock(), Log<Int>())
    let (tick, control) = meter(matcher, clock, log)
    tick.every(.seconds(1), 1)
    control.pause()
    await control.settle(clock, advancedBy: .seconds(3))
    #expect(control.snapshot()[tick] == 3)
    #expect(control.clear() == 3)
    await control.settle(clock, advancedBy: .seconds(2))
    #expect(log.all.isEmpty)
    control.resume()
    await control.settle()
    #expect(log.count == 2)
  }

  @Test(arguments: matchers)
  func `A snapshot and an explanation show the timers that are armed`(matcher: Matcher) async {
    let clock = ManualClock()
    let (tick, tock, control) = matcher.with(clock: clock).react(slow("tick"), slow("tock", of: Int.self)) { _, _ in }
    #expect(control.snapshot().timers.isEmpty && control.explain().timers.isEmpty)
    let timer = tick.every(.seconds(3))
    tock.after(.seconds(5), 1)
    tock.after(.milliseconds(1500), 2)
    await control.settle(clock, advancedBy: .seconds(1))
    let timers = control.snapshot().timers
    #expect(timers.map(\.label) == ["tick", "tock"] && timers.map(\.count) == [1, 2])
    #expect(timers.map(\.next) == [.seconds(2), .milliseconds(500)])
    let explanation = control.explain()
    #expect(explanation.timers == timers)
    #expect(explanation.verdict == "quiet and nothing waits; the next timer is due in 500 ms")
    let text = explanation.description
    #expect(text.contains("next:    a timer injects 'tick' in 2 s.\n           a timer injects 'tock' in 500 ms."))
    #expect(text.hasSuffix("\n\ntick: 1 timer, due in 2 s\ntock: 2 timers, the next due in 500 ms"))
    timer.cancel()
    #expect(control.snapshot().timers.map(\.label) == ["tock"])
    await control.settle(clock, advancedBy: .seconds(10))
    #expect(control.snapshot().timers.isEmpty && control.snapshot()[tock] == 2)
  }

  @Test(arguments: matchers, [true, false])
  func `A timer armed in the definition injects when that has ended`(matcher: Matcher, byHand: Bool) async {
    let (clock, log) = (ManualClock(), Log<Int>())
    let (_, control) = matcher.with(clock: byHand ? clock : nil).define(slow("tick", of: Int.self)) { soup, tick in
      soup.react(tick) { log.append($0) }
      tick.after(.zero, 1)
    }
    while log.count == 0 { await Task.yield() }
    #expect(log.all == [1] && control.warnings.isEmpty)
  }

  @Test(arguments: matchers)
  func `A timer by the continuous clock keeps its period`(matcher: Matcher) async {
    let log = Log<ContinuousClock.Instant>()
    let (tick, control) = matcher.on(.inline).react(slow("tick")) { _ in log.append(.now) }
    let begin = ContinuousClock.now
    let timer = tick.every(.milliseconds(1))
    while log.count < 20 { await Task.yield() }
    timer.cancel()
    await control.settle()
    let came = log.count
    for (index, time) in log.all.enumerated() { #expect(time >= begin + .milliseconds(index + 1)) }
    #expect(log.count == came && control.snapshot()[tick] == 0)
  }

  @Test(arguments: matchers, [true, false])
  func `Timers that fire as their soup ends or stops leave nothing behind`(matcher: Matcher, stops: Bool) async {
    let (values, soups) = (Census(), Census())
    for round in 0..<scaled(60) {
      let inSoup = soups.live()
      let (value, control) = matcher.react(slow("value", of: Live.self)) { _ in withExtendedLifetime(inSoup) {} }
      for k in 0..<4 { value.after(.microseconds(20 * k), values.live()) }
      value.every(.microseconds(5), values.live())
      for _ in 0..<round % 40 { await Task.yield() }
      if stops { #expect(await control.stop(within: patience).isQuiet) }
    }
    await values.expectExtinction()
    await soups.expectExtinction()
  }

  @Test(arguments: matchers)
  func `A timer that repeats ends with the last owner, although a body runs`(matcher: Matcher) async {
    let (clock, soups) = (ManualClock(), Census())
    let (begun, mayEnd) = (Gate(), Gate())
    func begin() async -> Soup.Timer {
      let inSoup = soups.live()
      let (beat, _) = matcher.with(clock: clock).react(slow("beat")) { _ in
        begun.open()
        mayEnd.waitBlocking()
        withExtendedLifetime(inSoup) {}
      }
      let timer = beat.every(.seconds(1))
      clock.advance(by: .seconds(1))
      await begun.wait()
      return timer
    }
    let timer = await begin()
    #expect(timer.isArmed)
    clock.advance(by: .seconds(1))
    while timer.isArmed { await Task.yield() }
    mayEnd.open()
    await soups.expectExtinction()
  }

  @Test(arguments: matchers)
  func `Timers carry values of any kind`(matcher: Matcher) async {
    let (census, log) = (Census(), Log<Bool>())
    let (weak, page, control) = matcher.react(slow("weak", of: Weak.self), slow("page", of: Page.self)) {
      log.append($0.live?.number == 3 && $1 == Page(filledWith: 9))
    }
    let live = census.live(3)
    weak.after(.zero, Weak(live))
    page.after(.zero, Page(filledWith: 9))
    while log.count == 0 { await Task.yield() }
    await control.settle()
    #expect(log.all == [true])
    withExtendedLifetime(live) {}
  }
}
