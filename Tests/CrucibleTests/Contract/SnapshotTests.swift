import Crucible
import CrucibleTestSupport
import Testing

/// Contract 9, inspection: the counts of a snapshot, their common moment, and the meaning of quiet.
@Suite(.watched, .serialized)
struct `A snapshot` {
  @Test(arguments: Run.setups)
  func `A snapshot counts waiting molecules by name and by label, and the callers among them`(setup: Setup) async {
    let (a, twins, call, control) = Soup.define("counted", with: .init(matcher: setup.matcher)) { soup in
      let a = soup.slow("a", of: Int.self)
      let twins = [soup.slow("twin"), soup.slow("twin")]
      let call = soup.fast("call", of: Int.self, returning: Int.self)
      let state = soup.state("state", 0)
      let never = soup.slow("never")
      soup.react(state: state, a, never, on: setup.placement) { _, _, _ in }
      soup.react(twins[0], twins[1], never, on: setup.placement) { _, _, _ in }
      soup.react(call, never, on: setup.placement) { call, _ in call.reply(1) }
      return (a, twins, call, soup.control)
    }
    for number in 0..<3000 { a(number) }
    for _ in 0..<5 { twins[0]() }
    for _ in 0..<7 { twins[1]() }
    let callers = WayToCall.allCases.map { way in Task { await way.call(call, 1) } }
    while control.snapshot().waitingCallers < callers.count { await Task.yield() }
    let snapshot = control.snapshot()
    #expect(snapshot.soup == "counted")
    #expect(snapshot.counts.map(\.label) == ["a", "twin", "twin", "call", "state", "never"])
    #expect(snapshot.counts.map(\.molecules) == [3000, 5, 7, 4, 1, 0])
    #expect(snapshot[a] == 3000)
    #expect(snapshot[twins[0]] == 5 && snapshot[twins[1]] == 7)
    #expect(snapshot["twin"] == 12)
    #expect(snapshot["nobody"] == nil)
    #expect(snapshot.waitingCallers == 4)
    #expect(snapshot.reserved == 0 && snapshot.running.isEmpty && snapshot.pending == 0)
    #expect(snapshot.dropped == 0 && snapshot.withdrawn == 0)
    #expect(!snapshot.isPaused && !snapshot.isStopped)
    #expect(
      snapshot.description
        == "soup 'counted': a 3000, twin 5, twin 7, call 4, state 1, never 0; waiting callers 4")
    control.pause()
    control.clear()
    for caller in callers { #expect(await caller.value == .failure(.cleared)) }
    #expect(
      "\(control.snapshot())"
        == "soup 'counted', paused: a 0, twin 0, twin 0, call 0, state 1, never 0; dropped 3016")
    #expect(snapshot[a] == 3000, "a snapshot does not change")
    #expect(control.snapshot().dropped == 3016)
  }

  @Test func `A snapshot counts no name before the definition has ended, because more names may come`() async throws {
    let (a, control) = try await onThread {
      try Soup.define("growing") { soup in
        let a = soup.slow("a")
        soup.react(a, a) { _, _ in }
        let control = soup.control
        a()
        let snapshot = try runThreads(1) { _ in control.snapshot() }[0].get()
        #expect(snapshot.counts.isEmpty && snapshot.running.isEmpty && snapshot.reserved == 0)
        #expect(snapshot[a] == 0)
        #expect(snapshot["a"] == nil)
        #expect(snapshot.description == "soup 'growing': no names")
        return (a, control)
      }
    }
    #expect(control.snapshot()[a] == 1)
  }

  @Test(arguments: matcherNames)
  func `A snapshot and an explanation count the firings that are reserved for a busy pool`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("reserved", workers: 2)
      let (begun, gate) = (Latch(2), Gate())
      let (block, go, pair, control) = Matcher(matcher)!.define(slow("block"), slow("go"), slow("pair", of: Int.self)) {
        soup, block, go, pair in
        let state = soup.state("state", 0)
        soup.react(block) { _ in
          begun.countDown()
          gate.waitBlocking()
        }
        soup.react(state: state, go) { _, _ in }
        soup.react(pair, pair) { _, _ in }
      }
      for _ in 0..<4 { block() }
      await begun.wait()
      go()
      for number in 0..<7 { pair(number) }
      let snapshot = control.snapshot()
      #expect(snapshot.running.map(\.reaction.pattern) == ["block"])
      #expect(snapshot.running.map(\.bodies) == [2])
      #expect(snapshot.reserved == 2 + 1 + 3 && snapshot.pending == 2 + snapshot.reserved)
      #expect(snapshot[block] == 0, "a reserved molecule does not wait any more")
      #expect(snapshot[pair] == 1)
      let explanation = control.explain()
      #expect(explanation.reserved == 6)
      #expect(explanation.verdict.hasPrefix("2 bodies run, 6 firings are reserved and have not begun"))
      #expect(explanation.reactions[1].inputs[0].there == 0)
      #expect(explanation.description.contains("'state' is away: a firing that is reserved has it"))
      gate.open()
      await control.settle()
      #expect(control.snapshot().reserved == 0 && control.snapshot().pending == 0)
    }
  }
}

/// No injection in progress, no firing reserved, no body running.
@Suite(.watched, .serialized)
struct `Quiet soups` {
  @Test(arguments: Run.setups)
  func `A soup is not quiet as long as a body runs`(setup: Setup) async throws {
    let door = Door()
    let (go, control) = setup.react(slow("go")) { _ in door.pass() }
    #expect(await control.quiet(within: .zero))
    let body = aside { go() }
    await door.waitForVisitors(1)
    for limit in [Duration.seconds(-1), .zero, .microseconds(1)] {
      #expect(await !control.quiet(within: limit))
      #expect(try await onThread { !control.blocking.quiet(within: limit) })
    }
    door.open()
    #expect(await control.quiet(within: patience))
    #expect(try await onThread { control.blocking.quiet(within: .zero) })
    try await body.value
  }

  @Test(arguments: Run.setups)
  func `A body never sees its own soup quiet`(setup: Setup) async {
    let answers = Log<Bool>()
    let (go, plain, control) = setup.define(slow("go", of: Int.self), slow("plain")) { soup, go, plain in
      let state = soup.state("state", 0)
      let control = soup.control
      soup.react(go) { _ in answers.append(control.blocking.quiet(within: .zero)) }
      soup.react(state: state, plain) { _, _ in
        answers.append(control.blocking.quiet(within: .zero))
      }
    }
    go(1)
    plain()
    await control.settle()
    #expect(answers.all == [false, false])
  }

  @Test func `A cancelled task stops waiting for a quiet soup`() async {
    let door = Door()
    let (go, control) = Soup.Options().react(slow("go")) { _ in door.pass() }
    go()
    await door.waitForVisitors(1)
    let waiting = Task { await control.quiet(within: .seconds(3600)) }
    waiting.cancel()
    #expect(await !waiting.value)
    door.open()
    await control.settle()
  }
}
