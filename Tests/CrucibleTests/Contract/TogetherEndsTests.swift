import Crucible
import CrucibleTestSupport
import Testing

/// Contract 1 and 7 for molecules injected in one step. Each is consumed, dropped, refused or destroyed, exactly once.
@Suite(.watched, .serialized)
struct `Ends of molecules that are injected together` {
  @Test(arguments: Run.setups)
  func `Molecules injected together arrive even if their values cannot be moved`(setup: Setup) async {
    let (census, numbers) = (Census(), Log<Int>())
    do {
      let (weak, control) = Soup.define("weak", with: .init(matcher: setup.matcher)) { soup in
        let weak = soup.slow("weak", of: Weak.self)
        let strong = soup.slow("strong", of: Live.self)
        soup.react(weak, weak, strong, on: setup.placement) { x, y, strong in
          for weak in [x, y] { numbers.append(weak.live == strong ? strong.number : -1) }
        }
        let lives = (1...3).map { census.live($0) }
        for live in lives { Soup.inject((weak, Weak(live)), (strong, live), (weak, Weak(live))) }
        let next = census.live(4)
        weak.inject(contentsOf: [Weak(next), Weak(next), Weak(next)])
        strong(next)
        return (weak, soup.control)
      }
      await control.settle()
      #expect(control.snapshot()["weak"] == 1)
      withExtendedLifetime(weak) {}
    }
    #expect(numbers.count == 8)
    #expect(numbers.all.allSatisfy { $0 > 0 })
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `A stopped soup refuses and destroys all molecules that are injected together`(setup: Setup) async throws {
    let census = Census()
    let (values, weak, plain, control) = batches("stopped", setup)
    await control.stop()
    refuse(values, weak, plain, census)
    #expect(census.alive == 0)
    try await control.restart()
    #expect(values.inject(contentsOf: (0..<10).map(census.live)))
    #expect(plain.inject(count: 3))
    #expect(Soup.inject((plain, ()), (values, census.live())))
    #expect(control.snapshot()[values] == 11)
    #expect(control.snapshot()[plain] == 4)
    #expect(control.snapshot().dropped == 0)
    await control.stop()
    #expect(control.snapshot().dropped == 15)
    #expect(census.alive == 0)
  }

  @Test(arguments: Run.setups)
  func `A soup that is stopped as its definition ends drops all molecules that it held`(setup: Setup) async {
    let census = Census()
    let (_, control) = setup.define(slow("end")) { soup, end in
      let control = soup.control
      soup.react(end, on: .inline) { _ in control.blocking.stop() }
      let (values, _, plain, _) = declareBatches(soup, setup.placement)
      end()
      plain.inject(count: 5)
      values.inject(contentsOf: [census.live(), census.live()])
    }
    await control.settle()
    #expect(control.snapshot().dropped == 7)
    #expect(census.alive == 0)
  }

  @Test(arguments: Run.setups)
  func `A soup that is gone refuses and destroys all molecules that are injected together`(setup: Setup) {
    let census = Census()
    let escaped = Shared<(Injector<Live>, Injector<Weak>, Injector<Void>)>(nil)
    do {
      let never = Soup.define("gone", with: .init(matcher: setup.matcher)) { soup in
        let (values, weak, plain, never) = declareBatches(soup, setup.placement)
        escaped.put((values, weak, plain))
        return never
      }
      let (values, weak, plain) = escaped.value!
      #expect(values.inject(contentsOf: (0..<300).map(census.live)), "the names do not own the soup, but it is alive")
      #expect(plain.inject(count: 3))
      let live = census.live()
      #expect(Soup.inject((plain, ()), (weak, Weak(live)), (values, live)))
      withExtendedLifetime(never) {}
    }
    #expect(census.alive == 0)
    let (values, weak, plain) = escaped.take()!
    refuse(values, weak, plain, census)
    #expect(census.alive == 0)
    #expect(census.born > 300)
  }

  /// Accepted molecules are consumed or dropped. Refused ones are destroyed.
  @Test(arguments: Run.setups)
  func `Each molecule injected together with others ends once while its soup is cleared, stopped and restarted`(
    setup: Setup
  ) async throws {
    let census = Census()
    let (accepted, refused, consumed, ended) = (Tally(), Tally(), Tally(), Tally())
    let rounds = scaled(150)
    do {
      let (a, b, v, control) = setup.define(slow("a", of: Live.self), slow("b", of: Live.self), slow("v")) {
        soup, a, b, v in
        soup.react(a, b, v) { _, _, _ in consumed.add(3) }
        soup.react(a, a, b) { _, _, _ in consumed.add(3) }
      }
      try await onThreads(8) { thread in
        switch thread {
        case 0:
          while ended.count < 6 {
            control.pause(a)
            control.clear()
            control.resume(a)
          }
        case 1:
          while ended.count < 6 {
            let report = control.blocking.stop(within: patience)
            #expect(report.isQuiet)
            try control.blocking.restart(within: patience)
          }
        default:
          for round in 0..<rounds {
            let all = Soup.inject((a, census.live()), (b, census.live()), (v, ()), (a, census.live()))
            (all ? accepted : refused).add(4)
            let values = (round % 2 == 0 ? a : b).inject(contentsOf: (0..<9).map(census.live))
            (values ? accepted : refused).add(9)
            let plain = v.inject(count: 5)
            (plain ? accepted : refused).add(5)
          }
          ended.add()
        }
      }
      await control.settle()
      let end = control.snapshot()
      #expect(accepted.count == consumed.count + end.dropped + end[a] + end[b] + end[v])
      #expect(accepted.count + refused.count == 6 * rounds * 18)
      await control.stop()
      #expect(control.snapshot()[a] + control.snapshot()[b] + control.snapshot()[v] == 0)
    }
    #expect(census.born == 6 * rounds * 12)
    await census.expectExtinction()
  }
}

/// Declares names that react only with the last one, which no code injects.
private func declareBatches(
  _ soup: Soup, _ placement: Placement
) -> (Injector<Live>, Injector<Weak>, Injector<Void>, Injector<Void>) {
  let values = soup.slow("values", of: Live.self)
  let weak = soup.slow("weak", of: Weak.self)
  let plain = soup.slow("plain")
  let never = soup.slow("never")
  soup.react(values, plain, never, on: placement) { _, _, _ in }
  soup.react(weak, never, on: placement) { _, _ in }
  return (values, weak, plain, never)
}

private func batches(_ label: String, _ setup: Setup) -> (Injector<Live>, Injector<Weak>, Injector<Void>, Soup.Control)
{
  Soup.define(label, with: .init(matcher: setup.matcher)) { soup in
    let (values, weak, plain, _) = declareBatches(soup, setup.placement)
    return (values, weak, plain, soup.control)
  }
}

/// Expects that every form of injecting several molecules is refused.
private func refuse(_ values: Injector<Live>, _ weak: Injector<Weak>, _ plain: Injector<Void>, _ census: Census) {
  let live = census.live()
  #expect(!values.inject(contentsOf: [census.live(), live, census.live()]))
  #expect(!weak.inject(contentsOf: [Weak(live), Weak(live)]))
  #expect(!plain.inject(count: 2))
  #expect(!Soup.inject((plain, ()), (values, census.live()), (weak, Weak(live)), (values, live)))
}
