import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// `retry(limit:backoff:)` of bodies that consume calls.
@Suite(.watched, .serialized)
struct `Calls of bodies that throw` {
  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A retry puts a call back with its caller waiting, and a later body replies`(setup: Setup, way: WayToCall) async
  {
    let (unreceived, bodies) = (Tally(), Tally())
    let (ask, token, control) = setup.with(onError: unreceived.report).react(
      fast("ask", returning: Int.self), slow("token", of: Int.self), recovery: .retry(limit: 2)
    ) { call, token in
      if bodies.add() % 3 != 0 { throw Boom(1) }
      call.reply(token)
    }
    for number in 1...3 {
      token(number)
      #expect(await way.call(ask) == .success(number))
    }
    await control.settle()
    #expect(bodies.count == 9)
    #expect(unreceived.count == 0)
    #expect(control.snapshot()[ask] + control.snapshot()[token] == 0)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A call fails with the last error when its retries are used up`(setup: Setup, way: WayToCall) async {
    let (unreceived, bodies, clock) = (Tally(), Tally(), ManualClock())
    let (ask, control) = setup.with(clock: clock, onError: unreceived.report).define(fast("ask", returning: Int.self)) {
      soup, ask in
      let gentle = Recovery.retry(limit: 2, backoff: .seconds(1))
      soup.react(ask, on: setup.placement, recovery: gentle) { _ in throw Boom(bodies.add()) }
    }
    for last in [3, 6] {
      async let outcome = way.call(ask, within: .seconds(3600))
      for pause in [Duration.seconds(1), .seconds(2)] { await clock.advanceOnceAwaited(by: pause) }
      #expect(await outcome == .failure(.failed(Boom(last))))
    }
    await control.settle()
    #expect(bodies.count == 6)
    #expect(unreceived.count == 0, "the caller received the error")
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A retry puts back no call that has its reply`(setup: Setup, way: WayToCall) async {
    let unreceived = Log<ReactionError>()
    let (ask, job, control) = setup.with(onError: unreceived.append).react(
      fast("ask", returning: Int.self), slow("job", of: Int.self), recovery: .retry(limit: 1)
    ) { call, job in
      call.reply(job)
      throw Boom(job)
    }
    job(5)
    #expect(await way.call(ask) == .success(5))
    await control.settle()
    #expect(control.snapshot()[ask] == 0)
    #expect(control.snapshot()[job] == 1, "only the job is back")
    #expect(unreceived.count == 0)
    #expect(await way.call(ask) == .success(5))
    await control.settle()
    #expect(control.snapshot()[ask] + control.snapshot()[job] == 0)
    #expect(unreceived.all.map { $0.error as? Boom } == [Boom(5)], "no caller was left to receive the error")
  }
}

/// Callers that act while their calls are put back.
@Suite(.watched, .serialized)
struct `Callers of calls that were put back` {
  /// The body pauses the soup, so that its inputs wait until the caller has given up.
  @Test(arguments: Run.setups, [Duration.zero, .seconds(1)])
  func `A caller may give up after a retry has put its call back, and then the molecule is gone`(
    setup: Setup, backoff: Duration
  ) async throws {
    let (bodies, clock) = (Tally(), ManualClock())
    let (ask, token, control) = setup.with(clock: clock).define(
      fast("ask", returning: Int.self), slow("token", of: Int.self)
    ) { soup, ask, token in
      let control = soup.control
      soup.react(ask, token, recovery: .retry(limit: 63, backoff: backoff)) { call, _ in
        bodies.add()
        control.pause()
        throw Boom(1)
      }
    }
    token(1)
    let ways: [(WayToCall, CallError)] = [
      (.blockingForSome, .timedOut), (.suspendingForSome, .timedOut), (.suspending, .cancelled),
    ]
    for (retries, (way, error)) in ways.enumerated() {
      let before = bodies.count
      let caller = Task { await way.call(ask, within: .seconds(3600)) }
      while bodies.count == before { await Task.yield() }
      if backoff > .zero { await clock.advanceOnceAwaited(by: backoff * (1 << retries)) }
      while control.snapshot()[ask] == 0 { await Task.yield() }
      if error == .cancelled { caller.cancel() } else { await clock.advanceOnceAwaited(by: .seconds(3600)) }
      let result = await caller.value
      #expect(result == .failure(error))
      await control.settle()
      #expect(control.snapshot()[ask] == 0)
      #expect(control.snapshot()[token] == 1)
      #expect(bodies.count <= before + 1)
      control.resume()
      await control.settle()
      #expect(bodies.count <= before + 1, "no caller is left")
    }
    #expect(bodies.count > 0)
  }

  @Test(arguments: Run.setups)
  func `A caller may give up while a backoff keeps its call`(setup: Setup) async throws {
    let failed = Shared(Gate())
    let clock = ManualClock()
    let (ask, token, control) = setup.with(clock: clock, onError: { _ in }).define(
      fast("ask", returning: Int.self), slow("token", of: Int.self)
    ) {
      soup, ask, token in
      let slowly = Recovery.retry(limit: 63, backoff: .seconds(20))
      soup.react(ask, token, on: setup.placement, recovery: slowly) { _, _ in
        failed.value!.open()
        throw Boom(1)
      }
    }
    token(1)
    async let late = WayToCall.blockingForSome.call(ask, within: .seconds(5))
    await failed.value!.wait()
    await clock.advanceOnceAwaited(by: .seconds(5))
    #expect(await late == .failure(.timedOut))
    await clock.advanceOnceAwaited(by: .seconds(20))
    await control.settle()
    failed.put(Gate())
    let caller = Task { await WayToCall.suspending.call(ask) }
    await failed.value!.wait()
    caller.cancel()
    #expect(await caller.value == .failure(.cancelled))
    await clock.advanceOnceAwaited(by: .seconds(40))
    await control.settle()
    #expect(control.snapshot()[ask] == 0)
    #expect(control.snapshot()[token] == 1, "the other input is back")
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller gets .stopped when the soup is stopped before the retry`(setup: Setup, way: WayToCall) async {
    let unreceived = Log<ReactionError>()
    for backoff in [Duration.zero, .seconds(2)] {
      let clock = ManualClock()
      let (ask, control) = setup.with(clock: clock, onError: unreceived.append).define(fast("ask", returning: Int.self))
      { soup, ask in
        let control = soup.control
        soup.react(ask, on: setup.placement, recovery: .retry(limit: 2, backoff: backoff)) { _ in
          control.blocking.stop()
          throw Boom(1)
        }
      }
      async let outcome = way.call(ask)
      if backoff > .zero { await clock.advanceOnceAwaited(by: backoff) }
      #expect(await outcome == .failure(.stopped))
      await control.settle()
    }
    #expect(unreceived.all.map { $0.error as? Boom } == [Boom(1), Boom(1)])
  }
}
