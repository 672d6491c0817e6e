import Crucible
import CrucibleTestSupport
import Testing

/// Contract 7: a soup lives as long as an owning name or a running body. Then it is gone, once and without a leak.
@Suite(.watched, .serialized)
struct `Lifetime` {
  @Test(arguments: Run.setups)
  func `Waiting values, states and captured objects end with their soup`(setup: Setup) {
    let census = Census()
    for backlog in [0, 1, 10, 1000, 5000] {
      var owner: Soup.Control? = Soup.define("owner", with: .init(matcher: setup.matcher)) { soup in
        let captured = census.live()
        let state = soup.state("state", [census.live(), census.live()])
        let a = soup.slow("a", of: Live.self)
        let never = soup.slow("never", of: (Int, Live).self)
        soup.react(state: state, a, never, on: setup.placement) { _, _, _ in withExtendedLifetime(captured) {} }
        // The definition holds one half of it. The other half waits in the bags.
        for n in 0..<backlog { a(census.live(n)) }
        return soup.control
      }
      #expect(census.alive == 3 + backlog, "the soup keeps all values")
      withExtendedLifetime(owner) {}
      owner = nil
      #expect(census.alive == 0, "the end of the soup destroys all values")
    }
  }

  @Test(arguments: Run.setups)
  func `Each value ends once, wherever it is in a bag`(setup: Setup) async {
    let (census, consumed) = (Census(), Tally())
    do {
      let (a, b, _) = setup.react(slow("a", of: Live.self), slow("b", of: (Live, Line).self)) { _, _ in consumed.add() }
      // The bags grow, drain and grow again, so that some of their memory has been used before.
      for _ in 0..<3000 { a(census.live()) }
      for _ in 0..<3500 { b((census.live(), Line(filledWith: 1))) }
      for _ in 0..<1700 { a(census.live()) }
    }
    await census.expectExtinction()
    #expect(consumed.count == 3500)
    #expect(census.born == 8200)
  }

  @Test(arguments: Run.setups)
  func `A soup that only works for itself ends when it has nothing left to do`(setup: Setup) async {
    let (census, last) = (Census(), Gate())
    do {
      let countdown: Injector<(Int, Live)> = Soup.define("countdown", with: .init(matcher: setup.matcher)) { soup in
        let captured = census.live()
        let countdown = soup.slow("countdown", of: (Int, Live).self)
        soup.react(countdown, on: setup.placement) { n, live in
          withExtendedLifetime(captured) {}
          if n > 0 { countdown((n - 1, live)) } else { last.open() }
        }
        return countdown
      }
      countdown((10_000, census.live()))
    }
    await last.wait()
    await census.expectExtinction()
  }
}
