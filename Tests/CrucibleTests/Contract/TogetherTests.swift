import Crucible
import CrucibleTestSupport
import Testing

/// Contract 1 and 2 for molecules injected in one step: no reaction sees some of them without the others.
@Suite(.watched, .serialized)
struct `Several at once` {
  @Test(arguments: Run.setups)
  func `Molecules injected together react in the order of their values`(setup: Setup) async throws {
    let (number, seen, control) = setup.define(slow("number", of: Int.self), fast("seen", returning: [Int].self)) {
      soup, number, seen in
      let log = soup.state("log", [Int]())
      soup.react(state: log, number) { log, number in log.append(number) }
      soup.react(state: log, seen) { log, call in call.reply(log) }
    }
    #expect(number.inject(contentsOf: 0..<1000))
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

  /// The second molecule reacts only after the body of the first, so this body must find it.
  @Test(arguments: Run.setups)
  func `A body that consumes one of two molecules injected together finds the other there`(setup: Setup) async throws {
    let rounds = scaled(100)
    let (alone, met) = (Tally(), Tally())
    let (a, b, _, control) = setup.define(slow("a", of: Int.self), slow("b"), slow("done")) { soup, a, b, done in
      let control = soup.control
      soup.react(a) { _ in
        if control.snapshot()[b] == 0 { alone.add() }
        done()
      }
      soup.react(b, done) { _, _ in met.add() }
      soup.react(a, b, soup.slow("never")) { _, _, _ in }  // one component
    }
    try await onThreads(8) { _ in for round in 0..<rounds { Soup.inject((a, round), (b, ())) } }
    await control.settle()
    #expect(alone.count == 0)
    #expect(met.count == 8 * rounds)
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
  func `Molecules injected together may be of several components`(setup: Setup) async throws {
    let (x, y, sums, control) = Soup.define("apart", with: .init(matcher: setup.matcher)) { soup in
      let x = soup.slow("x", of: Int.self)
      let y = soup.slow("y", of: String.self)
      let sums = soup.fast("sums", returning: Int.self)
      let lengths = soup.fast("lengths", returning: Int.self)
      let (sum, length) = (soup.state("sum", 0), soup.state("length", 0))
      soup.react(state: sum, x, on: setup.placement) { sum, number in sum += number }
      soup.react(state: length, y, on: setup.placement) { length, text in length += text.count }
      soup.react(state: sum, sums, on: setup.placement) { sum, call in call.reply(sum) }
      soup.react(state: length, lengths, on: setup.placement) { length, call in call.reply(length) }
      return (x, y, [sums, lengths], soup.control)
    }
    #expect(Soup.inject((y, "one"), (x, 10), (y, "three"), (x, 20)))
    await control.settle()
    #expect(try await sums[0]() == 30)
    #expect(try await sums[1]() == 8)
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
  func `A definition holds molecules injected together in order with those injected singly`(setup: Setup) async throws {
    let (seen, control) = Soup.define("held", with: .init(matcher: setup.matcher)) { soup in
      let log = soup.state("log", [Int]())
      let number = soup.slow("number", of: Int.self)
      let seen = soup.fast("seen", returning: [Int].self)
      soup.react(state: log, number, on: setup.placement) { log, number in log.append(number) }
      soup.react(state: log, seen, on: setup.placement) { log, call in call.reply(log) }
      number(0)
      number.inject(contentsOf: 1..<100)
      number(100)
      Soup.inject((number, 101), (number, 102))
      return (seen, soup.control)
    }
    await control.settle()
    #expect(try await seen() == Array(0...102))
  }

  @Test(arguments: Run.setups)
  func `A body may inject several molecules at once by names that it does not own`(setup: Setup) async {
    let (numbers, plain) = (Tally(), Tally())
    let rounds = scaled(200)
    let (go, control) = Soup.define("bodies", with: .init(matcher: setup.matcher)) { soup in
      let go = soup.slow("go", of: Int.self)
      let a = soup.slow("a", of: Int.self)
      let v = soup.slow("v")
      soup.react(go, on: setup.placement) { n in
        a.inject(contentsOf: 1...3)
        v.inject(count: 4)
        if n > 0 { Soup.inject((a, 4), (go, n - 1), (v, ()), (a, 5)) }
      }
      soup.react(a, a, on: setup.placement) { x, y in numbers.add(x + y) }
      soup.react(v, on: setup.placement) { _ in plain.add() }
      return (go, soup.control)
    }
    go(2 * rounds - 1)
    await control.settle()
    #expect(numbers.count == 30 * rounds - 9)
    #expect(plain.count == 10 * rounds - 1)
  }
}
