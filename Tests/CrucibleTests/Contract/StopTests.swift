import Crucible
import CrucibleTestSupport
import Testing

/// Contract 9, stop: it ends in quiet, and refuses from then on. Each accepted molecule is consumed or dropped.
@Suite(.watched, .serialized)
struct `Stopping a soup` {
  @Test(arguments: Run.setups)
  func `A stopped soup refuses injections, and its calls throw .stopped`(setup: Setup) async throws {
    let (census, reacted) = (Census(), Tally())
    let (a, plain, call, control) = Soup.define("refusing", with: .init(matcher: setup.matcher)) { soup in
      let state = soup.state("state", 0)
      let a = soup.slow("a", of: Live.self)
      let plain = soup.slow("plain")
      let call = soup.fast("call", of: Live.self, returning: Int.self)
      soup.react(a, on: setup.placement) { _ in reacted.add() }
      soup.react(state: state, plain, on: setup.placement) { _, _ in reacted.add() }
      soup.react(call, on: setup.placement) { call in
        reacted.add()
        call.reply(1)
      }
      return (a, plain, call, soup.control)
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
    let accepted = try await onThreads(4) { _ in a(census.live()) }
    #expect(accepted == [false, false, false, false])
    for way in WayToCall.allCases { #expect(await way.call(call, census.live()) == .failure(.stopped)) }
    await control.settle()
    #expect(reacted.count == 2)
    #expect(control.snapshot()[a] + control.snapshot()[plain] + control.snapshot()[call] == 0)
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `Stopping a soup drops and counts waiting molecules, and gives callers .stopped, whichever way they called`(
    setup: Setup
  ) async throws {
    let census = Census()
    let (a, b, call, control) = Soup.define("dropping", with: .init(matcher: setup.matcher)) { soup in
      let a = soup.slow("a", of: Live.self)
      let b = soup.slow("b")
      let call = soup.fast("call", of: Live.self, returning: Int.self)
      let never = soup.slow("never")
      soup.react(a, b, never, on: setup.placement) { _, _, _ in }
      soup.react(call, never, on: setup.placement) { call, _ in call.reply(1) }
      return (a, b, call, soup.control)
    }
    let calls = WayToCall.allCases.map { way in Task { await way.call(call, census.live()) } }
    while control.snapshot().waitingCallers < calls.count { await Task.yield() }
    for _ in 0..<5000 {
      a(census.live())
      b()
    }
    let report = await control.stop(within: patience)
    #expect(report.isQuiet)
    #expect(report.dropped == 10_000 + calls.count)
    #expect(report.description == "\(10_000 + calls.count) dropped, quiet")
    for call in calls { #expect(await call.value == .failure(.stopped)) }
    #expect(control.snapshot().dropped == report.dropped)
    #expect(control.snapshot().counts.allSatisfy { $0.molecules == 0 })
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `Stopping a soup waits for bodies, which go on to their end and inject in vain`(setup: Setup) async throws {
    let door = Door()
    let ended = Log<Bool>()
    let (go, control) = Soup.define("running", with: .init(matcher: setup.matcher)) { soup in
      let go = soup.slow("go")
      let next = soup.slow("next", of: Int.self)
      soup.react(go, on: setup.placement) { _ in
        door.pass()
        ended.append(next(1))
      }
      soup.react(next, on: setup.placement) { _ in }
      return (go, soup.control)
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
    let (token, control) = Soup.define("endless", with: .init(matcher: setup.matcher)) { soup in
      let token = soup.slow("token", of: Int.self)
      soup.react(token, on: setup.placement) { number in
        turns.add()
        token(number + 1)
      }
      return (token, soup.control)
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
  func `Stopping a paused soup drops the molecules that gathered`(setup: Setup) async {
    let reacted = Tally()
    let (a, control) = Soup.define("paused", with: .init(matcher: setup.matcher)) { soup in
      let a = soup.slow("a", of: Int.self)
      soup.react(a, on: setup.placement) { _ in reacted.add() }
      return (a, soup.control)
    }
    control.pause()
    for number in 0..<100 { a(number) }
    let report = await control.stop(within: patience)
    #expect(report.dropped == 100)
    control.resume()
    await control.settle()
    #expect(reacted.count == 0)
    #expect(!a(1), "resuming does not restart")
  }

  @Test(arguments: Run.setups)
  func `Many threads that stop a soup at once all finish, and drop each molecule once`(setup: Setup) async throws {
    for backlog in [0, 1, scaled(3000)] {
      let census = Census()
      let (a, control) = Soup.define("at once", with: .init(matcher: setup.matcher)) { soup in
        let a = soup.slow("a", of: Live.self)
        let never = soup.slow("never")
        soup.react(a, never, on: setup.placement) { _, _ in }
        return (a, soup.control)
      }
      for _ in 0..<backlog { a(census.live()) }
      let reports = try await onThreads(8) { _ in
        let report = control.blocking.stop(within: patience)
        return (report, census.alive)
      }
      #expect(reports.allSatisfy { $0.0.isQuiet && $0.0.running.isEmpty })
      #expect(reports.allSatisfy { $0.1 == 0 }, "after a quiet stop, all values are destroyed")
      #expect(reports.reduce(0) { $0 + $1.0.dropped } == backlog)
    }
  }

  @Test(arguments: Run.setups)
  func `Stopping while threads inject consumes or drops each accepted molecule once`(setup: Setup) async throws {
    for round in 0..<scaled(12) {
      let race = ControlRace(setup, each: 2000)
      let report = try await race.run { race in
        for _ in 0..<round * 30 { _ = race.control.snapshot().isStopped }
        return race.control.blocking.stop(within: patience)
      }
      await race.expectBalance(allowing: [.stopped])
      #expect(report.isQuiet)
      #expect(race.present == 0, "in round \(round)")
      await race.census.expectExtinction()
    }
  }

  @Test(arguments: Run.setups)
  func `A stop in a cancelled task stops the soup all the same`(setup: Setup) async {
    let (a, control) = Soup.define("cancelled", with: .init(matcher: setup.matcher)) { soup in
      let a = soup.slow("a", of: Int.self)
      let never = soup.slow("never")
      soup.react(a, never, on: setup.placement) { _, _ in }
      return (a, soup.control)
    }
    a(1)
    let report = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await control.stop(within: patience)
    }.value
    #expect(report.dropped == 1)
    #expect(!a(2))
  }
}
