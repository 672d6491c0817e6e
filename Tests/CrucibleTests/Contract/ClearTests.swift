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

  @Test(arguments: matchers)
  func `Clearing a soup drops the molecules of all its components`(matcher: Matcher) {
    let (names, control) = matcher.define(slow("n", of: Int.self, count: 6)) { soup, names in
      for pair in 0..<3 { soup.react(names[2 * pair], names[2 * pair + 1]) { _, _ in } }
    }
    for pair in 0..<3 { for number in 0...pair { names[2 * pair](number) } }
    #expect(control.clear() == 6)
    #expect(control.clear() == 0)
    #expect(control.snapshot().counts.allSatisfy { $0.molecules == 0 })
  }

  @Test(arguments: Run.setups)
  func `Clearing a soup gives waiting callers .cleared, whichever way they called`(setup: Setup) async {
    let census = Census()
    let (call, control) = Soup.define("callers", with: .init(matcher: setup.matcher)) { soup in
      let call = soup.fast("call", of: Live.self, returning: Int.self)
      let never = soup.slow("never")
      soup.react(call, never, on: setup.placement) { call, _ in call.reply(1) }
      return (call, soup.control)
    }
    let calls = WayToCall.allCases.map { way in Task { await way.call(call, census.live()) } }
    while control.snapshot().waitingCallers < calls.count { await Task.yield() }
    #expect(control.clear() == calls.count)
    for task in calls { #expect(await task.value == .failure(.cleared)) }
    #expect(control.snapshot().waitingCallers == 0)
    #expect(control.snapshot().withdrawn == 0, "callers of dropped calls did not give up")
    await census.expectExtinction()
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

  @Test(arguments: Run.setups)
  func `Clearing a paused soup drops the molecules that gathered, and the soup stays paused`(setup: Setup) async {
    let reacted = Log<Int>()
    let (a, control) = setup.react(slow("a", of: Int.self)) { reacted.append($0) }
    control.pause()
    for number in 0..<1000 { a(number) }
    #expect(control.clear() == 1000)
    a(1000)
    await control.settle()
    #expect(control.snapshot()[a] == 1)
    control.resume()
    await control.settle()
    #expect(reacted.all == [1000])
  }
}
