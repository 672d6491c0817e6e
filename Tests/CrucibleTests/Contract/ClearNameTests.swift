import Crucible
import CrucibleTestSupport
import Testing

/// `control.clear(name)` drops the waiting molecules of one name, each once, and no others.
@Suite(.watched, .serialized)
struct `Clearing one name` {
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
}
