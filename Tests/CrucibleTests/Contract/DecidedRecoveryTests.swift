import Crucible
import CrucibleTestSupport
import Testing

/// `Recovery.decide`: a closure decides about the inputs of a body that has thrown.
@Suite(.watched, .serialized)
struct `A closure that decides on inputs of bodies that throw` {
  @Test(arguments: Run.setups, PlacedForm<Injector<Int>>.all)
  func `A deciding closure gets the inputs in the order of the pattern, and has them put back or removed`(
    setup: Setup, form: PlacedForm<Injector<Int>>
  ) async {
    let (unreceived, bodies, failures) = (Tally(), Tally(), Log<[Int]>())
    let recovery = Recovery.decide { failure in
      #expect(failure.error as? Boom == Boom(failure.retries))
      failures.append(failure.inputs.map { $0 as! Int })
      return failure.retries < 2 ? .retry : .handled
    }
    let options = setup.matcher.with(onError: unreceived.report)
    let (names, control) = options.define(slow("n", of: Int.self, count: form.arity)) { soup, names in
      form.react(soup, names, setup.placement, recovery) { _, _ in throw Boom(bodies.add() - 1) }
    }
    for (index, name) in names.enumerated() { name(index) }
    await control.settle()
    #expect(failures.all == Array(repeating: Array(0..<form.arity), count: 3))
    #expect(unreceived.count == 0)
    #expect(names.allSatisfy { control.snapshot()[$0] == 0 })
    let totals = control.snapshot().failures
    #expect(totals.map(\.errors) == [3])
    #expect(totals.map(\.retries) == [2])
  }

  @Test(arguments: matchers, Place.all)
  func `A deciding closure runs where the body ran, with the state`(matcher: Matcher, place: Place) async {
    let (inside, decisions) = (Tally(), Tally())
    let ignore: Soup.ErrorHandler = { _ in Issue.record("the error handler was called") }
    let (a, b, control) = matcher.on(place.placement).with(onError: ignore).define(slow("a"), slow("b")) { soup, a, b in
      let state = soup.state("state", 0)
      let handling = Recovery.decide { failure in
        #expect(place.isHere())
        #expect(inside.count == 1)
        #expect(failure.inputs.count == 1 && failure.inputs[0] is Void)
        decisions.add()
        inside.add(-1)
        return .handled
      }
      soup.react(state: state, a, recovery: handling) { _, _ in
        #expect(inside.add() == 1)
        throw Boom(1)
      }
      soup.react(state: state, b, recovery: handling) { _, _ async throws in
        #expect(inside.add() == 1)
        await Task.yield()
        throw Boom(2)
      }
    }
    for _ in 0..<20 {
      a()
      b()
    }
    await control.settle()
    #expect(decisions.count == 40)
    let totals = control.snapshot().failures
    #expect(totals.map(\.errors) == [20, 20])
    #expect(totals.map(\.retries) == [0, 0])
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A deciding closure may answer calls, and other callers get the error`(setup: Setup, way: WayToCall) async {
    let unreceived = Tally()
    let (ask, miss, _, control) = setup.matcher.with(onError: unreceived.report).define(
      fast("ask", of: Int.self, returning: Int.self), fast("hand", of: Int.self, returning: Int.self),
      slow("miss", of: Call<Int, Int>.self)
    ) { soup, ask, hand, miss in
      let answering = Recovery.decide { failure in
        let call = failure.inputs[0] as! Call<Int, Int>
        if call.input == 1 { call.reply(10) }
        if call.input == 2 { call.fail(Boom(20)) }
        return call.input == 4 ? .report : .handled
      }
      soup.react(ask, on: setup.placement, recovery: answering) { call in throw Boom(call.input) }
      soup.react(hand) { call in miss(call) }
      soup.react(miss, on: setup.placement, recovery: answering) { call in throw Boom(call.input) }
    }
    for name in [ask, miss] {
      #expect(await way.call(name, 1) == .success(10))
      #expect(await way.call(name, 2) == .failure(.failed(Boom(20))))
      #expect(await way.call(name, 3) == .failure(.failed(Boom(3))))
      #expect(await way.call(name, 4) == .failure(.failed(Boom(4))))
    }
    await control.settle()
    #expect(unreceived.count == 0)
  }

  @Test(arguments: Run.setups)
  func `A deciding closure is asked at every error, and the error beyond the limit is reported`(setup: Setup) async {
    let (unreceived, asked, bodies) = (Log<Int>(), Log<Int>(), Tally())
    let handler: Soup.ErrorHandler = { unreceived.append(($0.error as! Boom).number) }
    let (job, go, control) = setup.with(onError: handler).define(slow("job", of: Int.self), slow("go")) {
      soup, job, go in
      let stubborn = Recovery.decide(limit: 2, backoff: .microseconds(50)) { failure in
        asked.append(failure.retries)
        return .retry
      }
      soup.react(job, recovery: stubborn) { _ in throw Boom(bodies.add()) }
      soup.react(go, recovery: stubborn) { _ in throw Boom(bodies.add()) }
    }
    job(1)
    await control.settle()
    go()
    await control.settle()
    #expect(asked.all == [0, 1, 2, 0, 1, 2])
    #expect(unreceived.all == [3, 6])
    let snapshot = control.snapshot()
    #expect(snapshot.failures.map(\.errors) == [3, 3])
    #expect(snapshot.failures.map(\.retries) == [2, 2])
    #expect("\(snapshot)".hasSuffix("; \(snapshot.failures[0].reaction): 3 errors, 2 retries; \(snapshot.failures[1])"))
  }

  @Test(arguments: Run.setups)
  func `A stopped soup does not count the inputs that it refuses as put back`(setup: Setup) async {
    let unreceived = Tally()
    let (job, control) = setup.with(onError: unreceived.report).define(slow("job", of: Int.self)) { soup, job in
      let control = soup.control
      let stopping = Recovery.decide { _ in
        control.blocking.stop(within: .zero)
        return .retry
      }
      soup.react(job, recovery: stopping) { _ in throw Boom(1) }
    }
    job(1)
    await control.settle()
    #expect(unreceived.count == 1)
    #expect(control.snapshot().failures.map { [$0.errors, $0.retries] } == [[1, 0]])
  }
}
