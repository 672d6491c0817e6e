import Crucible
import CrucibleTestSupport
import Testing

/// Contract 1 and 2 for molecules injected in one step: no reaction sees some of them without the others.
@Suite(.watched, .serialized)
struct `Several at once` {
  @Test(arguments: Run.setups)
  func `Molecules injected together react in the order of their values`(setup: Setup) async throws {
    let (number, seen, control) = Soup.define("order", with: .init(matcher: setup.matcher)) { soup in
      let log = soup.state("log", [Int]())
      let number = soup.slow("number", of: Int.self)
      let seen = soup.fast("seen", returning: [Int].self)
      soup.react(state: log, number, on: setup.placement) { log, number in log.append(number) }
      soup.react(state: log, seen, on: setup.placement) { log, call in call.reply(log) }
      return (number, seen, soup.control)
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

  /// No reaction fires here, so a snapshot in the middle of a batch would show half of it.
  @Test(arguments: Run.setups)
  func `A snapshot shows all molecules injected together, or none of them`(setup: Setup) async throws {
    let batches = scaled(40)
    let (a, b, control) = Soup.define("looks", with: .init(matcher: setup.matcher)) { soup in
      let a = soup.slow("a", of: Int.self)
      let b = soup.slow("b", of: Int.self)
      let never = soup.slow("never")
      soup.react(a, b, never, on: setup.placement) { _, _, _ in }
      return (a, b, soup.control)
    }
    let (ended, torn) = (Tally(), Log<Soup.Snapshot>())
    try await onThreads(8) { thread in
      if thread < 4 {
        for batch in 0..<batches {
          Soup.inject((a, 1), (b, 2), (b, 3), (a, 4), (a, 5), (b, 6))
          if batch % 2 == 0 { a.inject(contentsOf: 0..<16) } else { b.inject(contentsOf: 0..<16) }
        }
        ended.add()
      } else {
        while ended.count < 4 {
          let look = control.snapshot()
          if (look[a] - look[b]) % 16 != 0 { torn.append(look) }
        }
      }
    }
    #expect(torn.all.map(\.counts) == [])
    #expect(control.snapshot()[a] == 4 * (3 * batches + 16 * ((batches + 1) / 2)))
  }

  /// If injected one at a time, the first would always be consumed alone before the second arrives.
  @Test(arguments: Run.choosingSetups)
  func `Molecules injected together enable reactions that take several, or one`(setup: Setup) async {
    let (ones, twos, threes) = (Tally(), Tally(), Tally())
    for round in 1...100 {
      let (a, b, v, control) = Soup.define("rivals", with: .init(matcher: setup.matcher, seed: UInt64(round))) { soup in
        let a = soup.slow("a", of: Int.self)
        let b = soup.slow("b", of: Int.self)
        let v = soup.slow("v")
        soup.react(a, on: setup.placement) { _ in ones.add() }
        soup.react(b, on: setup.placement) { _ in ones.add() }
        soup.react(v, on: setup.placement) { _ in ones.add() }
        soup.react(a, a, on: setup.placement) { _, _ in twos.add(1) }
        soup.react(a, b, on: setup.placement) { _, _ in twos.add(1000) }
        soup.react(v, v, v, on: setup.placement) { _, _, _ in threes.add() }
        return (a, b, v, soup.control)
      }
      a.inject(contentsOf: [1, 2])
      Soup.inject((b, 3), (a, 4))
      v.inject(count: 3)
      await control.settle()
      #expect(control.snapshot()[a] + control.snapshot()[b] + control.snapshot()[v] == 0)
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
    let (a, b, control) = Soup.define("finds", with: .init(matcher: setup.matcher)) { soup in
      let a = soup.slow("a", of: Int.self)
      let b = soup.slow("b")
      let done = soup.slow("done")
      let control = soup.control
      soup.react(a, on: setup.placement) { _ in
        if control.snapshot()[b] == 0 { alone.add() }
        done()
      }
      soup.react(b, done, on: setup.placement) { _, _ in met.add() }
      soup.react(a, b, soup.slow("never"), on: setup.placement) { _, _, _ in }  // one component
      return (a, b, control)
    }
    try await onThreads(8) { _ in for round in 0..<rounds { Soup.inject((a, round), (b, ())) } }
    await control.settle()
    #expect(alone.count == 0)
    #expect(met.count == 8 * rounds)
  }

  @Test(arguments: Run.setups, [0, 1, 7, 1_000_000])
  func `An injection by count injects as many molecules as asked for`(setup: Setup, count: Int) async {
    let (v, go, control) = Soup.define("counted", with: .init(matcher: setup.matcher)) { soup in
      let v = soup.slow("v")
      let go = soup.slow("go")
      soup.react(v, v, v, go, on: setup.placement) { _, _, _, _ in }
      return (v, go, soup.control)
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

  @Test(arguments: Run.setups)
  func `Reactions consume each molecule of an injection by count once`(setup: Setup) async {
    let count = scaled(20_000)
    let taken = Tally()
    let (v, w, control) = Soup.define("consumed", with: .init(matcher: setup.matcher)) { soup in
      let v = soup.slow("v")
      let w = soup.slow("w")
      soup.react(v, on: setup.placement) { _ in taken.add() }
      soup.react(v, w, on: setup.placement) { _, _ in taken.add(2) }
      soup.react(w, on: setup.placement) { _ in taken.add() }
      return (v, w, soup.control)
    }
    v.inject(count: count)
    w.inject(count: count)
    await control.settle()
    #expect(taken.count == 2 * count)
    #expect(control.snapshot()[v] + control.snapshot()[w] == 0)
  }

  /// In a component of 31 names, a field of the state word has room for one molecule. The others spill.
  @Test(arguments: Run.setups)
  func `Molecules injected together may be more than a field of the state word can count`(setup: Setup) async throws {
    let (names, logs, control) = Soup.define("narrow", with: .init(matcher: setup.matcher)) { soup in
      let log = soup.state("log", [Int: [Int]]())
      let names = soup.slow("n", of: Int.self, count: 29)
      let logs = soup.fast("logs", returning: [Int: [Int]].self)
      for (index, name) in names.enumerated() {
        soup.react(state: log, name, on: setup.placement) { log, number in log[index, default: []].append(number) }
      }
      soup.react(state: log, logs, on: setup.placement) { log, call in call.reply(log) }
      return (names, logs, soup.control)
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
    let (a, v, control) = Soup.define("none", with: .init(matcher: setup.matcher)) { soup in
      let a = soup.slow("a", of: Int.self)
      let v = soup.slow("v")
      soup.react(a, on: setup.placement) { _ in fired.add() }
      soup.react(v, on: setup.placement) { _ in fired.add() }
      return (a, v, soup.control)
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

  /// The molecules are held until the definition is complete. One at a time, the first would be consumed alone.
  @Test(arguments: Run.choosingSetups)
  func `Molecules injected together in a definition come in one step when it is complete`(setup: Setup) async {
    let (ones, twos, threes) = (Tally(), Tally(), Tally())
    for round in 1...100 {
      let control = Soup.define("held", with: .init(matcher: setup.matcher, seed: UInt64(round))) { soup in
        let a = soup.slow("a", of: Int.self)
        let b = soup.slow("b", of: Int.self)
        let v = soup.slow("v")
        soup.react(a, on: setup.placement) { _ in ones.add() }
        soup.react(b, on: setup.placement) { _ in ones.add() }
        #expect(a.inject(contentsOf: [1, 2]))
        #expect(Soup.inject((b, 3), (a, 4)))
        #expect(v.inject(count: 3))
        #expect(a.inject(contentsOf: []) && v.inject(count: 0) && Soup.inject())
        soup.react(v, on: setup.placement) { _ in ones.add() }
        soup.react(a, a, on: setup.placement) { _, _ in twos.add(1) }
        soup.react(a, b, on: setup.placement) { _, _ in twos.add(1000) }
        soup.react(v, v, v, on: setup.placement) { _, _, _ in threes.add() }
        return soup.control
      }
      await control.settle()
    }
    #expect(twos.count % 1000 > 10, "reactions take two molecules of one name")
    #expect(twos.count / 1000 > 10, "reactions take molecules of two names")
    #expect(threes.count > 10, "reactions take three molecules without a value")
    #expect(ones.count == 700 - 2 * (twos.count % 1000 + twos.count / 1000) - 3 * threes.count)
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
