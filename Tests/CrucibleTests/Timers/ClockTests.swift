import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched, .serialized)
struct `The clock of a soup` {
  /// A duration has 128 bits, and is divided in another way from 2⁷³ attoseconds on.
  @Test(arguments: matchers)
  func `The clock of a soup ends calls at their limits to the nanosecond`(matcher: Matcher) async {
    let clock = ManualClock()
    let (ask, _, control) = matcher.with(clock: clock).react(fast("ask", returning: Int.self), slow("partner")) {
      call, _ in call.reply(1)
    }
    let edge = Duration(attoseconds: 1 << 73)
    let limits: [(Duration, nanoseconds: Int64)] = [
      (.nanoseconds(2), 2), (.seconds(1) - Duration(attoseconds: 1), 999_999_999), (.seconds(3600), 3_600_000_000_000),
      (edge - .nanoseconds(1), 9_444_732_965_738), (edge - Duration(attoseconds: 1), 9_444_732_965_739),
      (edge, 9_444_732_965_739), (edge + .nanoseconds(1), 9_444_732_965_740),
      (.seconds(31_536_000) + .nanoseconds(1), 31_536_000_000_000_001),
    ]
    for (limit, nanoseconds) in limits {
      async let outcome = ask.outcome(within: limit)
      let caller = await control.callers(1)
      #expect(caller.map(\.limit) == [.nanoseconds(nanoseconds)])
      await control.settle(clock, advancedBy: .nanoseconds(nanoseconds - 1))
      #expect(control.snapshot()[ask] == 1)
      clock.advance(by: .nanoseconds(1))
      #expect(await outcome == .failure(.timedOut))
    }
    #expect(await ask.outcome(within: Duration(attoseconds: 999_999_999)) == .failure(.timedOut), "below a nanosecond")
  }

  @Test(arguments: matchers)
  func `The clock of a soup ends calls that are made during the definition`(matcher: Matcher) async {
    let (clock, begun) = (ManualClock(), Shared<Task<Result<Int, CallError>, Never>>(nil))
    let (_, _, control) = matcher.with(clock: clock, allowing: Set(Soup.Warning.Kind.allCases)).define(
      fast("ask", returning: Int.self), slow("partner")
    ) { soup, ask, partner in
      soup.react(ask, partner) { call, _ in call.reply(1) }
      let call = ask
      begun.put(Task { await call.outcome(within: .seconds(3600)) })
    }
    await control.callers(1)
    clock.advance(by: .seconds(3600))
    #expect(await begun.value!.value == .failure(.timedOut))
  }

  @Test(arguments: matchers)
  func `The clock of a soup may be any clock`(matcher: Matcher) async {
    for clock in [ContinuousClock(), SuspendingClock()] as [any Clock<Duration>] {
      let log = Log<Int>()
      let (tick, control) = matcher.with(clock: clock).react(slow("tick", of: Int.self), on: .inline) { log.append($0) }
      tick.after(.milliseconds(20), 3)
      tick.after(.milliseconds(10), 2)
      tick.after(.milliseconds(1), 1)
      while log.count < 3 { await Task.yield() }
      // On a busy machine the first may be due before the last is armed.
      #expect(log.all.sorted() == [1, 2, 3])
      await control.settle()
    }
  }

  @Test(arguments: matchers)
  func `The clock of a soup serves many timers, set and cancelled in any order`(matcher: Matcher) async {
    let (clock, log) = (ManualClock(), Log<Int>())
    let (tick, control) = matcher.on(.inline).with(clock: clock).react(slow("tick", of: Int.self)) { log.append($0) }
    var random = Seeded(7)
    var armed: [(time: Int, number: Int, timer: Soup.Timer)] = []
    var expected: [Int] = []
    var now = 0
    for number in 0..<3000 {
      let delay = Int.random(in: 1...500, using: &random)
      armed.append((now + delay, number, tick.after(.milliseconds(delay), number)))
      if Int.random(in: 0..<3, using: &random) == 0 {
        #expect(armed.remove(at: Int.random(in: armed.indices, using: &random)).timer.cancel())
      }
      if number % 50 == 49 {
        let step = Int.random(in: 1...200, using: &random)
        now += step
        await control.settle(clock, advancedBy: .milliseconds(step))
        let due = armed.filter { $0.time <= now }.sorted { ($0.time, $0.number) < ($1.time, $1.number) }
        expected += due.map(\.number)
        armed.removeAll { $0.time <= now }
        #expect(log.all == expected)
        #expect(control.snapshot().timers.first?.count ?? 0 == armed.count)
      }
    }
    #expect(expected.count > 1000)
  }
}

@Suite(.watched)
struct `A manual clock` {
  @Test func `A manual clock stops at its end, however far it is advanced`() {
    let clock = ManualClock()
    for _ in 0..<40 { clock.advance(by: .seconds(Int64.max)) }
    clock.advance(by: .seconds(Int64.min))
    #expect(clock.now.offset == .seconds(Int64.max))
  }

