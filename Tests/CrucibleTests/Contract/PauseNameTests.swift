import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// `control.pause(name)` pauses the reactions that consume the name, and no others.
@Suite(.watched, .serialized)
struct `Pausing one name` {
  @Test(arguments: Run.setups)
  func `Pausing one name keeps its molecules, however many, while the other names react`(setup: Setup) async {
    let (census, sum) = (Census(), Tally())
    let (names, go, control) = setup.define(slow("n", of: Live.self, count: 12), slow("go")) { soup, names, go in
      // Twelve names beside a state, so that a backlog of 200 is more than a narrow field counts.
      let state = soup.state("state", 0)
      for name in names {
        soup.react(state: state, name, go) { _, live, _ in sum.add(live.number) }
      }
    }
    for _ in 0..<50 { names[3](census.live(1)) }
    control.pause(names[3])
    for _ in 0..<150 { names[3](census.live(1)) }
    names[5](census.live(1000))
    go.inject(count: 10)
    await control.settle()
    #expect(sum.count == 1000, "only the other name has reacted")
    #expect(control.snapshot()[names[3]] == 200 && control.snapshot()[go] == 9)
    #expect(control.snapshot().counts.map(\.isPaused) == (0..<14).map { $0 == 3 })
    control.pause()
    control.resume()
    await control.settle()
    #expect(sum.count == 1000, "the name is still paused")
    control.resume(names[3])
    await control.settle()
    #expect(sum.count == 1009)
    #expect(control.snapshot()[names[3]] == 191 && control.snapshot()[go] == 0)
    control.pause(names[3])
    #expect(control.clear(names[3]) == 191)
    names[3](census.live(5))
    names[3](census.live(6))
    go()
    control.resume(names[3])
    await control.settle()
    #expect(sum.count == 1014, "the oldest molecule reacts first")
    control.pause(names[3])
    await control.stop()
    #expect(control.snapshot().dropped == 192)
    #expect(census.alive == 0)
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `Pausing one name keeps its callers, and they may give up`(setup: Setup, way: WayToCall) async throws {
    let clock = ManualClock()
    let (ask, control) = setup.with(clock: clock).react(fast("ask", of: Int.self, returning: Int.self), named: "ask") {
      call in call.reply(call.input + 1)
    }
    control.pause(ask)
    #expect(await clock.expire { await ask.outcome(1, within: $0) } == .failure(.timedOut))
    let cancelled = Task { try await ask(2) }
    while control.snapshot()[ask] == 0 { await Task.yield() }
    cancelled.cancel()
    await #expect(throws: CallError.cancelled) { try await cancelled.value }
    #expect(control.snapshot()[ask] == 0 && control.snapshot().withdrawn == 2)
    let asking = Task { await way.call(ask, 3) }
    while control.snapshot()[ask] == 0 { await Task.yield() }
    control.resume(ask)
    #expect(await asking.value == .success(4))
  }

  @Test(arguments: Run.setups)
  func `Pausing one name holds its branch of a select, and not the others`(setup: Setup) async throws {
    let (a, b) = (`A select`.box("a", setup), `A select`.box("b", setup))
    a.put(1)
    a.control.pause(a.take)
    async let got = Soup.first(of: a.take.call(), b.take.call())
    while a.control.snapshot()[a.take] == 0 { await Task.yield() }
    b.put(2)
    #expect(try await got == 2)
    a.control.resume(a.take)
    await a.control.settle()
    #expect(a.control.snapshot()[a.put] == 1 && a.control.snapshot()[a.take] == 0)
  }

  /// A soup that repeats another one of the same site copies the layout of that one.
  @Test(arguments: matchers)
  func `Pausing one name leaves the same name of other soups alone`(matcher: Matcher) {
    func define(_ log: Log<Int>) -> (Injector<Int>, Soup.Control) {
      matcher.react(slow("a", of: Int.self), on: .inline) { log.append($0) }
    }
    let log = Log<Int>()
    let (first, control) = define(log)
    control.pause(first)
    let (second, _) = define(log)
    first(1)
    second(2)
    #expect(log.all == [2])
    control.resume(first)
    #expect(log.all == [2, 1])
  }

  @Test(arguments: matchers)
  func `Pausing and clearing one name work without values for reactions in a task`(matcher: Matcher) async {
    let fired = Tally()
    let (tick, control) = matcher.react(slow("tick"), on: .task, named: "tick") { _ in fired.add() }
    control.pause(tick)
    tick.inject(count: 3)
    #expect(control.clear(tick) == 3)
    tick.inject(count: 2)
    await control.settle()
    #expect(fired.count == 0 && control.snapshot()[tick] == 2)
    control.resume(tick)
    await control.settle()
    #expect(fired.count == 2)
  }

  @Test(arguments: matchers)
  func `An explanation and a snapshot say which name is paused`(matcher: Matcher) {
    let (a, control) = matcher.react(slow("a"), on: .inline, named: "told") { _ in }
    control.pause(a)
    a()
    let explanation = control.explain()
    #expect(explanation.reactions[0].paused.map(\.label) == ["a"])
    #expect(explanation.verdict == "nothing reacts: every reaction lacks a molecule, or one of its names is paused")
    #expect(explanation.description.contains("next:    'a' is paused: resume(a)"))
    #expect("\(control.snapshot())" == "soup 'told': a 1 (paused)")
    control.resume(a)
    #expect(control.explain().reactions[0].paused.isEmpty)
    #expect("\(control.snapshot())" == "soup 'told': a 0")
  }
}
