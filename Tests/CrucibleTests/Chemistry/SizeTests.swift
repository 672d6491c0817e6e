import Crucible
import CrucibleTestSupport
import Testing

/// Soups of many names, and patterns of many inputs.
@Suite(.watched)
struct `Sizes` {
  @Test(arguments: [1, 2, 8, 10, 31])
  func `of components up to thirty-one names fit one word`(count: Int) async throws {
    let (names, control) = ring(of: count, .automatic)
    #expect(control.matchers == [.word])
    try await drive(names, control)
  }

  @Test(arguments: [33, 50, 64])
  func `of components beyond that take several words, and are described so`(count: Int) async throws {
    let (names, control) = ring(of: count, .automatic)
    #expect(control.matchers == [.word])
    #expect("\(control)".contains(", word 1 of "))
    try await drive(names, control)
  }

  @Test func `of components are what counts, not of soups`() async throws {
    let fired = Tally()
    let (names, control) = Soup.define("mixed") { soup in
      let names = soup.slow("n", count: 64)
      // Fifteen pairs and a component of thirty-four.
      for n in stride(from: 0, to: 30, by: 2) {
        soup.react(names[n], names[n + 1], on: .inline) { _, _ in fired.add() }
      }
      soup.react(all: Array(names[30...]), on: .inline) { _ in fired.add() }
      return (names, soup.control)
    }
    #expect(control.matchers == [.word])
    for name in names { name() }
    #expect(fired.count == 16)
    #expect(control.snapshot().counts.allSatisfy { $0.molecules == 0 })
  }

  @Test(arguments: matchers)
  func `of sixty-four names in small components are fine`(matcher: Soup.Matcher) async throws {
    let fired = Tally()
    let (names, control) = Soup.define("sixty-four", with: .init(matcher: matcher)) { soup in
      let names = soup.slow("n", of: Int.self, count: 64)
      for n in 0..<32 { soup.react(names[n], names[63 - n]) { _, _ in fired.add() } }
      return (names, soup.control)
    }
    Watchdog.watch(control)
    #expect(control.matchers == [matcher])
    try await onThreads(8) { thread in for (n, name) in names.enumerated() { name(n) } }
    await control.settle()
    #expect(fired.count == 8 * 32)
  }

  @Test(arguments: Run.setups)
  func `of patterns from one to six inputs hand each its own`(setup: Setup) async throws {
    let seen = Log<[Int]>()
    for arity in 1...6 {
      let (names, control) = Soup.define("arity \(arity)", with: .init(matcher: setup.matcher)) { soup in
        let n = soup.slow("n", of: Int.self, count: arity)
        switch arity {
        case 1: soup.react(n[0], on: setup.placement) { seen.append([$0]) }
        case 2: soup.react(n[0], n[1], on: setup.placement) { seen.append([$0, $1]) }
        case 3: soup.react(n[0], n[1], n[2], on: setup.placement) { seen.append([$0, $1, $2]) }
        case 4: soup.react(n[0], n[1], n[2], n[3], on: setup.placement) { seen.append([$0, $1, $2, $3]) }
        case 5:
          soup.react(n[0], n[1], n[2], n[3], n[4], on: setup.placement) { seen.append([$0, $1, $2, $3, $4]) }
        default:
          soup.react(n[0], n[1], n[2], n[3], n[4], n[5], on: setup.placement) {
            seen.append([$0, $1, $2, $3, $4, $5])
          }
        }
        return (n, soup.control)
      }
      for (index, name) in names.enumerated().reversed() { name(index) }
      await control.settle()
      #expect(seen.all.last == Array(0..<arity))
    }
  }

