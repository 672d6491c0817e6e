import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `Rate limiters, debounces, throttles and batchers` {
  @Test(arguments: matchers)
  func `A rate limiter lets as many callers pass in any interval as it says`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let limiter = RateLimiter(2, per: .seconds(1), options: .init(matcher: matcher, clock: clock))
    try await limiter.pass()
    clock.advance(by: .milliseconds(600))
    try await limiter.pass()
    let third = Task { try await limiter.pass() }
    await limiter.control.expectWaiting(1)
    await limiter.control.settle(clock, advancedBy: .milliseconds(399))
    #expect(limiter.control.snapshot().waitingCallers == 1)
    clock.advance(by: .milliseconds(1))
    try await third.value
    // A caller may go on before the body that served it has armed its permit's timer.
    await limiter.control.quiet(within: patience)
    clock.advance(by: .milliseconds(600))
    try await limiter.pass()
    await limiter.control.quiet(within: patience)
    clock.advance(by: .seconds(1))
    await limiter.control.expectRest(["permit 2"])
  }

  @Test(arguments: matchers)
  func `A caller of a rate limiter that gives up has not passed`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let moment = Moment("pass")
    let options = Soup.Options(matcher: matcher, clock: clock, observer: moment.observer)
    let limiter = RateLimiter(1, per: .seconds(1), options: options)
    try await limiter.pass()
    try await moment.cancel(limiter.pass, (), in: limiter.control) { clock.advance(by: .seconds(1)) }
    await limiter.control.expectRest(["permit 1"])
  }

  @Test(arguments: matchers)
  func `A debounce acts on the last value once it is over`(matcher: Matcher) async {
    let (clock, log) = (ManualClock(), Log<Int>())
    let options = Soup.Options(matcher: matcher, clock: clock)
    let debounce = Debounce<Int>(for: .seconds(1), options: options) { log.append($0) }
    for number in 1...3 {
      debounce.send(number)
      await debounce.control.settle(clock, advancedBy: .milliseconds(999))
    }
    #expect(log.all == [])
    clock.advance(by: .milliseconds(1))
    await debounce.control.expectRest(["last 1", "turn 1"])
    #expect(log.all == [3])
    #expect(debounce.control.warnings == [])
    debounce.send(4)
    await debounce.control.settle(clock, advancedBy: .seconds(1))
    #expect(log.all == [3, 4])
    #expect(debounce.control.snapshot().timers == [])
  }

  @Test(arguments: matchers)
  func `A debounce waits for a value that comes while the time of the one before is over`(matcher: Matcher) async {
    for _ in 0..<20 {
      let (clock, log) = (ManualClock(), Log<Int>())
      let options = Soup.Options(matcher: matcher, clock: clock)
      let debounce = Debounce<Int>(for: .seconds(1), options: options) { log.append($0) }
      debounce.send(1)
      debounce.control.pause()
      clock.advance(by: .seconds(1))
      debounce.send(2)
      await debounce.control.expectRest(["send 1", "due 1", "last 1", "turn 1"])
      debounce.control.resume()
      await debounce.control.quiet(within: patience)
      #expect(log.all == [1] || log.all == [])
      await debounce.control.settle(clock, advancedBy: .seconds(1))
      #expect(log.all.last == 2)
    }
  }

  @Test(arguments: matchers)
  func `A batcher acts on no batch twice when one is full and late at once`(matcher: Matcher) async {
    for _ in 0..<20 {
      let (clock, log) = (ManualClock(), Log<[Int]>())
      let options = Soup.Options(matcher: matcher, clock: clock)
      let batcher = Batcher<Int>(size: 2, within: .seconds(1), options: options) { log.append($0) }
      batcher.add(1)
      batcher.control.pause()
      clock.advance(by: .seconds(1))
      batcher.add(2)
      await batcher.control.expectRest(["add 1", "late 1", "batch 1", "turn 1"])
      batcher.control.resume()
      await batcher.control.quiet(within: patience)
      #expect(log.all == [[1, 2]] || log.all == [[1]])
      await batcher.control.settle(clock, advancedBy: .seconds(1))
      #expect(log.all.flatMap(\.self) == [1, 2] && log.all.allSatisfy { !$0.isEmpty })
    }
  }

  @Test(arguments: matchers)
  func `A throttle acts on the first value, and then on the latest of each interval`(matcher: Matcher) async {
    let (clock, log) = (ManualClock(), Log<Int>())
    let options = Soup.Options(matcher: matcher, clock: clock)
    let throttle = Throttle<Int>(every: .seconds(1), options: options) { log.append($0) }
    for number in 1...3 { throttle.send(number) }
    await throttle.control.quiet(within: patience)
    #expect(log.all == [1])
    await throttle.control.settle(clock, advancedBy: .seconds(1))
    #expect(log.all == [1, 3])
    clock.advance(by: .seconds(1))
    await throttle.control.expectRest(["latest 1"])
    #expect(throttle.control.snapshot().timers == [])
    throttle.send(4)
    await throttle.control.quiet(within: patience)
    #expect(log.all == [1, 3, 4])
  }

  @Test(arguments: matchers)
  func `A batcher acts on a full batch, and on one that is late`(matcher: Matcher) async {
    let (clock, log) = (ManualClock(), Log<[Int]>())
    let options = Soup.Options(matcher: matcher, clock: clock)
    let batcher = Batcher<Int>(size: 3, within: .seconds(1), options: options) { log.append($0) }
    for number in 1...4 { batcher.add(number) }
    await batcher.control.quiet(within: patience)
    #expect(log.all == [[1, 2, 3]])
    await batcher.control.settle(clock, advancedBy: .milliseconds(999))
    #expect(log.all == [[1, 2, 3]])
    clock.advance(by: .milliseconds(1))
    await batcher.control.expectRest(["batch 1", "turn 1"])
    #expect(log.all == [[1, 2, 3], [4]])
    let ones = Batcher<Int>(size: 1, within: .seconds(1), options: options) { log.append([-$0[0]]) }
    for number in 1...20 { ones.add(number) }
    await ones.control.quiet(within: patience)
    #expect(Array(log.all[2...]) == (1...20).map { [-$0] })
    #expect(ones.control.snapshot().timers == [])
  }
}

