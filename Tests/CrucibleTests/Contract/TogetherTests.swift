import Crucible
import CrucibleTestSupport
import Testing

/// Contract 1 and 2, of molecules that are injected in one step: no reaction sees some of them without the others.
@Suite(.watched, .serialized)
struct `Several at once` {
  @Test(arguments: Run.setups)
  func `are consumed in the order of their values`(setup: Setup) async throws {
    let (number, seen, control) = Soup.define("order", matcher: setup.matcher) { soup in
      let log = soup.state("log", [Int]())
      let number = soup.slow("number", of: Int.self)
      let seen = soup.fast("seen", returning: [Int].self)
      soup.react(log & number, on: setup.placement) { log, number in log.append(number) }
      soup.react(log & seen, on: setup.placement) { log, call in call.reply(log) }
      return (number, seen, soup.control)
    }
    Watchdog.watch(control)
    #expect(number.inject(contentsOf: 0..<1000))
    control.pause()
    #expect(number.inject(contentsOf: stride(from: 1000, to: 1999, by: 1)))
    #expect(number(1999))
    #expect(number.inject(contentsOf: [2000]))
    control.resume()
    await control.settle()
    #expect(try await seen() == Array(0...2000))
  }

  /// Nothing consumes here: half of a batch would be seen by whoever looks at that moment.
  @Test(arguments: Run.setups)
  func `are all there at every look, or none of them`(setup: Setup) async throws {
    let batches = scaled(40)
    let (a, b, control) = Soup.define("looks", matcher: setup.matcher) { soup in
      let a = soup.slow("a", of: Int.self)
      let b = soup.slow("b", of: Int.self)
      let never = soup.slow("never")
      soup.react(a & b & never, on: setup.placement) { _, _, _ in }
      return (a, b, soup.control)
    }
    Watchdog.watch(control)
    let ended = Tally()
    let torn = Log<Snapshot>()
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

  /// One at a time, the first would always be taken alone before the second is there.
  @Test(arguments: Run.setups)
  func `enable what takes several as well as what takes one`(setup: Setup) async {
    let (ones, twos, threes) = (Tally(), Tally(), Tally())
    for round in 1...100 {
      let (a, b, v, control) = Soup.define("rivals", matcher: setup.matcher, seed: UInt64(round)) { soup in
        let a = soup.slow("a", of: Int.self)
        let b = soup.slow("b", of: Int.self)
        let v = soup.slow("v")
        soup.react(a, on: setup.placement) { _ in ones.add() }
        soup.react(b, on: setup.placement) { _ in ones.add() }
        soup.react(v, on: setup.placement) { _ in ones.add() }
        soup.react(a & a, on: setup.placement) { _, _ in twos.add(1) }
        soup.react(a & b, on: setup.placement) { _, _ in twos.add(1000) }
        soup.react(v & v & v, on: setup.placement) { _, _, _ in threes.add() }
        return (a, b, v, soup.control)
      }
      a.inject(contentsOf: [1, 2])
      Soup.inject((b, 3), (a, 4))
      v.inject(count: 3)
      await control.settle()
      #expect(control.snapshot()[a] + control.snapshot()[b] + control.snapshot()[v] == 0)
    }
    #expect(twos.count % 1000 > 10, "two of one name")
    #expect(twos.count / 1000 > 10, "two of two names")
    #expect(threes.count > 10, "three that carry nothing")
    #expect(ones.count == 700 - 2 * (twos.count % 1000 + twos.count / 1000) - 3 * threes.count)
  }

  /// A body that has one takes the other only afterwards, so the other has to be there.
  @Test(arguments: Run.setups)
  func `let whoever consumes one of them find the others there`(setup: Setup) async throws {
    let rounds = scaled(100)
    let alone = Tally()
    let met = Tally()
    let (a, b, control) = Soup.define("finds", matcher: setup.matcher) { soup in
      let a = soup.slow("a", of: Int.self)
      let b = soup.slow("b")
      let done = soup.slow("done")
      let control = soup.control
      soup.react(a, on: setup.placement) { _ in
        if control.snapshot()[b] == 0 { alone.add() }
        done()
      }
      soup.react(b & done, on: setup.placement) { _, _ in met.add() }
      soup.react(a & b & soup.slow("never"), on: setup.placement) { _, _, _ in }  // one component
      return (a, b, control)
    }
    Watchdog.watch(control)
    try await onThreads(8) { _ in for round in 0..<rounds { Soup.inject((a, round), (b, ())) } }
    await control.settle()
    #expect(alone.count == 0)
    #expect(met.count == 8 * rounds)
  }

  @Test(arguments: Run.setups, [0, 1, 7, 1_000_000])
  func `that carry nothing are as many as asked for`(setup: Setup, count: Int) async throws {
    let (v, go, control) = Soup.define("counted", matcher: setup.matcher) { soup in
      let v = soup.slow("v")
      let go = soup.slow("go")
      soup.react(v & v & v & go, on: setup.placement) { _, _, _, _ in }
      return (v, go, soup.control)
    }
    Watchdog.watch(control)
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
  func `that carry nothing are each consumed once`(setup: Setup) async throws {
    let count = scaled(20_000)
    let taken = Tally()
    let (v, w, control) = Soup.define("consumed", matcher: setup.matcher) { soup in
      let v = soup.slow("v")
      let w = soup.slow("w")
      soup.react(v, on: setup.placement) { _ in taken.add() }
      soup.react(v & w, on: setup.placement) { _, _ in taken.add(2) }
      soup.react(w, on: setup.placement) { _ in taken.add() }
      return (v, w, soup.control)
    }
    Watchdog.watch(control)
    v.inject(count: count)
    w.inject(count: count)
    await control.settle()
    #expect(taken.count == 2 * count)
    #expect(control.snapshot()[v] + control.snapshot()[w] == 0)
  }

  /// A component of 31 names leaves a field of the state word room for one molecule: the others spill.
  @Test(arguments: Run.setups)
  func `may be more than a field of the state word can count`(setup: Setup) async throws {
    let (names, logs, control) = Soup.define("narrow", matcher: setup.matcher) { soup in
      let log = soup.state("log", [Int: [Int]]())
      let names = soup.slows("n", of: Int.self, count: 29)
      let logs = soup.fast("logs", returning: [Int: [Int]].self)
      for (index, name) in names.enumerated() {
        soup.react(log & name, on: setup.placement) { log, number in log[index, default: []].append(number) }
      }
      soup.react(log & logs, on: setup.placement) { log, call in call.reply(log) }
      return (names, logs, soup.control)
    }
    Watchdog.watch(control)
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
  func `may be of several components`(setup: Setup) async throws {
    let (x, y, sums, control) = Soup.define("apart", matcher: setup.matcher) { soup in
      let x = soup.slow("x", of: Int.self)
      let y = soup.slow("y", of: String.self)
      let sums = soup.fast("sums", returning: Int.self)
      let lengths = soup.fast("lengths", returning: Int.self)
      let (sum, length) = (soup.state("sum", 0), soup.state("length", 0))
      soup.react(sum & x, on: setup.placement) { sum, number in sum += number }
      soup.react(length & y, on: setup.placement) { length, text in length += text.count }
      soup.react(sum & sums, on: setup.placement) { sum, call in call.reply(sum) }
      soup.react(length & lengths, on: setup.placement) { length, call in call.reply(length) }
      return (x, y, [sums, lengths], soup.control)
    }
    Watchdog.watch(control)
    #expect(Soup.inject((y, "one"), (x, 10), (y, "three"), (x, 20)))
    await control.settle()
    #expect(try await sums[0]() == 30)
    #expect(try await sums[1]() == 8)
  }

  @Test(arguments: Run.setups)
  func `may be none`(setup: Setup) async {
    let fired = Tally()
    let (a, v, control) = Soup.define("none", matcher: setup.matcher) { soup in
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

  /// Held until the definition is complete; one at a time, the first would be taken alone.
  @Test(arguments: Run.setups)
  func `are let go in one step when they were injected during the definition`(setup: Setup) async {
    let (ones, twos, threes) = (Tally(), Tally(), Tally())
    for round in 1...100 {
      let control = Soup.define("held", matcher: setup.matcher, seed: UInt64(round)) { soup in
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
        soup.react(a & a, on: setup.placement) { _, _ in twos.add(1) }
        soup.react(a & b, on: setup.placement) { _, _ in twos.add(1000) }
        soup.react(v & v & v, on: setup.placement) { _, _, _ in threes.add() }
        return soup.control
      }
      await control.settle()
    }
    #expect(twos.count % 1000 > 10, "two of one name")
    #expect(twos.count / 1000 > 10, "two of two names")
    #expect(threes.count > 10, "three that carry nothing")
    #expect(ones.count == 700 - 2 * (twos.count % 1000 + twos.count / 1000) - 3 * threes.count)
  }

  @Test(arguments: Run.setups)
  func `are held in order with those that were injected singly`(setup: Setup) async throws {
    let (seen, control) = Soup.define("held", matcher: setup.matcher) { soup in
      let log = soup.state("log", [Int]())
      let number = soup.slow("number", of: Int.self)
      let seen = soup.fast("seen", returning: [Int].self)
      soup.react(log & number, on: setup.placement) { log, number in log.append(number) }
      soup.react(log & seen, on: setup.placement) { log, call in call.reply(log) }
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
  func `may be injected by bodies, which do not own their names`(setup: Setup) async {
    let (numbers, plain) = (Tally(), Tally())
    let rounds = scaled(200)
    let (go, control) = Soup.define("bodies", matcher: setup.matcher) { soup in
      let go = soup.slow("go", of: Int.self)
      let a = soup.slow("a", of: Int.self)
      let v = soup.slow("v")
      soup.react(go, on: setup.placement) { n in
        a.inject(contentsOf: 1...3)
        v.inject(count: 4)
        if n > 0 { Soup.inject((a, 4), (go, n - 1), (v, ()), (a, 5)) }
      }
      soup.react(a & a, on: setup.placement) { x, y in numbers.add(x + y) }
      soup.react(v, on: setup.placement) { _ in plain.add() }
      return (go, soup.control)
    }
    Watchdog.watch(control)
    go(2 * rounds - 1)
    await control.settle()
    #expect(numbers.count == 30 * rounds - 9)
    #expect(plain.count == 10 * rounds - 1)
  }
}

/// Contract 1 and 7, of molecules that are injected in one step: each is consumed, dropped, refused or destroyed, and that once.
@Suite(.watched, .serialized)
struct `What becomes of several at once` {
  @Test(arguments: Run.setups)
  func `is that values which cannot be moved arrive as well`(setup: Setup) async {
    let census = Census()
    let numbers = Log<Int>()
    do {
      let (weak, control) = Soup.define("weak", matcher: setup.matcher) { soup in
        let weak = soup.slow("weak", of: Weak.self)
        let strong = soup.slow("strong", of: Live.self)
        soup.react(weak & weak & strong, on: setup.placement) { x, y, strong in
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
  func `is that a stopped soup refuses and destroys all of them`(setup: Setup) async throws {
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
  func `is that they are dropped when the soup is stopped before they are let go`(setup: Setup) async {
    let census = Census()
    let control = Soup.define("stopped early", matcher: setup.matcher) { soup in
      let end = soup.slow("end")
      let control = soup.control
      soup.react(end, on: .inline) { _ in control.stopBlocking() }
      let (values, _, plain, _) = declareBatches(soup, setup.placement)
      end()
      plain.inject(count: 5)
      values.inject(contentsOf: [census.live(), census.live()])
      return control
    }
    await control.settle()
    #expect(control.snapshot().dropped == 7)
    #expect(census.alive == 0)
  }

  @Test(arguments: Run.setups)
  func `is that a soup that is gone refuses and destroys all of them`(setup: Setup) async {
    let census = Census()
    let escaped = Shared<(Injector<Live>, Injector<Weak>, Injector<Void>)>(nil)
    do {
      let never = Soup.define("gone", matcher: setup.matcher) { soup in
        let (values, weak, plain, never) = declareBatches(soup, setup.placement)
        escaped.put((values, weak, plain))
        return never
      }
      let (values, weak, plain) = escaped.value!
      #expect(values.inject(contentsOf: (0..<300).map(census.live)), "not owned, but alive")
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

  @Test(arguments: Run.setups)
  func `is, with eight threads, that each is consumed once`(setup: Setup) async throws {
    let rounds = scaled(100)
    let ledger = Ledger(capacity: 8 * rounds * 10)
    let (a, b, control) = Soup.define("eight", matcher: setup.matcher) { soup in
      let a = soup.slow("a", of: Int.self)
      let b = soup.slow("b", of: Int.self)
      soup.react(a & b, on: setup.placement) { x, y in [x, y].forEach(ledger.consume) }
      soup.react(a & a & b & b, on: setup.placement) { x, y, z, w in [x, y, z, w].forEach(ledger.consume) }
      return (a, b, soup.control)
    }
    Watchdog.watch(control)
    try await onThreads(8) { thread in
      for _ in 0..<rounds {
        let n = (0..<10).map { _ in ledger.issue()! }
        Soup.inject((a, n[0]), (b, n[1]), (a, n[2]))
        b.inject(contentsOf: n[3...6])
        a.inject(contentsOf: n[7...])
      }
    }
    await control.settle()
    #expect(ledger.issued == 8 * rounds * 10)
    #expect(ledger.duplicates == 0)
    #expect(ledger.outstanding == 0)
    #expect(control.snapshot()[a] + control.snapshot()[b] == 0)
  }

  /// Whatever was accepted is consumed or dropped; whatever was refused is destroyed.
  @Test(arguments: Run.setups)
  func `is, while their soup is cleared, stopped and restarted, that each ends once`(setup: Setup) async throws {
    let census = Census()
    let (accepted, refused, consumed, ended) = (Tally(), Tally(), Tally(), Tally())
    let rounds = scaled(150)
    try await Watchdog.whileWatching {
      let (a, b, v, control) = Soup.define("torn", matcher: setup.matcher) { soup in
        let a = soup.slow("a", of: Live.self)
        let b = soup.slow("b", of: Live.self)
        let v = soup.slow("v")
        soup.react(a & b & v, on: setup.placement) { _, _, _ in consumed.add(3) }
        soup.react(a & a & b, on: setup.placement) { _, _, _ in consumed.add(3) }
        return (a, b, v, soup.control)
      }
      Watchdog.watch(control)
      try await onThreads(8) { thread in
        switch thread {
        case 0: while ended.count < 6 { control.clear() }
        case 1:
          while ended.count < 6 {
            let report = control.stopBlocking(within: patience)
            #expect(report.isQuiet)
            try control.restartBlocking(within: patience)
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

/// A value that cannot be moved bit by bit.
private struct Weak: @unchecked Sendable {
  weak var live: Live?
  init(_ live: Live) { self.live = live }
}

/// Names of which nothing reacts but with the last, which nobody injects.
private func declareBatches(
  _ soup: Soup, _ placement: Placement
) -> (Injector<Live>, Injector<Weak>, Injector<Void>, Injector<Void>) {
  let values = soup.slow("values", of: Live.self)
  let weak = soup.slow("weak", of: Weak.self)
  let plain = soup.slow("plain")
  let never = soup.slow("never")
  soup.react(values & plain & never, on: placement) { _, _, _ in }
  soup.react(weak & never, on: placement) { _, _ in }
  return (values, weak, plain, never)
}

private func batches(_ label: String, _ setup: Setup) -> (Injector<Live>, Injector<Weak>, Injector<Void>, Control) {
  Soup.define(label, matcher: setup.matcher) { soup in
    let (values, weak, plain, _) = declareBatches(soup, setup.placement)
    return (values, weak, plain, soup.control)
  }
}

/// Every form of injecting several is refused.
private func refuse(_ values: Injector<Live>, _ weak: Injector<Weak>, _ plain: Injector<Void>, _ census: Census) {
  let live = census.live()
  #expect(!values.inject(contentsOf: [census.live(), live, census.live()]))
  #expect(!weak.inject(contentsOf: [Weak(live), Weak(live)]))
  #expect(!plain.inject(count: 2))
  #expect(!Soup.inject((plain, ()), (values, census.live()), (weak, Weak(live)), (values, live)))
}
