import Crucible
import CrucibleTestSupport
import Testing

/// Contract 9, clear: all waiting molecules are dropped, each once. Nothing else is, and the soup goes on.
@Suite(.watched, .serialized)
struct `Clearing a soup` {
  @Test(arguments: Run.setups)
  func `Clearing a soup destroys each waiting molecule once, and returns their number`(setup: Setup) {
    let census = Census()
    let (a, b, _, control) = setup.define(slow("a", of: Live.self), slow("b"), slow("never")) { soup, a, b, never in
      soup.react(a, never) { _, _ in }
      soup.react(b, never) { _, _ in }
    }
    var dropped = 0
    for backlog in [0, 1, 100, 5000, 3] {
      for number in 0..<backlog {
        a(census.live(number))
        b()
      }
      #expect(census.alive == backlog)
      #expect(control.clear() == 2 * backlog)
      #expect(census.alive == 0)
      #expect(control.snapshot()[a] + control.snapshot()[b] == 0)
      dropped += 2 * backlog
      #expect(control.snapshot().dropped == dropped)
    }
  }

  @Test(arguments: Run.setups)
  func `Clearing a soup drops no state, and the soup goes on`(setup: Setup) async throws {
    let (add, go, total, control) = setup.define(
      slow("add", of: Int.self), slow("go"), fast("total", returning: Int.self)
    ) { soup, add, go, total in
      let sum = soup.state("sum", 100)
      soup.react(state: sum, add, go) { sum, number, _ in sum += number }
      soup.react(state: sum, total) { sum, call in call.reply(sum) }
    }
    add(1)
    go()
    await control.settle()
    add(1000)
    #expect(control.clear() == 1)
    #expect(control.snapshot()["sum"] == 1)
    go()
    add(10)
    await control.settle()
    #expect(try await total() == 111, "dropped molecules have not reacted")
  }

  @Test(arguments: Run.setups)
  func `Clearing a soup leaves alone the molecule and the state that a running body has`(setup: Setup) async throws {
    let census = Census()
    let door = Door()
    let (keep, total, control) = setup.define(slow("keep", of: Live.self), fast("total", returning: Int.self)) {
      soup, keep, total in
      let kept = soup.state("kept", 0)
      soup.react(state: kept, keep) { kept, value in
        door.pass()
        kept += value.number
      }
      soup.react(state: kept, total) { kept, call in call.reply(kept) }
    }
    let running = aside { keep(census.live(7)) }
    await door.waitForVisitors(1)
    for number in 0..<10 { keep(census.live(100 + number)) }
    #expect(control.clear() == 10)
    #expect(census.alive == 1)
    door.open()
    try await running.value
    await control.settle()
    #expect(try await total() == 7)
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `Clearing one name destroys its molecules alone, however many wait`(matcher: Matcher) async {
    let (census, events, sum) = (Census(), Log<Int>(), Tally())
    let (names, go, control) = matcher.define(slow("n", of: Live.self, count: 12), slow("go")) { soup, names, go in
      // Twelve names beside a state, so that a backlog of 200 is more than a narrow field counts.
      let state = soup.state("state", 0)
      for name in names {
        soup.react(state: state, name, go, on: .inline) { _, live, _ in sum.add(1 + live.number) }
      }
    }
    let observation = control.observe { event in
      if case .cleared(let dropped) = event.kind { events.append(dropped) }
    }
    for name in names { for number in 0..<200 { name(census.live(number)) } }
    #expect(control.clear(names[3]) == 200)
    #expect(census.alive == 11 * 200)
    #expect(
      control.snapshot().counts.map(\.molecules) == [200, 200, 200, 0] + Array(repeating: 200, count: 8) + [0, 1])
    #expect(control.clear(names[3]) == 0)
    #expect(control.snapshot().dropped == 200)
    #expect(events.all == [200, 0])
    go.inject(count: 11 * 200)
    await control.settle()
    #expect(sum.count == 11 * 200 * 201 / 2)
    go()
    #expect(control.clear(go) == 1, "molecules without a value are only counted")
    names[3](census.live(7))
    #expect(control.snapshot()[names[3]] == 1)
    observation.end()
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `Clearing one name ends its callers and the calls that it carries`(setup: Setup, way: WayToCall) async {
    let (ask, hand, miss, never, control) = setup.define(
      fast("ask", of: Int.self, returning: Int.self), fast("hand", of: Int.self, returning: Int.self),
      slow("miss", of: Call<Int, Int>.self), slow("never")
    ) { soup, ask, hand, miss, never in
      soup.react(hand, on: .inline) { call in miss(call) }
      soup.react(ask, never) { call, _ in call.reply(call.input) }
      soup.react(miss, never) { call, _ in call.reply(call.input) }
    }
    let asking = Task { await way.call(ask, 1) }
    let handing = Task { await way.call(hand, 2) }
    while control.snapshot()[ask] + control.snapshot()[miss] < 2 { await Task.yield() }
    #expect(control.clear(miss) == 1)
    #expect(await handing.value == .failure(.cleared))
    #expect(control.snapshot()[ask] == 1)
    let again = Task { await way.call(hand, 3) }
    while control.snapshot()[miss] < 1 { await Task.yield() }
    #expect(control.clear(ask) == 1)
    #expect(await asking.value == .failure(.cleared))
    never()
    #expect(await again.value == .success(3))
  }

  @Test(arguments: matchers)
  func `Pause, resume, clear, snapshot and stop are values, which keep the soup`(matcher: Matcher) async {
    func rights() -> (pause: () -> Void, resume: () -> Void, clear: () -> Int, stats: () -> Soup.Snapshot, Stop) {
      let (work, _, control) = matcher.define(slow("work"), slow("never")) { $0.react($1, $2) { _, _ in } }
      work()
      return (control.pause, control.resume, control.clear, control.snapshot, control.stop(cancelling:within:))
    }
    typealias Stop = @Sendable (Bool, Duration) async -> StopReport
    let (pause, resume, clear, stats, stop) = rights()
    pause()
    #expect(stats().isPaused && stats()["work"] == 1)
    resume()
    #expect(!stats().isPaused && clear() == 1)
    #expect(await stop(false, patience).dropped == 0)
    #expect(stats().isStopped)
  }
}
