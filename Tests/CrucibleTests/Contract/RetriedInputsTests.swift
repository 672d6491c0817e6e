import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// `retry(limit:backoff:)`: an error of a body puts its inputs back, up to the limit. No error is lost.
@Suite(.watched, .serialized)
struct `Inputs of bodies that throw` {
  /// A back-off below zero is none.
  @Test(arguments: Run.setups, [(1, 0), (2, 0), (63, 0), (63, -1), (63, Int64.min)])
  func `A retry puts inputs back as often as its limit, and then the error goes to onError once`(
    setup: Setup, retry: (limit: Int, backoff: Int64)
  ) async throws {
    let (limit, backoff) = (retry.limit, Duration.seconds(retry.backoff))
    let (unreceived, bodies) = (Log<ReactionError>(), Log<[Int]>())
    let line = #line + 1
    let (a, b, control) = setup.with(onError: unreceived.append).react(
      slow("a", of: Int.self), slow("b", of: Int.self), recovery: .retry(limit: limit, backoff: backoff),
      named: "stubborn"
    ) { x, y in
      bodies.append([x, y])
      throw Boom(bodies.count)
    }
    a(1)
    b(2)
    await control.settle()
    #expect(bodies.all == Array(repeating: [1, 2], count: limit + 1))
    let error = try #require(unreceived.all.first)
    #expect(unreceived.count == 1)
    #expect(error.soup.label == "stubborn")
    #expect(error.soup.source == Soup.Source(line: line))
    #expect(error.reaction.pattern == "a & b")
    #expect(error.reaction.source == Soup.Source(line: line))
    #expect(error.error as? Boom == Boom(limit + 1))
    #expect(control.snapshot()[a] + control.snapshot()[b] == 0, "the last attempt has consumed the inputs")
  }

  @Test(arguments: Run.setups)
  func `A soup counts retries by value, reports bad ones, and handles good ones once`(setup: Setup) async throws {
    let total = scaled(4000)
    let unreceived = Log<Int>()
    let handler: Soup.ErrorHandler = { unreceived.append(($0.error as! Boom).number) }
    let tries = (0..<total).map { _ in Tally() }
    let (job, control) = setup.with(onError: handler).define(slow("job", of: Int.self)) { soup, job in
      let done = soup.state("done", 0)
      soup.react(state: done, job, recovery: .retry(limit: 3)) { done, number in
        // One of a hundred numbers always fails, and some fail up to three times.
        let attempt = tries[number].add()
        if number % 100 == 42 || attempt <= number % 7 - 3 { throw Boom(number) }
        done += 1
      }
    }
    for number in 0..<total { job(number) }
    await control.settle()
    let bad = (0..<total).filter { $0 % 100 == 42 }
    #expect(unreceived.all.sorted() == bad)
    #expect(bad.allSatisfy { tries[$0].count == 4 })
    for number in 0..<total where number % 100 != 42 {
      let failures = max(0, number % 7 - 3)
      #expect(tries[number].count == failures + 1)
    }
  }

  @Test(arguments: Run.setups)
  func `An input that is put back waits behind others, and keeps the state's changes`(setup: Setup) async throws {
    let unreceived = Tally()
    let (_, seen, control) = setup.with(onError: unreceived.report).define(
      slow("number", of: Int.self), fast("seen", returning: [Int].self), named: "behind"
    ) { soup, number, seen in
      let log = soup.state("log", [Int]())
      soup.react(state: log, number, recovery: .retry(limit: 2)) { log, number in
        log.append(number)
        if number == 1 { throw Boom(number) }
      }
      soup.react(state: log, seen) { log, call in call.reply(log) }
      number.inject(contentsOf: [1, 2, 3])
    }
    await control.settle()
    #expect(try await seen() == [1, 2, 3, 1, 1])
    #expect(unreceived.count == 1)
  }

  /// If inputs went back one at a time, the thief would take each of them at once.
  @Test(arguments: Run.choosingSetups)
  func `A retry puts all inputs back in one step, and other reactions may take them`(setup: Setup) async {
    let (again, stolen, unreceived) = (Tally(), Tally(), Tally())
    for round in 1...100 {
      let attempts = Tally()
      let (_, _, _, control) = Soup.Options(matcher: setup.matcher, seed: UInt64(round), onError: unreceived.report)
        .define(
          slow("a", of: Int.self), slow("b"), slow("thief")
        ) { soup, a, b, thief in
          soup.react(a, b, on: setup.placement, recovery: .retry(limit: 1)) { _, _ in
            if attempts.add() == 1 {
              thief()
              throw Boom(1)
            }
            again.add()
          }
          soup.react(a, thief, on: setup.placement) { _, _ in stolen.add() }
          soup.react(b, thief, on: setup.placement) { _, _ in stolen.add() }
          Soup.inject((a, 1), (b, ()))
        }
      await control.settle()
      #expect(control.snapshot().counts.map(\.molecules).reduce(0, +) == 1)
    }
    #expect(again.count + stolen.count == 100)
    #expect(again.count > 10)
    #expect(stolen.count > 10)
    #expect(unreceived.count == 0)
  }

