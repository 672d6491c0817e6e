import Crucible
import CrucibleTestSupport
import Testing

/// Contract 1 and 2 for molecules injected in one step: no reaction sees some of them without the others.
@Suite(.watched, .serialized)
struct `Several at once` {
  @Test(arguments: Run.setups)
  func `Molecules injected together react in order, those that a definition held first`(setup: Setup) async throws {
    let (number, seen, control) = setup.define(slow("number", of: Int.self), fast("seen", returning: [Int].self)) {
      soup, number, seen in
      let log = soup.state("log", [Int]())
      soup.react(state: log, number) { log, number in log.append(number) }
      soup.react(state: log, seen) { log, call in call.reply(log) }
      number(0)
      number.inject(contentsOf: 1..<100)
      number(100)
      Soup.inject((number, 101), (number, 102))
    }
    #expect(number.inject(contentsOf: 103..<1000))
    control.pause()
    #expect(number.inject(contentsOf: stride(from: 1000, to: 1999, by: 1)))
    #expect(number(1999))
    #expect(number.inject(contentsOf: [2000]))
    control.resume()
    await control.settle()
    #expect(try await seen() == Array(0...2000))
  }

  /// If injected one at a time, the first would always be consumed alone before the second arrives. In a definition the
  /// molecules are held until it is complete.
  @Test(arguments: Run.choosingSetups, [false, true])
  func `Molecules injected together, also in a definition, enable reactions that take several, or one`(
    setup: Setup, inDefinition: Bool
  ) async {
    let (ones, twos, threes) = (Tally(), Tally(), Tally())
    func inject(_ a: Injector<Int>, _ b: Injector<Int>, _ v: Injector<Void>) {
      #expect(a.inject(contentsOf: [1, 2]))
      #expect(Soup.inject((b, 3), (a, 4)))
      #expect(v.inject(count: 3))
    }
    for round in 1...100 {
      var options = setup.options
      options.seed = UInt64(round)
      let (a, b, v, control) = options.define(slow("a", of: Int.self), slow("b", of: Int.self), slow("v")) {
        soup, a, b, v in
        soup.react(a) { _ in ones.add() }
        soup.react(b) { _ in ones.add() }
        if inDefinition { inject(a, b, v) }
        soup.react(v) { _ in ones.add() }
        soup.react(a, a) { _, _ in twos.add(1) }
        soup.react(a, b) { _, _ in twos.add(1000) }
        soup.react(v, v, v) { _, _, _ in threes.add() }
      }
      if !inDefinition { inject(a, b, v) }
      await control.settle()
      #expect(control.snapshot().counts.allSatisfy { $0.molecules == 0 })
    }
    #expect(twos.count % 1000 > 10, "reactions take two molecules of one name")
    #expect(twos.count / 1000 > 10, "reactions take molecules of two names")
    #expect(threes.count > 10, "reactions take three molecules without a value")
    #expect(ones.count == 700 - 2 * (twos.count % 1000 + twos.count / 1000) - 3 * threes.count)
  }

  @Test(arguments: Run.setups, [0, 1, 7, 1_000_000])
  func `An injection by count injects as many molecules as asked for`(setup: Setup, count: Int) async {
    let (v, go, control) = setup.define(slow("v"), slow("go")) { soup, v, go in
      soup.react(v, v, v, go) { _, _, _, _ in }
    }
    #expect(v.inject(count: count))
    #expect(control.snapshot()[v] == count)
    go.inject(count: 5)
    await control.settle()
    let firings = min(count / 3, 5)
    #expect(control.snapshot()[v] == count - 3 * firings)
    #expect(control.snapshot()[go] == 5 - firings)
    #expect(control.clear() == count - 3 * firings + 5 - firings)
  }

  /// In a component of 31 names, a field of the state word has room for one molecule. The others spill.
  @Test(arguments: Run.setups)
  func `Molecules injected together may be more than a field of the state word can count`(setup: Setup) async throws {
    let (names, logs, control) = setup.define(
      slow("n", of: Int.self, count: 29), fast("logs", returning: [Int: [Int]].self)
    ) { soup, names, logs in
      let log = soup.state("log", [Int: [Int]]())
      for (index, name) in names.enumerated() {
        soup.react(state: log, name) { log, number in log[index, default: []].append(number) }
      }
      soup.react(state: log, logs) { log, call in call.reply(log) }
    }
    control.pause()
    names[0].inject(contentsOf: 0..<300)
    Soup.inject((names[1], 0), (names[28], 0), (names[1], 1), (names[0], 300), (names[1], 2))
    Soup.inject((names[28], 1), (names[1], 3), (names[28], 2))
    #expect([0, 1, 28].map { control.snapshot()[names[$0]] } == [301, 4, 3])
    control.resume()
    names[2].inject(contentsOf: 0..<300)
    await control.settle()
    let all = try await logs()
    #expect(all == [0: Array(0...300), 1: [0, 1, 2, 3], 2: Array(0..<300), 28: [0, 1, 2]])
    #expect(names.allSatisfy { control.snapshot()[$0] == 0 })
  }

  @Test(arguments: Run.setups)
  func `An injection of no molecules succeeds, and fires nothing`(setup: Setup) async {
    let fired = Tally()
    let (a, v, control) = setup.define(slow("a", of: Int.self), slow("v")) { soup, a, v in
      soup.react(a) { _ in fired.add() }
      soup.react(v) { _ in fired.add() }
    }
    #expect(a.inject(contentsOf: []))
    #expect(a.inject(contentsOf: (0..<9).lazy.filter { $0 > 9 }))
    #expect(v.inject(count: 0))
    #expect(v.inject(contentsOf: []))
    #expect(Soup.inject())
    await control.settle()
    #expect(fired.count == 0)
    #expect(v.inject(contentsOf: [(), (), ()]))
    await control.settle()
    #expect(fired.count == 3)
  }

  @Test(arguments: Run.setups)
  func `A body may inject several molecules at once by names that it does not own`(setup: Setup) async {
    let (numbers, plain) = (Tally(), Tally())
    let rounds = scaled(200)
    let (go, _, _, control) = setup.define(slow("go", of: Int.self), slow("a", of: Int.self), slow("v")) {
      soup, go, a, v in
      soup.react(go) { n in
        a.inject(contentsOf: 1...3)
        v.inject(count: 4)
        if n > 0 { Soup.inject((a, 4), (go, n - 1), (v, ()), (a, 5)) }
      }
      soup.react(a, a) { x, y in numbers.add(x + y) }
      soup.react(v) { _ in plain.add() }
    }
    go(2 * rounds - 1)
    await control.settle()
    #expect(numbers.count == 30 * rounds - 9)
    #expect(plain.count == 10 * rounds - 1)
  }

  // On the pool, the bodies of two firings may take the molecules of both in any order.
  @Test(arguments: Run.setups.filter { $0.placement == .inline })
  func `Molecules injected together arrive even if their values cannot be moved`(setup: Setup) async {
    let (census, numbers) = (Census(), Log<Int>())
    do {
      let (weak, _, control) = setup.define(slow("weak", of: Weak.self), slow("strong", of: Live.self), named: "weak") {
        soup, weak, strong in
        soup.react(weak, weak, strong) { x, y, strong in
          for weak in [x, y] { numbers.append(weak.live == strong ? strong.number : -1) }
        }
        let lives = (1...3).map { census.live($0) }
        for live in lives { Soup.inject((weak, Weak(live)), (strong, live), (weak, Weak(live))) }
        let next = census.live(4)
        weak.inject(contentsOf: [Weak(next), Weak(next), Weak(next)])
        strong(next)
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
