import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The list of callers drops a caller as soon as its call ends, in whatever way it ends.
@Suite(.watched, .serialized)
struct `Callers that stop waiting` {
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

  @Test(arguments: Run.setups, CallForm.allCases)
  func `A caller leaves the explanation when its time is over`(setup: Setup, form: CallForm) async {
    let clock = ManualClock()
    let desk = Desk(setup, clock: clock)
    #expect(await clock.expire { await desk.ask.outcome(1, within: $0, form) } == .failure(.timedOut))
    #expect(await desk.ask.outcome(1, within: .zero, form) == .failure(.timedOut))
    #expect(desk.control.explain().callers.isEmpty)
  }

  @Test(arguments: Run.setups, [nil, patience])
  func `A caller leaves the explanation when its task is cancelled`(setup: Setup, limit: Duration?) async {
    let desk = Desk(setup)
    let call = Task { await desk.ask.outcome(1, within: limit) }
    _ = await desk.control.callers(1)
    call.cancel()
    #expect(desk.control.explain().callers.isEmpty, "the cancellation ended the call, though the task may still sleep")
    #expect(await call.value == .failure(.cancelled))
    #expect(desk.control.explain().callers.isEmpty)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller leaves the explanation when the soup is cleared or stopped`(setup: Setup, way: WayToCall) async {
    let desk = Desk(setup)
    let first = Task { await way.call(desk.ask, 1) }
    _ = await desk.control.callers(1)
    desk.control.clear()
    #expect(desk.control.explain().callers.isEmpty)
    #expect(await first.value == .failure(.cleared))
    let second = Task { await way.call(desk.ask, 1) }
    _ = await desk.control.callers(1)
    await desk.control.stop(within: patience)
    #expect(desk.control.explain().callers.isEmpty)
    #expect(await second.value == .failure(.stopped))
    #expect(desk.control.explain().callers.isEmpty)
  }

  @Test(arguments: matchers, WayToCall.allCases)
  func `A caller leaves the explanation when the soup goes`(matcher: Matcher, way: WayToCall) async {
    var smuggled: (FastInjector<Int, Int>, Soup.Control)?
    var owner: Soup.Control? = Soup.define("going", with: .init(matcher: matcher)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      let never = soup.slow("never")
      soup.react(ask, never) { call, _ in call.reply(1) }
      smuggled = (ask, soup.control)
      return soup.control
    }
    let (ask, control) = smuggled!
    let call = Task { await way.call(ask, 1) }
    _ = await owner!.callers(1)
    owner = nil
    #expect(await call.value == .failure(.gone))
    #expect(control.explain().condition == .gone)
    #expect(control.explain().callers.isEmpty)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller stays in the explanation as long as a body keeps its call, even if the soup goes meanwhile`(
    setup: Setup, way: WayToCall
  ) async throws {
    let kept = Shared<Call<Int, Int>>(nil)
    var smuggled: (FastInjector<Int, Int>, Soup.Control)?
    var owner: (Injector<Void>, Soup.Control)? = Soup.define("kept", with: .init(matcher: setup.matcher)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      let token = soup.slow("token")
      soup.react(ask, token, on: setup.placement) { call, _ in kept.put(call) }
      smuggled = (ask, soup.control)
      return (token, soup.control)
    }
    let (ask, control) = smuggled!
    let call = Task { await way.call(ask, 6) }
    _ = await owner!.1.callers(1)
    owner!.0()
    await owner!.1.settle()
    #expect(control.explain().verdict.hasSuffix("; 1 caller waits for the reply of a body that has the call"))
    #expect(control.explain().calls.map(\.matched) == [1])
    owner = nil
    let explanation = control.explain()
    #expect(explanation.condition == .gone)
    #expect(explanation.callers.map(\.molecule) == ["ask"])
    #expect(
      explanation.verdict
        == "the soup is gone: nothing reacts in it any more; 1 caller waits for the reply of a body that has the call")
    #expect(kept.take()!.reply(5))
    #expect(control.explain().callers.isEmpty)
    #expect(await call.value == .success(5))
  }
}
