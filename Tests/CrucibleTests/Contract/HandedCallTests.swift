import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 4 for a call that its body hands on as a molecule. It ends like a call that still waits for its first body.
@Suite(.watched, .serialized)
struct `A call that is handed on` {
  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A call that is handed on ends as its molecule does`(setup: Setup, way: WayToCall) async {
    var relay: Relay? = Relay(setup)
    var task = Task { [ask = relay!.ask] in await way.call(ask, 1) }
    await relay!.holds(1)
    #expect(relay!.control.clear() == 1)
    #expect(await task.value == .failure(.cleared))
    task = Task { [ask = relay!.ask] in await way.call(ask, 1) }
    await relay!.holds(1)
    #expect(await relay!.control.stop().dropped == 1)
    #expect(await task.value == .failure(.stopped))

    relay = Relay(setup, keepsSoup: false)
    let (ask, misses) = (relay!.ask, relay!.miss)
    task = Task { await way.call(ask, 1) }
    await relay!.holds(1)
    relay = nil
    #expect(await task.value == .failure(.gone))
    withExtendedLifetime(misses) {}
  }

  @Test(arguments: Run.setups, WayToGiveUp.allCases)
  func `A caller that gives up withdraws its handed call, and no other`(setup: Setup, way: WayToGiveUp) async {
    let (bodies, clock) = (Log<Int>(), ManualClock())
    let relay = Relay(setup, clock: clock) { call in
      bodies.append(call.input)
      call.reply(2 * call.input)
    }
    for round in 0..<scaled(12) {
      let (middle, allWait) = (round % 3, Gate())
      var callers: [Task<Result<Int, CallError>, Never>] = []
      for number in 0..<3 {
        callers.append(
          Task {
            if number != middle { return await relay.ask.outcome(number) }
            return await way.giveUp(relay.ask, number, by: clock, once: allWait.wait)
          })
        await relay.holds(number + 1)
      }
      allWait.open()
      #expect(await callers.remove(at: middle).value == .failure(way.error))
      await relay.control.settle()
      #expect(relay.control.snapshot()[relay.miss] == 2 && relay.control.snapshot().withdrawn == round + 1)
      for _ in 0..<2 { relay.go() }
      for (caller, other) in zip(callers, [0, 1, 2].filter { $0 != middle }) {
        #expect(await caller.value == .success(2 * other))
      }
      await relay.control.settle()
      #expect(!bodies.takeAll().contains(middle), "no body gets a call that was withdrawn")
    }
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A call that is handed on gets the error of the body that took it`(setup: Setup, way: WayToCall) async throws {
    let reported = Log<String>()
    let relay = Relay(setup, reported) { call in throw Lost(number: call.input) }
    relay.go()
    #expect(await way.call(relay.ask, 3) == .failure(.failed(Lost(number: 3))))
    relay.later()
    #expect(await way.call(relay.ask, 4) == .failure(.failed(Lost(number: 4))), "an async body")
    await relay.control.settle()
    #expect(reported.all == [], "an error that a caller gets is not reported")
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A retry puts back a call handed on, which may be withdrawn`(setup: Setup, way: WayToCall) async throws {
    let (reported, tries, pausing) = (Log<String>(), Tally(), Shared<Soup.Control>(nil))
    let relay = Relay(setup, reported, recovery: .retry(limit: 2)) { call in
      if let control = pausing.take() { control.pause() }
      if tries.add() % 3 != 0 { throw Lost(number: call.input) }
      call.reply(5)
    }
    relay.go()
    #expect(await way.call(relay.ask, 3) == .success(5))
    #expect(tries.count == 3)
    await relay.control.settle()

    pausing.put(relay.control)
    relay.go()
    let cancelled = Task { await relay.ask.outcome(7) }
    await relay.holds(1)
    await relay.control.settle()
    #expect(tries.count == 4)
    cancelled.cancel()
    #expect(await cancelled.value == .failure(.cancelled))
    #expect(relay.control.snapshot()[relay.miss] == 0 && relay.control.snapshot().withdrawn == 1)
    relay.control.resume()
    await relay.control.settle()
    #expect(tries.count == 4)
    #expect(reported.all == [])
  }

  @Test(arguments: matchers)
  func `A caller withdraws its call from the bag of another soup`(matcher: Matcher) async {
    let far = Relay(Setup(matcher: matcher, placement: .inline))
    let (ask, control) = matcher.on(.inline).react(fast("ask", of: Int.self, returning: Int.self)) { call in
      far.miss(call)
    }
    let task = Task { await ask.outcome(1) }
    await far.holds(1)
    // The body may have run on the thread of its caller, which has not suspended yet.
    await eventually("the caller waits") {
      control.explain().description.contains("its call waits in 'miss' of soup 'relay'")
    }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    #expect(far.control.snapshot()[far.miss] == 0)
    #expect(far.control.snapshot().withdrawn == 1)
  }

  @Test(arguments: Run.setups)
  func `A caller withdraws its call however often bodies have handed it on`(setup: Setup) async {
    let bounces = scaled(1000)
    let (ask, round, rest, _, _, control) = setup.matcher.define(
      fast("ask", of: Int.self, returning: Int.self), slow("round", of: Call<Int, Int>.self),
      slow("rest", of: Call<Int, Int>.self), slow("turn"), slow("never")
    ) { soup, ask, round, rest, turn, never in
      soup.react(ask, on: setup.placement) { call in
        for _ in 0..<bounces { turn() }
        round(call)
      }
      let turns = soup.state("turns", 0)
      soup.react(state: turns, round, turn, on: setup.placement) { n, call, _ in
        n += 1
        if n % bounces == 0 { rest(call) } else { round(call) }
      }
      soup.react(rest, never) { _, _ in }
    }
    let task = Task { await ask.outcome(1) }
    while control.snapshot()[rest] == 0 { await Task.yield() }
    task.cancel()
    #expect(await task.value == .failure(.cancelled))
    await control.settle()  // the body that has injected `rest` may be about to withdraw it
    #expect(control.snapshot()[rest] + control.snapshot()[round] == 0)
    #expect(control.snapshot().withdrawn == 1)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `An explanation names the bag where a call that was handed on waits`(setup: Setup, way: WayToCall) async throws {
    let (entered, leave) = (Gate(), Gate())
    let relay = Relay(setup) { call in
      entered.open()
      leave.waitBlocking()
      call.reply(1)
    }
    let task = Task { await way.call(relay.ask, 1) }
    await relay.holds(1)
    let caller = await relay.control.callers(1)[0]
    #expect(caller.description.hasSuffix("its call waits in 'miss'"))
    #expect(!relay.control.explain().description.contains("a body that has the call"))
    async let going = onThread { relay.go() }
    await entered.wait()
    #expect(relay.control.explain().description.contains("for the reply of a body that has the call"))
    #expect(!relay.control.explain().description.contains("waits in 'miss'"))
    leave.open()
    _ = try await going
    #expect(await task.value == .success(1))
  }

  @Test(arguments: Run.setups)
  func `A caller withdraws its call from a soup that is being defined`(setup: Setup) async {
    let source = Relay(setup)
    let (miss, go, control) = await Self.defineWhile(setup, source)
    go()
    await control.settle()
    #expect(control.snapshot()[miss] == 0 && control.snapshot()[go] == 1)
    #expect(control.snapshot().withdrawn == 1)
  }

  private static func defineWhile(
    _ setup: Setup, _ source: Relay
  ) async -> (Injector<Call<Int, Int>>, Injector<Void>, Soup.Control) {
    let task = Task { await source.ask.outcome(1) }
    await source.holds(1)
    let taken = Shared<Call<Int, Int>>(nil)
    source.take(taken)
    while taken.value == nil { await Task.yield() }
    let isOver = Gate()
    async let defined = onThread {
      setup.define(slow("miss", of: Call<Int, Int>.self), slow("go")) { soup, miss, go in
        soup.react(miss, go) { call, _ in call.reply(1) }
        miss(taken.take()!)
        task.cancel()
        isOver.waitBlocking()
      }
    }
    #expect(await task.value == .failure(.cancelled))
    isOver.open()
    return try! await defined
  }
}

/// A soup whose first body hands each call on to `miss`, where it waits for `go`, `later` or `take`.
struct Relay: Sendable {
  let ask: FastInjector<Int, Int>
  let miss: Injector<Call<Int, Int>>
  let go: Injector<Void>
  let later: Injector<Void>
  let take: Injector<Shared<Call<Int, Int>>>
  let control: Soup.Control

  init(
    _ setup: Setup, _ reported: Log<String>? = nil, recovery: Recovery = .report, keepsSoup: Bool = true,
    clock: (any Clock<Duration>)? = nil,
    body: @escaping @Sendable (Call<Int, Int>) throws -> Void = { call in call.reply(2 * call.input) }
  ) {
    var names: (FastInjector<Int, Int>, Injector<Call<Int, Int>>)?
    (_, _, go, later, take, control) = setup.with(clock: clock, onError: { reported?.append("\($0)") }).define(
      fast("ask", of: Int.self, returning: Int.self), slow("miss", of: Call<Int, Int>.self), slow("go"), slow("later"),
      slow("take", of: Shared<Call<Int, Int>>.self), named: "relay"
    ) { soup, ask, miss, go, later, take in
      soup.react(ask) { call in miss(call) }
      soup.react(miss, go, recovery: recovery) { call, _ in try body(call) }
      soup.react(miss, later, recovery: recovery) { call, _ async throws in try body(call) }
      soup.react(miss, take) { call, taken in taken.put(call) }
      names = (ask, miss)
    }
    (ask, miss) = keepsSoup ? (names!.0.owning(), names!.1.owning()) : names!
  }

  /// Waits until that many calls lie in the bag, and the bodies that put them there have ended.
  func holds(_ count: Int) async {
    while control.snapshot()[miss] != count { await Task.yield() }
    await control.settle()
  }
}

private struct Lost: Error, Equatable { let number: Int }