  @Test(arguments: Run.setups)
  func `of patterns with a state and up to five inputs hand each its own`(setup: Setup) async throws {
    let (names, sum, control) = Soup.define("state patterns", with: .init(matcher: setup.matcher)) { soup in
      let seen = soup.state("seen", [[Int]]())
      let n = soup.slow("n", of: Int.self, count: 15)
      let all = soup.fast("all", returning: [[Int]].self)
      let placement = setup.placement
      soup.react(state: seen, n[0], on: placement) { $0.append([$1]) }
      soup.react(state: seen, n[1], n[2], on: placement) { $0.append([$1, $2]) }
      soup.react(state: seen, n[3], n[4], n[5], on: placement) { $0.append([$1, $2, $3]) }
      soup.react(state: seen, n[6], n[7], n[8], n[9], on: placement) { $0.append([$1, $2, $3, $4]) }
      soup.react(state: seen, n[10], n[11], n[12], n[13], n[14], on: placement) { $0.append([$1, $2, $3, $4, $5]) }
      soup.react(state: seen, all, on: placement) { seen, call in call.reply(seen) }
      return (n, all, soup.control)
    }
    for (index, name) in names.enumerated() { name(index) }
    await control.settle()
    let seen = try await sum()
    #expect(Set(seen) == [[0], [1, 2], [3, 4, 5], [6, 7, 8, 9], [10, 11, 12, 13, 14]])
  }

  @Test(arguments: Run.setups)
  func `of mixed patterns beyond six inputs hand each its own`(setup: Setup) async throws {
    let seen = Log<String>()
    let (ints, text, ask, go, control) = Soup.define("pack", with: .init(matcher: setup.matcher)) { soup in
      let i = soup.slow("i", of: Int.self, count: 4)
      let text = soup.slow("text", of: String.self)
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      let go = soup.slow("go")
      soup.react(i[0], text, i[1], ask, go, i[2], i[3], on: setup.placement) { a, text, b, call, _, c, d in
        seen.append("\(a) \(text) \(b) \(call.input) \(c) \(d)")
        call.reply(a + b + c + d)
      }
      return (i, text, ask, go, soup.control)
    }
    Watchdog.watch(control)
    for (n, name) in ints.enumerated() { name(n) }
    text("text")
    go()
    #expect(try await ask(9) == 6)
    await control.settle()
    #expect(seen.all == ["0 text 1 9 2 3"])
  }

  @Test func `of patterns up to sixty-four names of one soup`() async throws {
    let seen = Log<[Int]>()
    let (names, control) = Soup.define("all") { soup in
      let names = soup.slow("n", of: Int.self, count: 64)
      soup.react(all: names, on: .inline) { seen.append($0) }
      return (names, soup.control)
    }
    for round in 0..<3 { for (n, name) in names.enumerated() { name(n + round) } }
    #expect(seen.all == (0..<3).map { round in (0..<64).map { $0 + round } })
    #expect(control.matchers == [.word])
  }

  @Test(arguments: Run.setups)
  func `of patterns that take one name sixty-four times`(setup: Setup) async throws {
    let seen = Log<[Int]>()
    let (a, control) = Soup.define("same", with: .init(matcher: setup.matcher)) { soup in
      let a = soup.slow("a", of: Int.self)
      soup.react(all: Array(repeating: a, count: 64), on: setup.placement) { seen.append($0) }
      return (a, soup.control)
    }
    for n in 0..<64 * 5 + 63 { a(n) }
    await control.settle()
    #expect(seen.count == 5)
    #expect(seen.all.joined().sorted() == Array(0..<64 * 5))
    #expect(control.snapshot()[a] == 63)
  }
}

/// `count` names in one component: each reacts with the next.
private func ring(of count: Int, _ matcher: Soup.Matcher) -> ([Injector<Int>], Soup.Control) {
  Soup.define("ring", with: .init(matcher: matcher)) { soup in
    let names = soup.slow("n", of: Int.self, count: count)
    for n in 0..<count { soup.react(all: [names[n], names[(n + 1) % count]]) { _ in } }
    return (names, soup.control)
  }
}

/// Injects from two threads, and checks that it comes to rest with nothing enabled.
private func drive(_ names: [Injector<Int>], _ control: Soup.Control) async throws {
  Watchdog.watch(control)
  try await onThreads(2) { thread in for n in 0..<2000 { names[n * 7 % names.count](n) } }
  await control.settle()
  let present = control.snapshot().counts.map(\.molecules)
  for n in names.indices {
    let next = (n + 1) % names.count
    #expect(n == next ? present[n] < 2 : min(present[n], present[next]) == 0, "at rest: \(control)")
  }
}

/// The matchers that the description mentions.
