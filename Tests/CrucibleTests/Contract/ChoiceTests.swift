import Crucible
import CrucibleTestSupport
import Testing

/// Contract 5: the matcher chooses at random among enabled reactions. Pearson's chi-square tests the choice.
///
/// A soup that one thread drives chooses by its seed alone. So a test with a fixed seed passes always or never.
@Suite(.watched)
struct `Choice` {
  @Test(arguments: choosingMatchers)
  func `The same seed makes the same choices`(matcher: Matcher) {
    for seed in [1, 2, 77, UInt64.max] {
      let first = choose(among: 4, 200, matcher, seed)
      let second = choose(among: 4, 200, matcher, seed)
      #expect(first == second, "seed \(seed)")
      #expect(Set(first).count == 4)
    }
  }

  @Test(arguments: matchers)
  func `The same seed makes the same choices on each of 24 threads`(matcher: Matcher) async throws {
    let chosen = try await onThreads(24) { _ in choose(among: 4, 100, matcher, 5) }
    #expect(Set(chosen).count == 1)
  }

  @Test(arguments: choosingMatchers)
  func `Different seeds make different choices, and so do soups without a seed`(matcher: Matcher) {
    let seeded = (1...8).map { choose(among: 4, 100, matcher, $0) }
    #expect(Set(seeded).count == 8)
    let unseeded = (1...8).map { _ in choose(among: 4, 100, matcher, nil) }
    #expect(Set(unseeded).count == 8)
  }

  @Test(arguments: choosingMatchers, [2, 3, 8])
  func `The matcher chooses each enabled reaction equally often, whatever the seed`(matcher: Matcher, count: Int) {
    let seeds = (1...16).map { UInt64($0) } + [77, 1 << 32, 1 << 63, UInt64.max, 0x9E37_79B9_7F4A_7C15]
    var sum = Statistic()
    for seed in seeds {
      let statistic = Statistic(of: choose(among: count, 1000, matcher, seed), in: count)
      #expect(statistic.deviation < 8, "seed \(seed): \(statistic)")
      sum.add(statistic)
    }
    // Over all seeds, the choice is neither too uneven nor too even, as taking turns would be.
    #expect((-3..<6).contains(sum.deviation), "\(sum)")
  }

  @Test(arguments: choosingMatchers, [2, 3, 8])
  func `The matcher chooses each reaction equally often after each other one`(matcher: Matcher, count: Int) {
    let chosen = choose(among: count, 20_000, matcher, 42)
    let pairs = zip(chosen, chosen.dropFirst()).map { $0 * count + $1 }
    // Overlapping pairs depend on each other a little. Counting only every second pair avoids this.
    let apart = pairs.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
    let statistic = Statistic(of: apart, in: count * count)
    #expect(statistic.deviation < 6, "\(statistic)")
  }

  @Test(arguments: choosingMatchers, [2, 3, 8])
  func `The first choice of a soup takes each reaction equally often over many seeds`(matcher: Matcher, count: Int) {
    let small = (1...1000).flatMap { choose(among: count, 1, matcher, UInt64($0)) }
    #expect(Statistic(of: small, in: count).deviation < 6, "small seeds: \(Statistic(of: small, in: count))")
    var random = Seeded(4711)
    let large = (0..<1000).flatMap { _ in choose(among: count, 1, matcher, random.next()) }
    #expect(Statistic(of: large, in: count).deviation < 6, "random seeds: \(Statistic(of: large, in: count))")
  }

  @Test(arguments: choosingMatchers, [2, 3, 8])
  func `A choice is uniform among the reactions that a returning state enables`(matcher: Matcher, count: Int) {
    // The first of each round is chosen among all reactions, the next ones among those that are left.
    let all = serve(count, backlog: 1, rounds: 2000, matcher)
    #expect(all.count == 2000 * count)
    let first = stride(from: 0, to: all.count, by: count).map { all[$0] }
    let statistic = Statistic(of: first, in: count)
    #expect(statistic.deviation < 6, "\(statistic)")
  }

  @Test(arguments: choosingMatchers)
  func `A state that serves two backlogs chooses uniformly, at least once in sixteen firings`(matcher: Matcher) {
    // Only until one of them runs out. A thread that has a state may fire one reaction sixteen times for one choice.
    let all = serve(2, backlog: 20_000, rounds: 1, matcher)
    #expect(all.count == 40_000)
    let chosen = stride(from: 0, to: 30_000, by: 16).map { all[$0] }
    let statistic = Statistic(of: chosen, in: 2)
    #expect(statistic.deviation < 6, "\(statistic)")
    var (longest, run) = (1, 1)
    for index in 1..<30_000 {
      run = all[index] == all[index - 1] ? run + 1 : 1
      longest = max(longest, run)
    }
    // Thirty choices of the same reaction in a row occur once in 10^5 seeds.
    #expect(longest <= 30 * 16)
  }
}

/// Returns the numbers of the reactions that fired, in order. `count` reactions consume one name.
private func choose(among count: Int, _ rounds: Int, _ matcher: Matcher, _ seed: UInt64?) -> [Int] {
  let choices = Log<Int>()
  let (go, _) = Soup.Options(matcher: matcher, seed: seed).define(slow("go")) { soup, go in
    for reaction in 0..<count { soup.react(go, on: .inline) { _ in choices.append(reaction) } }
  }
  for _ in 0..<rounds { go() }
  return choices.all
}

/// Returns the numbers of the reactions that fired, in order. Each consumes a name of its own, and they have one state,
/// in whose bodies `backlog` molecules of each name are injected.
private func serve(_ count: Int, backlog: Int, rounds: Int, _ matcher: Matcher) -> [Int] {
  let log = Log<Int>()
  let (_, go, _) = matcher.on(.inline).with(seed: 7).define(slow("name", count: count), slow("go")) { soup, names, go in
    let state = soup.state("state", 0)
    for (number, name) in names.enumerated() { soup.react(state: state, name) { _, _ in log.append(number) } }
    soup.react(state: state, go) { _, _ in for name in names { for _ in 0..<backlog { name() } } }
  }
  for _ in 0..<rounds { go() }
  return log.all
}

/// The chi-square statistic of the frequencies of some outcomes, all of which should be equally probable.
private struct Statistic: CustomStringConvertible {
  private var sum = 0.0
  private var freedom = 0.0

  init() {}

  init(of outcomes: [Int], in kinds: Int) {
    var counts = [Int](repeating: 0, count: kinds)
    for outcome in outcomes { counts[outcome] += 1 }
    let expected = Double(outcomes.count) / Double(kinds)
    sum = counts.reduce(0) { $0 + (Double($1) - expected) * (Double($1) - expected) / expected }
    freedom = Double(kinds - 1)
  }

  mutating func add(_ other: Statistic) {
    sum += other.sum
    freedom += other.freedom
  }

  /// The distance from the mean, in standard deviations of the chi-square distribution.
  var deviation: Double { (sum - freedom) / (2 * freedom).squareRoot() }

  var description: String { "\(sum) at \(freedom) degrees of freedom" }
}
