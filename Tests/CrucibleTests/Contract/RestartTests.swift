import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 9, restart: the states are back at their first values, in one copy, and nothing from before is left.
@Suite(.watched, .serialized)
struct `Restarting a soup` {
  @Test(arguments: Run.setups)
  func `A restarted soup runs again, without what was there before`(setup: Setup) async throws {
    let met = Log<[Int]>()
    let (a, b, call, control) = setup.define(
      slow("a", of: Int.self), slow("b", of: Int.self), fast("call", of: Int.self, returning: Int.self)
    ) { soup, a, b, call in
      soup.react(a, b) { met.append([$0, $1]) }
      soup.react(call) { call in call.reply(call.input) }
    }
    for round in 0..<5 {
      a(100 + round)
      #expect((await control.stop(within: patience)).dropped == 1)
      if round % 2 == 0 {
        try await control.restart()
      } else {
        try await onThread { try control.blocking.restart() }
      }
      #expect(!control.snapshot().isStopped)
      #expect(control.snapshot()[a] + control.snapshot()[b] == 0)
      #expect(b(round))
      #expect(a(round))
      for way in WayToCall.allCases { #expect(await way.call(call, round) == .success(round)) }
      await control.settle()
      #expect(met.all == (0...round).map { [$0, $0] })
    }
  }

  @Test(arguments: Run.setups)
  func `A restart sets states of plain values back to these`(setup: Setup) async throws {
    struct Plain: Equatable {
      var number = 1
      var pair = (x: 2, y: 3.5)
      var maybe: Int? = 4
      static func == (a: Plain, b: Plain) -> Bool { a.number == b.number && a.pair == b.pair && a.maybe == b.maybe }
    }
    enum Choice: Equatable {
      case none
      case some(Int)
    }
    let (change, look, control) = setup.define(slow("change"), fast("look", returning: [Bool].self), named: "plain") {
      soup, change, look in
      var first = Plain()
      first.number = 17
      let plain = soup.state("plain", first)
      let choice = soup.state("choice", Choice.some(5))
      soup.react(state: plain, state: choice, change) { plain, choice, _ in
        plain = Plain(number: plain.number + 1, pair: (0, 0), maybe: nil)
        choice = .none
      }
      soup.react(state: plain, state: choice, look) { plain, choice, call in
        call.reply([plain == Plain(number: 17), choice == .some(5)])
      }
    }
    for _ in 0..<3 {
      #expect(try await look() == [true, true])
      change()
      change()
      await control.settle()
      #expect(try await look() == [false, false])
      await control.stop(within: patience)
      try await control.restart()
    }
  }

  @Test(arguments: Run.setups)
  func `A restart sets other states back by their closures, and destroys what they were`(setup: Setup) async throws {
    let (census, made) = (Census(), Tally())
    func run() async throws {
      let (push, sum, control) = setup.define(slow("push", of: Int.self), fast("sum", returning: Int.self)) {
        soup, push, sum in
        let values = soup.state("values", initially: { [census.live(made.add())] })
        soup.react(state: values, push) { values, number in values.append(census.live(number)) }
        soup.react(state: values, sum) { values, call in
          call.reply(values.reduce(0) { $0 + $1.number })
        }
      }
      for round in 1...4 {
        #expect(made.count == round)
        #expect(census.alive == 1)
        #expect(try await sum() == round)
        for _ in 0..<10 { push(100) }
        await control.settle()
        #expect(try await sum() == 1000 + round)
        await control.stop(within: patience)
        #expect(census.alive == 11, "in a stopped soup, states stay as bodies left them")
        try await control.restart()
      }
      await control.stop(within: patience)
    }
    try await run()
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `A restart ends the calls that a state had kept with .stopped`(setup: Setup) async throws {
    let (ask, size, control) = setup.define(
      fast("ask", of: Int.self, returning: Int.self), fast("size", returning: Int.self), named: "kept"
    ) { soup, ask, size in
      let kept = soup.state("kept", initially: { [Call<Int, Int>]() })
      soup.react(state: kept, ask) { kept, call in kept.append(call) }
      soup.react(state: kept, size) { kept, call in call.reply(kept.count) }
    }
    let callers = WayToCall.allCases.map { way in Task { await way.call(ask, 1) } }
    while try await size() < callers.count { await Task.yield() }
    let report = await control.stop(within: patience)
    #expect(report.description == "0 dropped, quiet")
    try await control.restart()
    for caller in callers { #expect(await caller.value == .failure(.stopped)) }
  }
}

/// The soups that cannot be restarted, and the reasons.
@Suite(.watched, .serialized)
struct `A restart that fails` {
  @Test(arguments: Run.setups)
  func `A restart throws notStopped for a soup that runs or is paused, and changes nothing`(setup: Setup) async throws {
    let (increment, value, control) = setup.define(slow("increment"), fast("value", returning: Int.self)) {
      soup, increment, value in
      let counter = soup.state("counter", 0)
      soup.react(state: counter, increment) { n, _ in n += 1 }
      soup.react(state: counter, value) { n, call in call.reply(n) }
    }
    increment()
    await control.settle()
    await #expect(throws: RestartError.notStopped) { try await control.restart() }
    control.pause()
    await #expect(throws: RestartError.notStopped) { try await onThread { try control.blocking.restart() } }
    control.resume()
    #expect(try await value() == 1)
  }

  @Test(arguments: Run.setups)
  func `A restart throws running, with reaction and line, as long as bodies run`(setup: Setup) async throws {
    let door = Door()
    let line = #line + 1
    let (go, control) = setup.react(slow("go")) { _ in door.pass() }
    let body = aside { go() }
    await door.waitForVisitors(1)
    await control.stop(within: .zero)
    let attempts = [
      await #expect(throws: RestartError.self) { try await control.restart(within: .microseconds(1)) },
      await #expect(throws: RestartError.self) {
        try await onThread { try control.blocking.restart(within: .microseconds(1)) }
      },
    ]
    for attempt in attempts {
      #expect(
        attempt?.description
          == "Bodies of the stopped soup still run: 1 × go (\(#fileID):\(line)).")
    }
    #expect(control.snapshot().isStopped)
    #expect(!go())
    let task = Task { try await control.restart(within: patience) }
    door.open()
    try await task.value
    #expect(go(), "the restart has waited for the body")
    try await body.value
    await control.settle()
  }

  @Test(arguments: matchers)
  func `A restart throws noInitialValue, with state and line, for a state declared by a value that is not plain`(
    matcher: Matcher
  ) async throws {
    let line = #line + 3
    let (go, control) = matcher.define(slow("go")) { soup, go in
      let plain = soup.state("plain", 0)
      let list = soup.state("list", [1, 2, 3])
      soup.react(state: plain, state: list, go, on: .inline) { plain, list, _ in plain += list.count }
    }
    await control.stop(within: patience)
    let expected = RestartError.noInitialValue(state: "list", source: Soup.Source(line: line))
    await #expect(throws: expected) { try await control.restart() }
    await #expect(throws: expected) { try await onThread { try control.blocking.restart() } }
    #expect(
      expected.description
        == "State 'list' (\(#fileID):\(line)) was declared by a value that cannot be made again: "
        + "declare it by a closure."
    )
    #expect(control.snapshot().isStopped)
    #expect(!go())
  }