@Suite(.watched)
struct `Pools of connections` {
  @Test(arguments: matchers, [true, false])
  func `A pool keeps the connection of a caller that gives up as it is served`(
    matcher: Matcher, isIdle: Bool
  ) async throws {
    let moment = Moment("waiting & ready")
    let (mayEnd, made) = (Gate(), Tally())
    let options = Soup.Options(matcher: matcher, observer: moment.observer)
    let pool = ConnectionPool(limit: 1, options: options) {
      if !isIdle { await mayEnd.wait() }
      return made.add()
    }
    let lease = isIdle ? try await pool.take() : nil
    try await moment.cancel(pool.take, (), in: pool.control) {
      if let lease { pool.giveBack(lease) } else { mayEnd.open() }
    }
    await pool.control.expectRest(["stock 1", "open 1"])
    for _ in 0..<2 { #expect(try await pool.withConnection { $0 } == 1) }
  }

  @Test(arguments: matchers)
  func `A paused connection pool blocks no thread of Swift's pool, however many connections are made meanwhile`(
    matcher: Matcher
  ) async throws {
    let (begun, mayEnd) = (Tally(), Gate())
    let pool = ConnectionPool(limit: 16, options: .init(matcher: matcher)) {
      begun.add()
      await mayEnd.wait()
      return 1
    }
    let callers = (0..<16).map { _ in Task { try await pool.take() } }
    while begun.count < 16 { await Task.yield() }
    pool.control.pause()
    mayEnd.open()
    while pool.control.snapshot()["event"] != 16 { await Task.yield() }
    pool.control.resume()
    for caller in callers { #expect(try await caller.value.connection == 1) }
    await pool.control.expectRest(["stock 1", "open 1"])
  }
}

extension Waiter {
  static let ofTiming: [Waiter] = [
    Waiter("a caller of a rate limiter", \.pass, ()) {
      try await prepared(RateLimiter(1, per: .seconds(1_000_000), options: $0)) { try await $0.pass() }
    },
    Waiter("a caller of a pool whose connections are in use") { options in
      let pool = ConnectionPool(limit: 1, options: options) { 1 }
      let lease = try await pool.take()
      // A caller may go on before the body that served it has given the state back.
      await pool.control.expectRest(["stock 1", "open 1"])
      let call = calling(pool.take, ())
      return (
        pool.control,
        { limit, form in
          defer { withExtendedLifetime(lease) {} }
          return await call(limit, form)
        }
      )
    },
  ]
}

/// A compound that acts on numbers by time.
struct Acting: Sendable, CustomTestStringConvertible {
  typealias Action = @Sendable (Int) async throws -> Void

  let testDescription: String
  /// The label of its state.
  let state: String
  /// Whether it acts on every value, and not on the latest ones only.
  var keepsAll = false
  /// Makes the compound. Returns its control, and a function that has it act on a number.
  let make: @Sendable (Soup.Options, ManualClock, @escaping Action) -> (Soup.Control, @Sendable (Int) -> Void)

  /// Returns a function that sends a number, and advances the clock.
  private static func aSecond(
    after send: @escaping @Sendable (Int) -> Void, of clock: ManualClock
  ) -> @Sendable (Int) -> Void {
    { number in
      send(number)
      clock.advance(by: .seconds(1))
    }
  }

  static let all = [
    Acting(testDescription: "a debounce", state: "last") { options, clock, action in
      let debounce = Debounce<Int>(for: .seconds(1), options: options, action)
      return (debounce.control, aSecond(after: { debounce.send($0) }, of: clock))
    },
    Acting(testDescription: "a throttle", state: "latest") { options, clock, action in
      let throttle = Throttle<Int>(every: .seconds(1), options: options, action)
      return (throttle.control, aSecond(after: { throttle.send($0) }, of: clock))
    },
    Acting(testDescription: "a batcher", state: "batch", keepsAll: true) { options, _, action in
      let batcher = Batcher<Int>(size: 1, within: .seconds(1), options: options) { try await action($0[0]) }
      return (batcher.control, { number in batcher.add(number) })
    },
    Acting(testDescription: "batches of a key", state: "turns", keepsAll: true) { options, _, action in
      let batches = Batches<Int, Int>(size: 1, within: .seconds(1), by: { _ in 0 }, options: options) { _, numbers in
        try await action(numbers[0])
      }
      return (batches.control, { number in batches.add(number) })
    },
  ]
}

@Suite(.watched)
struct `The actions of debounces, throttles and batchers` {
  @Test(arguments: matchers, Acting.all)
  func `A compound that acts by time reports an action that throws, and runs the next one`(
    matcher: Matcher, acting: Acting
  ) async throws {
    let (clock, log, errors) = (ManualClock(), Log<Int>(), Log<Fault>())
    let options = Soup.Options(matcher: matcher, clock: clock, onError: { errors.append($0.error as! Fault) })
    let (control, act) = acting.make(options, clock) { number in
      if number % 2 == 1 { throw Fault(number: number) }
      log.append(number)
    }
    for number in 1...4 {
      act(number)
      await control.settle()
    }
    #expect(errors.all == [Fault(number: 1), Fault(number: 3)])
    #expect(log.all == [2, 4])
    #expect(control.snapshot()[acting.state] == 1)
  }

  @Test(arguments: matchers, Acting.all)
  func `A compound that acts by time runs its actions one after the other, in the order of their values`(
    matcher: Matcher, acting: Acting
  ) async throws {
    let (clock, begun, ended) = (ManualClock(), Log<Int>(), Log<Int>())
    let (hasBegun, mayEnd) = (Gate(), Gate())
    let (control, act) = acting.make(Soup.Options(matcher: matcher, clock: clock), clock) { number in
      begun.append(number)
      hasBegun.open()
      await mayEnd.wait()
      ended.append(number)
    }
    act(1)
    await hasBegun.wait()
    for number in 2...9 {
      act(number)
      // Until it has made room for itself.
      await eventually("\(number) rests: \(control.explain())") {
        let snapshot = control.snapshot()
        return snapshot[acting.state] == 1 && (snapshot["act"] ?? 0) <= (acting.keepsAll ? number - 1 : 1)
          && (snapshot["send"] ?? 0) + (snapshot["due"] ?? 0) + (snapshot["add"] ?? 0) == 0
      }
    }
    #expect(begun.all == [1] && ended.all == [])
    mayEnd.open()
    clock.advance(by: .seconds(1))
    await eventually("all actions have ended: \(control.explain())") { ended.all.last == 9 }
    await control.quiet(within: patience)
    #expect(begun.all == ended.all && ended.all == ended.all.sorted())
    // At most one value waited when the last one came.
    #expect(acting.keepsAll ? ended.all == Array(1...9) : ended.all.count <= 3, "old values waited: \(ended.all)")
  }
}
