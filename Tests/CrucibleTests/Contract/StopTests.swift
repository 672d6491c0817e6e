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
    let (a, b, call, _, control) = setup.define(
      slow("a", of: Live.self), slow("b"), fast("call", of: Live.self, returning: Int.self), slow("never")
    ) { soup, a, b, call, never in
      soup.react(a, b, never) { _, _, _ in }
      soup.react(call, never) { call, _ in call.reply(1) }
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
  func `Stopping a paused soup drops the molecules that gathered`(setup: Setup) async {
    let reacted = Tally()
    let (a, control) = setup.react(slow("a", of: Int.self)) { _ in reacted.add() }
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
}
