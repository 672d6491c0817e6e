import Crucible
import CrucibleTestSupport
import Testing

/// Contract 5: among enabled reactions one is chosen at random.
@Suite(.watched)
struct `Choice` {
  @Test(arguments: choosingMatchers, [2, 3, 5])
  func `is uniform over the enabled reactions`(matcher: Soup.Matcher, reactions: Int) async throws {
    let rounds = 6000
    let seed = Run.seed(of: "uniform choice", reactions)
    let choices = choose(among: reactions, rounds, matcher, seed)
    let expected = Double(rounds) / Double(reactions)
    for reaction in 0..<reactions {
      let count = choices.count { $0 == reaction }
      // The standard deviation is at most 39 for these; 300 is more than seven of them.
      #expect(abs(Double(count) - expected) < 300, "reaction \(reaction) of \(reactions), seed \(seed)")
    }
  }

  @Test(arguments: matchers)
  func `leaves out what is not enabled`(matcher: Soup.Matcher) async throws {
    let fired = Log<String>()
    let (a, b, c) = Soup.define("partly", with: .init(matcher: matcher)) { soup in
      let a = soup.slow("a")
      let b = soup.slow("b")
      let c = soup.slow("c")
      soup.react(a, b, on: .inline) { _, _ in fired.append("b") }
      soup.react(a, c, on: .inline) { _, _ in fired.append("c") }
      return (a, b, c)
    }
    for _ in 0..<100 { b() }
    for _ in 0..<100 { a() }
    c()
    a()
    #expect(fired.all == Array(repeating: "b", count: 100) + ["c"])
  }

  @Test(arguments: choosingMatchers)
  func `is the same for the same seed`(matcher: Soup.Matcher) async throws {
    for seed in [1, 2, 77, UInt64.max] {
      let first = choose(among: 4, 200, matcher, seed)
      let second = choose(among: 4, 200, matcher, seed)
      #expect(first == second, "seed \(seed)")
      #expect(Set(first).count == 4)
    }
  }

  @Test(arguments: matchers)
  func `is the same for the same seed on any thread, however many there are`(matcher: Soup.Matcher) async throws {
    let chosen = try await onThreads(24) { _ in choose(among: 4, 100, matcher, 5) }
    #expect(Set(chosen).count == 1)
  }

  @Test(arguments: choosingMatchers)
  func `differs between seeds, and between soups without one`(matcher: Soup.Matcher) async throws {
    let seeded = (1...8).map { choose(among: 4, 100, matcher, $0) }
    #expect(Set(seeded).count == 8)
    let unseeded = (1...8).map { _ in choose(among: 4, 100, matcher, nil) }
    #expect(Set(unseeded).count == 8)
  }

  @Test(arguments: Run.choosingSetups)
  func `starves none of two reactions that compete under eight threads`(setup: Setup) async throws {
    let rounds = scaled(2000)
    let seed = Run.seed(of: "starvation")
    let left = Tally()
    let right = Tally()
    let (go, l, r, control) = Soup.define("compete", with: .init(matcher: setup.matcher, seed: seed)) { soup in
      let go = soup.slow("go", of: Int.self)
      let l = soup.slow("left")
      let r = soup.slow("right")
      soup.react(go, l, on: setup.placement) { _, _ in left.add() }
      soup.react(go, r, on: setup.placement) { _, _ in right.add() }
      return (go, l, r, soup.control)
    }
    Watchdog.watch(control)
    // Enough of both, so that both stay enabled.
    for _ in 0..<8 * rounds {
      l()
      r()
    }
    try await onThreads(8) { _ in for round in 0..<rounds { go(round) } }
    await control.settle()
    #expect(left.count + right.count == 8 * rounds)
    // Fair coins would need a deviation of 38 standard deviations for this.
    #expect(min(left.count, right.count) > 8 * rounds * 35 / 100)
  }

  @Test(arguments: choosingMatchers)
  func `passes over an enabled reaction only for a while`(matcher: Soup.Matcher) async throws {
    let seed = Run.seed(of: "longest run")
    let choices = choose(among: 2, 20_000, matcher, seed)
    var longest = 0
    var run = 0
    for (index, choice) in choices.enumerated() {
      run = index > 0 && choices[index - 1] == choice ? run + 1 : 1
      longest = max(longest, run)
    }
    // The probability of a run of 64 somewhere is 20,000 / 2^63.
    #expect(longest < 64, "seed \(seed)")
  }
}

/// Which of `count` reactions over one name fired, one after the other.
private func choose(among count: Int, _ rounds: Int, _ matcher: Soup.Matcher, _ seed: UInt64?) -> [Int] {
  let choices = Log<Int>()
  let go: Injector<Void> = Soup.define("choice", with: .init(matcher: matcher, seed: seed)) { soup in
    let go = soup.slow("go")
    for reaction in 0..<count { soup.react(go, on: .inline) { _ in choices.append(reaction) } }
    return go
  }
  for _ in 0..<rounds { go() }
  return choices.all
}
