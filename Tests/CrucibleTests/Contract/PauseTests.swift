import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 9, pause and resume: nothing begins in between, nothing is lost, and all that waits reacts afterwards.
@Suite(.watched, .serialized)
struct `A paused soup` {
  @Test(arguments: Run.setups)
  func `A paused soup fires nothing, gathers molecules, and matches them when it resumes`(setup: Setup) async {
    let reacted = Tally()
    let (a, b, control) = setup.react(slow("a"), slow("b", of: Int.self)) { _, _ in reacted.add() }
    control.pause()
    for number in 0..<100 {
      #expect(a())
      #expect(b(number))
    }
    await control.settle()
    #expect(reacted.count == 0)
    #expect(control.snapshot()[a] == 100)
    #expect(control.snapshot()[b] == 100)
    #expect(control.snapshot().isPaused)
    control.resume()
    await control.settle()
    #expect(reacted.count == 100)
    #expect(control.snapshot()[a] + control.snapshot()[b] == 0)
    #expect(!control.snapshot().isPaused)
    a()
    b(1)
    await control.settle()
    #expect(reacted.count == 101, "the soup goes on as before")
  }

  @Test(arguments: Run.setups)
  func `A paused soup fires nothing, though more molecules gather than a small field counts`(setup: Setup) async {
    let reacted = Tally()
    let (a, b, control) = setup.define(slow("a"), slow("b")) { soup, a, b in
      let others = soup.slow("other", count: 29)  // with 31 names the matcher `word` counts one of each in its word
      soup.react(a, b) { _, _ in reacted.add() }
      soup.react(a, others) { _, _ in reacted.add() }
    }
    control.pause()
    for _ in 0..<3 {
      #expect(a())
      #expect(b())
    }
    for _ in 0..<3 { #expect(b()) }
    await control.settle()
    #expect(reacted.count == 0)
    #expect(control.snapshot()[a] == 3)
    #expect(control.snapshot()[b] == 6)
    control.resume()
    await control.settle()
    #expect(reacted.count == 3)
    #expect(control.snapshot()[b] == 3)
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

  @Test(arguments: matcherNames)
  func `A paused soup still runs the firings that are reserved`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("reserved in a paused soup")
      let soup = await Reserved(6, matcher: matcher)
      #expect(soup.control.snapshot().reserved == 5)
      soup.control.pause()
      soup.a(6)
      soup.gate.open()
      await soup.control.settle()
      #expect(soup.reacted.count == 6)
      #expect(soup.control.snapshot()[soup.a] == 1, "a molecule that came later waits")
    }
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
  func `A paused soup does not keep callers beyond their deadlines`(setup: Setup) async {
    let (reacted, clock) = (Tally(), ManualClock())
    let (call, control) = setup.with(clock: clock).define(fast("call", returning: Int.self)) { soup, call in
      soup.react(call) { call in
        reacted.add()
        call.reply(1)
      }
    }
    control.pause()
    for form in CallForm.allCases {
      #expect(await clock.expire { await call.outcome(within: $0, form) } == .failure(.timedOut))
    }
    #expect(control.snapshot()[call] == 0)
    control.resume()
    await control.settle()
    #expect(reacted.count == 0)
  }

  @Test(arguments: Run.setups)
  func `A soup that resumes matches a long backlog of several reactions and components`(setup: Setup) async {
    let chemistry = Chemistry("gathered", [[0, 1], [1, 2], [2, 2, 0], [3], [4, 4, 4]])
    let backlog = scaled(10_000)
    let consumed = (0..<5).map { _ in Tally() }
    let (names, more, control) = setup.define(slow("n", of: Int.self, count: 5), slow("more")) { soup, names, more in
      for pattern in chemistry.patterns {
        soup.react(pattern.map { names[$0] }) { items in
          for item in items { consumed[item].add() }
        }
      }
      let state = soup.state("state", 0)
      soup.react(state: state, more, names[4]) { _, _, _ in consumed[4].add() }
    }
    control.pause()
    for number in 0..<backlog {
      for (index, name) in names.enumerated() { name(index) }
      if number % 100 == 0 { more() }
    }
    control.resume()
    await control.settle()
    let present = names.map { control.snapshot()[$0] }
    for pattern in chemistry.patterns {
      #expect(!chemistry.isEnabled(pattern, with: present), "\(pattern) is enabled at rest, with \(present)")
    }
    #expect(control.snapshot()[more] == 0 || present[4] == 0)
    #expect(zip(consumed, present).map { $0.count + $1 } == Array(repeating: backlog, count: 5))
  }

  @Test(arguments: Run.setups)
  func `A step of a paused soup fires one reaction, and its molecules wait for the next`(setup: Setup) async {
    let reacted = Tally()
    let (a, b, other, control) = Soup.define("stepped", with: .init(matcher: setup.matcher)) { soup in
      let sum = soup.state("sum", 0)
      let (a, b) = (soup.slow("a", of: Int.self), soup.slow("b"))
      let other = soup.slow("other")  // a component of its own
      soup.react(state: sum, a, on: setup.placement) { sum, number in
        sum += number
        b()
      }
      soup.react(state: sum, b, on: setup.placement) { _, _ in reacted.add() }
      soup.react(other, on: setup.placement) { _ in reacted.add() }
      return (a, b, other, soup.control)
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