  @Test(arguments: Run.setups)
  func `One of three restarts at the same time succeeds, and the others throw notStopped`(setup: Setup) async throws {
    try await explore(schedules: 50, seed: 1) { world in
      let (made, errors) = (Tally(), Log<RestartError>())
      let (go, control) = setup.define(slow("go")) { soup, go in
        let state = soup.state("state", initially: { made.add() })
        soup.react(state: state, go) { _, _ in }
      }
      await control.stop()
      for number in 1...3 {
        world.thread("\(number)") {
          do throws(RestartError) { try control.blocking.restart() } catch { errors.append(error) }
        }
      }
      await world.quiet()
      #expect(errors.all == [.notStopped, .notStopped])
      #expect(made.count == 2 && go())
    }
  }

  @Test(arguments: Run.setups)
  func `A restart injects the first molecules of a soup once more`(setup: Setup) async throws {
    let (take, permit, _, control) = setup.define(fast("take", returning: Void.self), slow("permit"), slow("extra")) {
      soup, take, permit, extra in
      soup.react(take, permit) { call, _ in call.reply() }
      soup.react(take, extra, extra) { call, _, _ in call.reply() }
      soup.initially { permit.inject(count: 3) }
      soup.initially { extra() }
    }
    for round in 0..<6 {
      await control.settle()
      #expect(control.snapshot()[permit] == 3 && control.snapshot()["extra"] == 1)
      try await take(within: patience)
      if round == 5 { control.pause() }
      await control.stop(within: patience)
      if round % 2 == 0 {
        try await control.restart(within: patience)
      } else {
        try await onThread { try control.blocking.restart(within: patience) }
      }
    }
    // A paused soup stays paused, with its first molecules.
    #expect(control.snapshot()[permit] == 3)
    await #expect(throws: CallError.timedOut) { try await take(within: .zero) }
  }

  @Test(arguments: Run.setups)
  func `Stops and restarts at the same time leave the first molecules of one restart`(setup: Setup) async throws {
    try await explore(schedules: 50, seed: 1) { world in
      let (permit, control) = setup.define(slow("permit"), named: "permit") { soup, permit in
        soup.react(permit, permit, permit) { _, _, _ in Issue.record("three permits") }
        soup.initially { permit.inject(count: 2) }
      }
      for number in 1...2 {
        world.thread("stop \(number)") { control.blocking.stop() }
        world.thread("restart \(number)") {
          do throws(RestartError) { try control.blocking.restart() } catch {
            if error != .notStopped { throw error }
          }
        }
      }
      await world.quiet()
      await control.stop()
      try await control.restart()
      #expect(control.snapshot()[permit] == 2)
    }
  }

  @Test(arguments: Run.setups)
  func `A soup that refuses restarts stays stopped, and Soup.all passes it by`(setup: Setup) async throws {
    let (go, control) = setup.define(slow("go")) { soup, go in
      soup.react(go) { _ in }
      soup.refuseRestarts()
    }
    await #expect(throws: RestartError.refused) { try await control.restart() }
    #expect(go())
    await control.drain(within: patience)
    await #expect(throws: RestartError.refused) { try await control.restart() }
    try await onThread { () throws in
      #expect(throws: RestartError.refused) { try control.blocking.restart() }
    }
    #expect(!go())
  }
}
