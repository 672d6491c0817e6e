import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 9, pause and resume: nothing begins in between, nothing is lost, and all that waits reacts afterwards.
@Suite(.watched, .serialized)
struct `A paused soup` {
  /// With 31 names the matcher `word` counts one of each in its word, so more gather than the fields count.
  @Test(arguments: Run.setups, [0, 29])
  func `A paused soup gathers molecules, and matches them when it resumes`(setup: Setup, others: Int) async {
    let reacted = Tally()
    let (a, b, control) = setup.define(slow("a"), slow("b", of: Int.self)) { soup, a, b in
      soup.react(a, b) { _, _ in reacted.add() }
      if others > 0 { soup.react(a, soup.slow("other", count: others)) { _, _ in reacted.add() } }
    }
    control.pause()
    for number in 0..<100 {
      #expect(a())
      #expect(b(number))
    }
    for number in 0..<3 { #expect(b(number)) }
    await control.settle()
    #expect(reacted.count == 0)
    #expect(control.snapshot()[a] == 100)
    #expect(control.snapshot()[b] == 103)
    #expect(control.snapshot().isPaused)
    control.resume()
    await control.settle()
    #expect(reacted.count == 100)
    #expect(control.snapshot()[a] == 0 && control.snapshot()[b] == 3)
    #expect(!control.snapshot().isPaused)
    a()
    await control.settle()
    #expect(reacted.count == 101, "the soup goes on as before")
  }

  @Test(arguments: Run.setups)
  func `One resume ends any number of pauses`(setup: Setup) async {
    let reacted = Tally()
    let (a, control) = setup.react(slow("a"), named: "twice") { _ in reacted.add() }
    control.resume()
    a()
    await control.settle()
    #expect(reacted.count == 1, "resuming a soup that runs changes nothing")
    control.pause()
    control.pause()
    a()
    await control.settle()
    #expect(reacted.count == 1)
    control.resume()
    if setup.placement == .inline { #expect(reacted.count == 2, "the body runs on the thread that resumed") }
    await control.settle()
    #expect(reacted.count == 2)
  }

  @Test(arguments: Run.setups)
  func `A paused soup lets running bodies end, and keeps their states for later`(setup: Setup) async throws {
    let door = Door()
    let (add, total, control) = setup.define(slow("add", of: Int.self), fast("total", returning: Int.self)) {
      soup, add, total in
      let sum = soup.state("sum", 0)
      soup.react(state: sum, add) { sum, number in
        if number == 1 { door.pass() }
        sum += number
      }
      soup.react(state: sum, total) { sum, call in call.reply(sum) }
    }
    let first = aside { add(1) }
    await door.waitForVisitors(1)
    add(10)
    control.pause()
    #expect(control.snapshot()["sum"] == 0)
    door.open()
    try await first.value
    await control.settle()
    #expect(control.snapshot()["sum"] == 1)
    #expect(control.snapshot()[add] == 1, "the state came back, and serves no call")
    control.resume()
    await control.settle()
    #expect(try await total() == 11)
  }

  @Test(arguments: Run.setups)
  func `A paused soup keeps fast callers waiting, and they get their replies after it resumes`(setup: Setup) async {
    let (twice, control) = setup.react(fast("twice", of: Int.self, returning: Int.self)) { call in
      call.reply(2 * call.input)
    }
    control.pause()
    let calls = WayToCall.allCases.enumerated().map { number, way in Task { await way.call(twice, number) } }
    while control.snapshot().waitingCallers < calls.count { await Task.yield() }
    await control.settle()
    #expect(control.snapshot()[twice] == calls.count)
    control.resume()
    for (number, call) in calls.enumerated() { #expect(await call.value == .success(2 * number)) }
  }

  @Test(arguments: Run.setups)
  func `A step of a paused soup fires one reaction, and its molecules wait for the next`(setup: Setup) async {
    let reacted = Tally()
    let (a, b, other, control) = setup.define(slow("a", of: Int.self), slow("b"), slow("other")) { soup, a, b, other in
      let sum = soup.state("sum", 0)
      soup.react(state: sum, a) { sum, number in
        sum += number
        b()
      }
      soup.react(state: sum, b) { _, _ in reacted.add() }
      soup.react(other) { _ in reacted.add() }  // a component of its own
    }
    #expect(control.step() == nil)
    #expect(control.snapshot().isPaused)
    for number in 1...2 { a(number) }
    for expected in [["a": 1, "b": 1], ["a": 0, "b": 2]] {
      #expect(control.step(only: 0)?.pattern == "sum & a")
      await control.settle()
      for (name, count) in expected { #expect(control.snapshot()[name] == count) }
    }
    #expect(control.step(only: 0) == nil)
    other()
    var fired: [String] = []
    while let reaction = control.step() {
      await control.settle()
      fired.append(reaction.pattern)
      #expect(reacted.count == fired.count)
    }
    #expect(fired.sorted() == ["other", "sum & b", "sum & b"])
    #expect(control.snapshot().isPaused)
    b()
    control.resume()
    await control.settle()
    #expect(reacted.count == 4)
    await control.stop()
    #expect(control.step() == nil, "nothing fires in a stopped soup")
  }

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

/// Blocks bodies until it is opened. They block in a call, so the pool replaces their threads.
struct Door: Sendable {
  private let visitor: FastInjector<Void, Void>
  private let key: Injector<Void>
  private let control: Soup.Control

  init() {
    (visitor, key, control) = Soup.Options().define(fast("visitor", returning: Void.self), slow("key")) {
      soup, visitor, key in
      soup.react(visitor, key, on: .inline) { visitor, _ in
        key()
        visitor.reply()
      }
    }
  }

  /// Blocks the thread until the door is open.
  @available(*, noasync)
  func pass() { do { try visitor.blocking() } catch { Issue.record(error) } }

  func open() { key() }

  func waitForVisitors(_ count: Int) async {
    while control.snapshot().waitingCallers < count { await Task.yield() }
  }
}

/// Runs `work` on a thread of its own.
func aside(_ work: @escaping @Sendable () -> Void) -> Task<Void, any Error> {
  Task { try await onThread { work() } }
}
