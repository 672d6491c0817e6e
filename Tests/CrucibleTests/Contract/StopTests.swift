import Crucible
import CrucibleTestSupport
import Testing

/// Contract 9, stop: it ends in quiet, and refuses from then on. Each accepted molecule is consumed or dropped.
@Suite(.watched, .serialized)
struct `Stopping a soup` {
  @Test(arguments: Run.setups)
  func `A stopped soup refuses injections, and its calls throw .stopped`(setup: Setup) async throws {
    let (census, reacted) = (Census(), Tally())
    let (a, plain, call, control) = setup.define(
      slow("a", of: Live.self), slow("plain"), fast("call", of: Live.self, returning: Int.self)
    ) { soup, a, plain, call in
      let state = soup.state("state", 0)
      soup.react(a) { _ in reacted.add() }
      soup.react(state: state, plain) { _, _ in reacted.add() }
      soup.react(call) { call in
        reacted.add()
        call.reply(1)
      }
    }
    #expect(a(census.live()))
    #expect(plain())
    for report in [await control.stop(within: patience), await control.stop(within: patience)] {
      #expect(report.description == "0 dropped, quiet")
    }
    #expect(reacted.count == 2)
    #expect(control.snapshot().isStopped)
    #expect(!a(census.live()))
    #expect(!plain())
    for way in WayToCall.allCases { #expect(await way.call(call, census.live()) == .failure(.stopped)) }
    await control.settle()
    #expect(reacted.count == 2)
    #expect(control.snapshot()[a] + control.snapshot()[plain] + control.snapshot()[call] == 0)
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `Stopping a soup waits for bodies, which go on to their end and inject in vain`(setup: Setup) async throws {
    let door = Door()
    let ended = Log<Bool>()
    let (go, _, control) = setup.define(slow("go"), slow("next", of: Int.self)) { soup, go, next in
      soup.react(go) { _ in
        door.pass()
        ended.append(next(1))
      }
      soup.react(next) { _ in }
    }
    let bodies = [aside { go() }, aside { go() }]
    await door.waitForVisitors(2)
    let task = Task { (await control.stop(within: patience), ended.count) }
    let thread = Task { try await onThread { (control.blocking.stop(within: patience), ended.count) } }
    while !control.snapshot().isStopped { await Task.yield() }
    door.open()
    for (report, count) in [await task.value, try await thread.value] {
      #expect(report.isQuiet)
      #expect(count == 2)
    }
    #expect(ended.all == [false, false])
    for body in bodies { try await body.value }
  }

  @Test(arguments: Run.setups)
  func `Stopping a soup ends a chain of reactions that would go on for ever`(setup: Setup) async throws {
    let turns = Tally()
    let (token, control) = setup.define(slow("token", of: Int.self)) { soup, token in
      soup.react(token) { number in
        turns.add()
        token(number + 1)
      }
    }
    let chains = (0..<3).map { number in aside { token(number) } }
    while turns.count < 1000 { await Task.yield() }
    let report = await control.stop(within: patience)
    #expect(report.isQuiet)
    for chain in chains { try await chain.value }
    let last = turns.count
    await control.settle()
    #expect(turns.count == last)
    #expect(control.snapshot()[token] == 0)
  }

  @Test(arguments: Run.setups)
  func `A stop in a cancelled task stops the soup all the same`(setup: Setup) async {
    let (a, _, control) = setup.react(slow("a", of: Int.self), slow("never")) { _, _ in }
    a(1)
    let report = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await control.stop(within: patience)
    }.value
    #expect(report.dropped == 1)
    #expect(!a(2))
  }

  @Test(arguments: Run.setups)
  func `A stop ends at its deadline, and reports which bodies still run, with their lines`(setup: Setup) async throws {
    let door = Door()
    let line = #line + 3
    let (go, state, control) = setup.define(slow("go"), slow("with", of: Int.self)) { soup, go, with in
      let state = soup.state("state", 0)
      soup.react(state: state, go, with) { _, _, _ in door.pass() }
    }
    go()
    let body = aside { state(1) }
    await door.waitForVisitors(1)
    go()
    let running = "1 × state & go & with (\(#fileID):\(line))"
    let first = await control.stop(within: .microseconds(1))
    #expect(first.running.map(\.description) == [running])
    #expect(first.description == "1 dropped, not quiet, still running: \(running)")
    let second = try await onThread { control.blocking.stop(within: .microseconds(1)) }
    #expect(!second.isQuiet)
    #expect(second.dropped == 0)
    #expect(second.running == first.running)
    #expect(!go(), "the soup is stopped although a body runs")
    door.open()
    let last = await control.stop(within: patience)
    #expect(last.isQuiet && last.running.isEmpty)
    #expect(control.snapshot()["state"] == 1)
    try await body.value
  }

  @Test(arguments: Run.setups)
  func `A stop from inside a body returns at once, and reports that body`(setup: Setup) async {
    let reports = Log<StopReport>()
    let line = #line + 3
    let (go, wait, control) = setup.define(slow("go"), slow("wait", of: Int.self)) { soup, go, wait in
      let control = soup.control
      soup.react(go) { _ in reports.append(control.blocking.stop(within: patience)) }
      soup.react(wait, wait, wait) { _, _, _ in }
    }
    wait(1)
    wait(2)
    go()
    await control.settle()
    #expect(reports.all.map(\.isQuiet) == [false])
    #expect(reports.all.map(\.dropped) == [2])
    #expect(reports.all.first?.running.map(\.description) == ["1 × go (\(#fileID):\(line))"])
    #expect(!wait(3))
    let second = await control.stop(within: patience)
    #expect(second.isQuiet)
  }

  @Test(arguments: Run.setups)
  func `A stop from another soup's body that is nested in a body of this soup returns at once`(setup: Setup) async {
    let reports = Log<StopReport>()
    let (inner, innerControl) = setup.react(slow("inner", of: Soup.Control.self), on: .inline, named: "inner") {
      outer in reports.append(outer.blocking.stop(within: patience))
    }
    let (outer, control) = setup.define(slow("outer"), named: "outer") { soup, outer in
      let control = soup.control
      soup.react(outer) { _ in inner(control) }
    }
    outer()
    await control.settle()
    await innerControl.settle()
    #expect(reports.all.map(\.isQuiet) == [false], "the stop does not wait for its own body")
    #expect(!outer())
  }

  /// The pool's one worker waits at a gate, so the other firings are reserved and cannot begin.
  @Test(arguments: matcherNames, [true, false])
  func `Reserved firings run to their end in a soup stopped or paused`(matcher: String, isStopped: Bool) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String, isStopped = isStopped as Bool] in
      Watchdog.guardProcess("reserved", workers: 1)
      let (begun, gate, reacted) = (Gate(), Gate(), Tally())
      let (a, control) = Matcher(matcher)!.react(slow("a", of: Int.self)) { number in
        if number == 0 {
          begun.open()
          gate.waitBlocking()
        }
        reacted.add()
      }
      for number in 0..<10 { a(number) }
      await begun.wait()
      #expect(control.snapshot().reserved == 9)
      if isStopped {
        let early = await control.stop(within: .microseconds(1))
        #expect(early.dropped == 0, "these molecules are consumed already")
        #expect(!early.isQuiet)
      } else {
        control.pause()
        a(10)
      }
      gate.open()
      await control.settle()
      #expect(reacted.count == 10)
      #expect(control.snapshot()[a] == (isStopped ? 0 : 1), "a molecule that came later waits")
    }
  }

  @Test(arguments: matcherNames)
  func `A stop by a body of another soup leaves a pool of one worker enough threads`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("stopped by another's body", workers: 1)
      let reports = Log<StopReport>()
      let (work, control) = Matcher(matcher)!.react(slow("work", of: Int.self), named: "work") { _ in }
      let (stop, stopper) = Matcher(matcher)!.react(slow("stop", of: Soup.Control.self)) { control in
        for number in 0..<10 { work(number) }
        reports.append(control.blocking.stop(within: patience))
      }
      stop(control)
      await stopper.settle()
      #expect(reports.all.map(\.isQuiet) == [true])
    }
  }
}
