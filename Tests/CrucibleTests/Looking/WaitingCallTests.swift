import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The callers that sleep, as others see them: the call, its duration and its line.
@Suite(.watched, .serialized)
struct `Callers that wait` {
  @Test(arguments: Run.setups)
  func `An explanation shows waiting callers with their lines, forms and limits`(setup: Setup) async throws {
    let desk = Desk(setup)
    let (ask, tick) = (desk.ask, desk.tick)
    let line = #line
    async let calls = [
      Task { try await ask(1) },
      Task { try await ask(2, within: patience) },
      Task { try await tick() },
      Task { try await tick(within: patience) },
    ]
    async let blocked: [Void] = onThreads(4) { thread in
      switch thread {
      case 0: _ = try ask.blocking(3)
      case 1: _ = try ask.blocking(4, within: patience)
      case 2: _ = try tick.blocking()
      default: _ = try tick.blocking(within: patience)
      }
    }
    let callers = await desk.control.callers(8)
    let suspended = (0..<4).map {
      Caller(line: line + 2 + $0, isSuspended: true, limit: $0 % 2 == 1 ? patience : nil)
    }
    let sleeping = (0..<4).map {
      Caller(line: line + 9 + $0, isSuspended: false, limit: $0 % 2 == 1 ? patience : nil)
    }
    #expect(Set(callers.map(Caller.init)) == Set(suspended + sleeping))
    #expect(callers.filter { $0.molecule == "ask" }.count == 4)
    #expect(callers.filter { $0.molecule == "tick" }.count == 4)
    #expect(callers.map(\.duration) == callers.map(\.duration).sorted(by: >), "the longest wait comes first")
    for _ in 0..<8 { desk.token() }
    for call in await calls { _ = try await call.value }
    _ = try await blocked
    #expect(desk.control.explain().callers.isEmpty)
  }

  @Test(arguments: matchers)
  func `An explanation names the thread in which a caller sleeps`(matcher: Matcher) async throws {
    let desk = Desk(Setup(matcher: matcher, placement: .inline))
    async let threads = onThreads(3) { _ in
      _ = try desk.ask.blocking(1)
      return currentThread()
    }
    let told = await desk.control.callers(3).map(\.form)
    for _ in 0..<3 { desk.token() }
    let expected = try await threads.map { WaitingCall.Form.blocked(thread: $0) }
    #expect(Set(told) == Set(expected))
  }

  @Test(arguments: matchers, WayToCall.allCases)
  func `An explanation shows how long callers have waited by the clock`(matcher: Matcher, way: WayToCall) async {
    let desk = Desk(Setup(matcher: matcher, placement: .inline))
    let clock = SuspendingClock()
    let begin = clock.now
    let call = Task { await way.call(desk.ask, 5) }
    let first = await desk.control.callers(1)[0].duration
    let afterFirst = clock.now
    while clock.now - afterFirst < .milliseconds(2) { await Task.yield() }
    let beforeSecond = clock.now
    let second = desk.control.explain().callers[0].duration
    #expect(first <= afterFirst - begin)
    #expect(second - first >= beforeSecond - afterFirst)
    #expect(second <= clock.now - begin)
    desk.token()
    #expect(await call.value == .success(-5))
  }