  @Test(arguments: Run.setups)
  func `A soup counts the retries of inputs without values by the failures in a row`(setup: Setup) async {
    // x: the body throws. Three in a row are one more than the limit.
    let script = Array("xx.x.xx.xxx.xx.xxxxxx.")
    let (unreceived, bodies) = (Log<Int>(), Tally())
    let handler: Soup.ErrorHandler = { unreceived.append(($0.error as! Boom).number) }
    let (go, control) = setup.with(onError: handler).define(slow("go")) { soup, go in
      let state = soup.state("state", 0)
      soup.react(state: state, go, go, recovery: .retry(limit: 2)) { _, _, _ in
        let number = bodies.add() - 1
        if script[number] == "x" { throw Boom(number) }
      }
    }
    var injected = 0
    while bodies.count < script.count {
      go.inject(count: 2)
      injected += 1
      await control.settle()
      #expect(control.snapshot()[go] == 0)
    }
    #expect(bodies.count == script.count)
    #expect(unreceived.all == [10, 17, 20])
    #expect(injected == script.count(where: { $0 == "." }) + 3)
  }

  @Test(arguments: Run.setups)
  func `Inputs to be retried stay away for a time that doubles, in a soup not quiet`(setup: Setup) async throws {
    let (census, clock, starts) = (Census(), ManualClock(), Tally())
    let errors = Log<ReactionError>()
    let shortest = Duration.milliseconds(4)
    /// Advances the clock from the first attempt to the last.
    func advance(_ before: Int, whileWaiting isAwaited: () async -> Void) async {
      for attempt in 1...3 {
        while clock.nextAwakening == nil || starts.count < before + attempt { await Task.yield() }
        let pause = shortest * (1 << (attempt - 1))
        #expect(clock.nextAwakening == clock.now.advanced(by: pause))
        clock.advance(by: pause - .nanoseconds(1))
        await isAwaited()
        #expect(starts.count == before + attempt)
        clock.advance(by: .nanoseconds(1))
      }
    }
    do {
      let captured = census.live()
      let job = setup.with(clock: clock, onError: errors.append).react(
        slow("job", of: Live.self), recovery: .retry(limit: 3, backoff: shortest)
      ) { _ in
        starts.add()
        throw Boom(captured.number)
      }
      job.0(census.live())
      await advance(0) { #expect(await !job.1.quiet(within: .zero)) }
      await job.1.settle()
      #expect(starts.count == 4, "the soup is quiet only after the last attempt")
      #expect(errors.count == 1)
      job.0(census.live())
    }
    await advance(4) { #expect(census.alive > 0, "only the retry that waits keeps the soup") }
    await census.expectExtinction()
    #expect(starts.count == 8)
    #expect(errors.count == 2)
  }

  @Test(arguments: matcherNames)
  func `Inputs whose back-off never ends stay away from their soup`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("never put back")
      let starts = Tally()
      let (job, control) = Matcher(matcher)!.react(
        slow("job", of: Int.self), recovery: .retry(limit: 63, backoff: .seconds(Int64.max)), named: "patient"
      ) { _ in
        starts.add()
        throw Boom(1)
      }
      job(1)
      while starts.count == 0 { await Task.yield() }
      #expect(await !control.quiet(within: .zero))
      #expect(starts.count == 1)
    }
  }

  /// The body itself stops the soup, so the inputs go back to a stopped soup, at once or after a pause.
  @Test(arguments: Run.setups, [Duration.zero, .seconds(3)])
  func `A stopped soup takes no inputs back, and reports the error`(setup: Setup, backoff: Duration) async throws {
    let (census, errors, bodies) = (Census(), Log<ReactionError>(), Tally())
    let clock = ManualClock()
    do {
      let (a, b, control) = setup.with(clock: clock, onError: errors.append).define(slow("a", of: Live.self), slow("b"))
      { soup, a, b in
        let control = soup.control
        soup.react(a, b, on: setup.placement, recovery: .retry(limit: 2, backoff: backoff)) { _, _ in
          bodies.add()
          control.blocking.stop()
          throw Boom(8)
        }
      }
      a(census.live())
      b()
      if backoff > .zero { await clock.advanceOnceAwaited(by: backoff) }
      let report = await control.stop(within: patience)
      #expect(report.isQuiet)
      #expect(bodies.count == 1)
      #expect(errors.all.map { $0.error as? Boom } == [Boom(8)])
      #expect(control.snapshot()[a] + control.snapshot()[b] + control.snapshot().dropped == 0)
      try await control.restart()
      await control.settle()
      #expect(bodies.count == 1)
    }
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `Bodies that throw and retry leave nothing behind`(setup: Setup) async {
    let census = Census()
    do {
      let (flaky, _, _, never, control) = setup.with(onError: { _ in }).define(
        slow("flaky", of: Live.self), slow("other", of: (Live, String).self), slow("boxed", of: Weak.self),
        slow("never")
      ) { soup, flaky, other, boxed, never in
        soup.react(flaky, recovery: .retry(limit: 2)) { live in
          if live.number % 3 != 0 { throw Boom(live.number) }
          other((live, "\(live.number)"))
          boxed(Weak(live))
        }
        let slowly = Recovery.retry(limit: 1, backoff: .nanoseconds(1))
        soup.react(other, boxed, recovery: slowly) { _, _ in throw Boom(1) }
        soup.react(other, boxed, never) { _, _, _ in }
      }
      for number in 0..<100 { flaky(census.live(number)) }
      await control.settle()
      await census.expectExtinction()
      for number in 0..<100 { flaky(census.live(number)) }
      withExtendedLifetime(never) {}
    }
    #expect(census.born == 200)
    await census.expectExtinction()
  }
}