  @Test(arguments: matchers)
  func `At the end of a clock, limits of zero time out, and later timers never come`(matcher: Matcher) async {
    let (clock, ticks) = (ManualClock(), Tally())
    let (ask, _, tick, control) = matcher.with(clock: clock).define(
      fast("ask", returning: Int.self), slow("partner"), slow("tick")
    ) { soup, ask, partner, tick in
      soup.react(ask, partner) { call, _ in call.reply(1) }
      soup.react(tick) { _ in ticks.add() }
    }
    // The clock ends after 292 years, and the first timer is due 7 years before that.
    let never = Duration.seconds(Int64.max)
    let timers = [tick.every(.seconds(9_000_000_000)), tick.every(never), tick.after(never)]
    let limited = Task { await ask.outcome(within: .seconds(10_000_000_000)) }
    await control.callers(1)
    await control.settle(clock, advancedBy: .seconds(9_000_000_000))
    #expect(ticks.count == 1)
    for _ in 0..<2 {
      await control.settle(clock, advancedBy: never)
    }
    #expect(ticks.count == 1)
    #expect(clock.nextAwakening == nil, "no task sleeps for what never comes")
    #expect(await ask.outcome(within: .zero) == .failure(.timedOut))
    await #expect(throws: CallError.timedOut) { try await Soup.first(of: ask.call(), within: .zero) }
    #expect(timers.map { $0.cancel() } == [true, true, true])
    limited.cancel()
    #expect(await limited.value == .failure(.cancelled))
  }

  @Test func `A manual clock stands still until it is advanced, and wakes sleepers whose time has come`() async throws {
    let clock = ManualClock()
    let begin = clock.now
    let log = Log<Int>()
    #expect(clock.nextAwakening == nil && clock.minimumResolution == .zero)
    let tasks = [5, 3, 9].map { seconds in
      Task {
        try await clock.sleep(until: begin.advanced(by: .seconds(seconds)))
        log.append(seconds)
      }
    }
    while clock.nextAwakening != begin.advanced(by: .seconds(3)) { await Task.yield() }
    clock.advance(by: .seconds(3))
    try await tasks[1].value
    while clock.nextAwakening != begin.advanced(by: .seconds(5)) { await Task.yield() }
    clock.advance(by: .seconds(-1))
    #expect(begin.duration(to: clock.now) == .seconds(3) && log.all == [3])
    clock.advance(by: .seconds(2))
    try await tasks[0].value
    #expect(log.all == [3, 5])
    try await clock.sleep(until: clock.now)
    tasks[2].cancel()
    await #expect(throws: CancellationError.self) { try await tasks[2].value }
    #expect(clock.nextAwakening == nil)
    let cancelled = Task {
      while !Task.isCancelled { await Task.yield() }
      try await clock.sleep(for: .seconds(1))
    }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    #expect(clock.nextAwakening == nil)
  }
}

@Suite(.watched)
struct `The clock that bodies read` {
  /// The token bucket of the article on timers.
  private struct Bucket {
    var tokens = 3
    var filledAt: Duration?

    mutating func take(at now: Duration) -> Bool {
      let filled = filledAt ?? now
      let new = Int((now - filled) / .seconds(1))
      tokens = min(3, tokens + new)
      filledAt = filled + .seconds(new)
      if tokens == 0 { return false }
      tokens -= 1
      return true
    }
  }

  @Test(arguments: Run.setups)
  func `Bodies read the soup's clock, which a manual clock advances`(setup: Setup) async throws {
    let clock = ManualClock()
    let (take, _) = setup.with(clock: clock).define(fast("take", returning: Bool.self), named: "bucket") { soup, take in
      let bucket = soup.state("bucket", Bucket())
      let clock = soup.clock
      soup.react(state: bucket, take) { bucket, call in call.reply(bucket.take(at: clock.now)) }
    }
    func taken() async throws -> Int {
      var count = 0
      for _ in 0..<5 where try await take() { count += 1 }
      return count
    }
    #expect(try await taken() == 3)
    clock.advance(by: .milliseconds(2_999))
    #expect(try await taken() == 2)
    clock.advance(by: .milliseconds(1))
    #expect(try await taken() == 1)
    clock.advance(by: .seconds(3600))
    #expect(try await taken() == 3)
    #expect(clock.nextAwakening == nil, "no timer is armed")
  }

  @Test(arguments: matchers)
  func `A soup without a clock of its own reads the monotonic clock, even when gone`(matcher: Matcher) async throws {
    let outside = Shared<Soup.ClockReader>(nil)
    func readTwice() async throws -> (Duration, Duration) {
      let (read, _) = matcher.define(fast("read", returning: Duration.self)) { soup, read in
        let clock = soup.clock
        outside.put(clock)
        soup.react(read) { call in call.reply(clock.now) }
      }
      return (try await read(), try await read())
    }
    let (first, second) = try await readTwice()
    let third = try #require(outside.value).now
    #expect(first <= second && second <= third && third < first + patience)
  }
}