  @Test(arguments: matchers)
  func `An explanation shows callers at the line that the program gives`(matcher: Matcher) async throws {
    let desk = Desk(Setup(matcher: matcher, placement: .inline))
    async let blocked = onThread { try desk.ask.blocking(1, file: "Elsewhere/One.swift", line: 11) }
    async let suspended = desk.tick(within: patience, file: "Elsewhere/Two.swift", line: 22)
    let callers = await desk.control.callers(2)
    #expect(
      Set(callers.map(\.source)) == [
        Soup.Source(file: "Elsewhere/One.swift", line: 11), Soup.Source(file: "Elsewhere/Two.swift", line: 22),
      ])
    for _ in 0..<2 { desk.token() }
    _ = try await (blocked, suspended)
  }

  @Test(arguments: Run.setups)
  func `An explanation shows all waiting callers, however many there are`(setup: Setup) async throws {
    let desk = Desk(setup)
    let calls = (0..<300).map { number in Task { try await desk.ask(number) } }
    #expect(await desk.control.callers(300).count == 300)
    for _ in 0..<100 { desk.token() }
    #expect(await desk.control.callers(200).count == 200)
    for _ in 0..<200 { desk.token() }
    for (number, call) in calls.enumerated() { #expect(try await call.value == -number) }
    #expect(desk.control.explain().callers.isEmpty)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller stays in the explanation while its call is put back`(setup: Setup, way: WayToCall) async throws {
    struct Again: Error {}
    let tries = Tally()
    let (ask, token, control) = setup.react(
      fast("ask", of: Int.self, returning: Int.self), slow("token", of: Int.self), recovery: .retry(limit: 5)
    ) { call, n in
      if tries.add() % 2 == 1 { throw Again() }
      call.reply(n)
    }
    let call = Task { await way.call(ask, 1) }
    let before = await control.callers(1)[0]
    control.pause()
    token(9)
    #expect(control.explain().callers.map(Caller.init) == [Caller(before)])
    control.resume()
    #expect(await call.value == .success(9))
    #expect(tries.count == 2)
    #expect(control.explain().callers.isEmpty)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller leaves the explanation once a reply is on its way, though it may not have gone on yet`(
    setup: Setup, way: WayToCall
  ) async throws {
    let (seen, control) = (Log<Int>(), Shared<Soup.Control>(nil))
    let (ask, token, _) = setup.define(fast("ask", of: Int.self, returning: Int.self), slow("token")) {
      soup, ask, token in
      soup.react(ask, token) { call, _ in
        seen.append(control.value!.explain().callers.count)
        call.reply(1)
        seen.append(control.value!.explain().callers.count)
      }
      control.put(soup.control)
    }
    let call = Task { await way.call(ask, 1) }
    _ = await control.value!.callers(1)
    token()
    #expect(await call.value == .success(1))
    await control.value!.settle()
    #expect(seen.all == [1, 0])
  }

  @Test(arguments: matchers, WayToCall.allCases)
  func `A caller that runs its body itself is not in the explanation`(matcher: Matcher, way: WayToCall) async {
    let (seen, control) = (Log<Int>(), Shared<Soup.Control>(nil))
    let (ask, _) = matcher.define(fast("ask", of: Int.self, returning: Int.self)) { soup, ask in
      soup.react(ask, on: .inline) { call in
        seen.append(control.value!.explain().callers.count)
        call.reply(1)
      }
      control.put(soup.control)
    }
    #expect(await way.call(ask, 1) == .success(1))
    #expect(seen.all == [0], "a caller that runs a body does not wait")
  }

  @Test(arguments: Run.setups, [nil, patience])
  func `A caller leaves the explanation when its task is cancelled`(setup: Setup, limit: Duration?) async {
    let desk = Desk(setup)
    let call = Task { await desk.ask.outcome(1, within: limit) }
    await desk.control.callers(1)
    call.cancel()
    #expect(desk.control.explain().callers.isEmpty, "the cancellation ended the call, though the task may still sleep")
    #expect(await call.value == .failure(.cancelled))
    #expect(desk.control.explain().callers.isEmpty)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller leaves the explanation when the soup is cleared or stopped`(setup: Setup, way: WayToCall) async {
    let desk = Desk(setup)
    let first = Task { await way.call(desk.ask, 1) }
    await desk.control.callers(1)
    desk.control.clear()
    #expect(desk.control.explain().callers.isEmpty)
    #expect(await first.value == .failure(.cleared))
    let second = Task { await way.call(desk.ask, 1) }
    await desk.control.callers(1)
    await desk.control.stop(within: patience)
    #expect(desk.control.explain().callers.isEmpty)
    #expect(await second.value == .failure(.stopped))
    #expect(desk.control.explain().callers.isEmpty)
    #expect(desk.control.snapshot().withdrawn == 0, "callers of dropped calls did not give up")
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller stays in the explanation as long as a body keeps its call, even if the soup goes meanwhile`(
    setup: Setup, way: WayToCall
  ) async throws {
    let kept = Shared<Call<Int, Int>>(nil)
    let (ask, token, control, owner) = unowned(
      setup.react(fast("ask", of: Int.self, returning: Int.self), slow("token")) { call, _ in kept.put(call) })
    let call = Task { await way.call(ask, 6) }
    await control.callers(1)
    token()
    await control.settle()
    #expect(control.explain().verdict.hasSuffix("; 1 caller waits for the reply of a body that has the call"))
    #expect(control.explain().calls.map(\.matched) == [1])
    _ = owner.take()
    await eventually("the soup is gone") { control.explain().condition == .gone }
    let explanation = control.explain()
    #expect(explanation.callers.map(\.molecule) == ["ask"])
    #expect(
      explanation.verdict
        == "the soup is gone: nothing reacts in it any more; 1 caller waits for the reply of a body that has the call")
    #expect(kept.take()!.reply(5))
    #expect(control.explain().callers.isEmpty)
    #expect(await call.value == .success(5))
  }
}
