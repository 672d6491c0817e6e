import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 4: every fast call has exactly one outcome, and it is its own.
@Suite(.watched, .serialized)
struct `Replies` {
  @Test(arguments: Run.setups)
  func `One of several replies that race for a call wins, and the caller gets its value`(setup: Setup) async throws {
    try await explore(schedules: 50, seed: 1) { world in
      let winners = Log<Int>()
      let (race, _) = setup.react(fast("race", returning: Int.self), named: "race") { call in
        for number in 1...3 { world.thread("\(number)") { if call.reply(number) { winners.append(number) } } }
      }
      let reply = try await race()
      await world.quiet()
      #expect(winners.all == [reply])
    }
  }

  @Test(arguments: Run.setups)
  func `A reply that carries nothing, nil or much arrives as it was sent`(setup: Setup) async throws {
    let (ping, find, fetch, _) = setup.define(
      fast("ping", returning: Void.self), fast("find", of: String.self, returning: Int?.self),
      fast("fetch", of: Int.self, returning: Page.self)
    ) { soup, ping, find, fetch in
      soup.react(ping) { $0.reply() }
      soup.react(find) { $0.reply($0.input == "here" ? 1 : nil) }
      soup.react(fetch) { $0.reply(Page(filledWith: UInt64($0.input))) }
    }
    try await ping()
    #expect(try await find("here") == 1)
    #expect(try await find("there") == nil)
    #expect(try await fetch(7) == Page(filledWith: 7))
    try await onThread {
      try ping.blocking()
      #expect(try find.blocking("there") == nil)
      #expect(try fetch.blocking(8) == Page(filledWith: 8))
    }
  }
}

/// Contract 4, `.failed` without a throw: `call.fail(error)`.
@Suite(.watched, .serialized)
struct `A call that a body fails` {
  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller gets the error with which a body fails its call`(setup: Setup, way: WayToCall) async {
    for isAsync in [false, true] { await failOne(setup, way, isAsync: isAsync) }
  }

  private func failOne(_ setup: Setup, _ way: WayToCall, isAsync: Bool) async {
    let (reported, went) = (Tally(), Tally())
    let (divide, control) = setup.with(onError: reported.report).define(
      fast("divide", of: Int.self, returning: Int.self)
    ) { soup, divide in
      let body: @Sendable (Call<Int, Int>) -> Void = { call in
        if call.input == 0 { #expect(call.fail(Boom(7)) && !call.isAwaited) }
        #expect(call.reply(call.input) == (call.input != 0), "only the first outcome counts")
        #expect(!call.fail(Boom(8)), "only the first outcome counts")
        went.add()
      }
      if isAsync {
        soup.react(divide) { call async throws in body(call) }
      } else {
        soup.react(divide) { call in body(call) }
      }
    }
    #expect(await way.call(divide, 0) == .failure(.failed(Boom(7))))
    #expect(await way.call(divide, 3) == .success(3))
    await control.settle()
    #expect(went.count == 2)
    #expect(reported.count == 0)
  }

  @Test(arguments: Run.setups)
  func `A failed call keeps its error if the body throws another one, which is reported`(setup: Setup) async throws {
    let reported = Log<String>()
    let (ask, control) = setup.with(onError: { reported.append("\($0.error)") }).react(fast("ask", returning: Int.self))
    { call in
      call.fail(Boom(1))
      throw Boom(2)
    }
    await #expect(throws: CallError.failed(Boom(1))) { try await ask() }
    await control.settle()
    #expect(reported.all == ["\(Boom(2))"])
  }

  @Test(arguments: Run.setups)
  func `A body cannot answer a call after its caller has given up, nor after its soup has gone`(setup: Setup) async {
    let (kept, clock) = (Shared<Call<Void, Int>>(nil), ManualClock())
    do {
      let (ask, _) = setup.with(clock: clock).react(fast("ask", returning: Int.self)) { call in kept.put(call) }
      #expect(await clock.expire { await ask.outcome(within: $0) } == .failure(.timedOut))
      while kept.value == nil { await Task.yield() }
    }
    let call = kept.take()!
    #expect(!call.reply(1) && !call.fail(Boom(1)))
  }

  @Test(arguments: Run.setups)
  func `A call that a body fails twice destroys each error once`(setup: Setup) async {
    struct Heavy: Error { let value: Live }
    let census = Census()
    let (ask, control) = setup.react(fast("ask", returning: Int.self)) { call in
      call.fail(Heavy(value: census.live()))
      call.fail(Heavy(value: census.live()))
    }
    for way in WayToCall.allCases {
      guard case .failure(.failed(is Heavy)) = await way.call(ask) else { fatalError("no error") }
    }
    await control.settle()  // a body may end after its caller
    #expect(census.born == 8)
    await census.expectExtinction()
  }

  @Test func `A call error describes its cause once, however many bodies have passed it on`() {
    let error = CallError.failed(CallError.failed(CallError.failed(Boom(3))))
    #expect("\(error)" == "The call failed: \(Boom(3))")
    #expect("\(CallError.failed(CallError.timedOut))" == "The call failed: There was no reply in time.")
  }
}
