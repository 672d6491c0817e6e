import Crucible
import CrucibleTestSupport
import Testing

/// The additional promise of the matcher `arrival`: the same arrivals give the same matches.
@Suite(.watched)
struct `The order of arrival` {
  /// A counter that is a molecule is injected again by each body, so each time it arrives last.
  @Test(arguments: [Placement.inline, .pool], [false, true])
  func `The matcher arrival serves a call after the two increments before it, whatever keeps the count`(
    placement: Placement, isState: Bool
  ) async throws {
    for _ in 0..<200 {
      let (increment, value, _) = Matcher.arrival.on(placement).define(
        slow("increment"), fast("value", returning: Int.self)
      ) { soup, increment, value in
        if isState {
          let counter = soup.state("counter", 0)
          soup.react(state: counter, increment) { n, _ in n += 1 }
          soup.react(state: counter, value) { n, call in call.reply(n) }
          return
        }
        let counter = soup.slow("counter", of: Int.self)
        soup.react(counter, increment) { n, _ in counter(n + 1) }
        soup.react(counter, value) { n, call in
          call.reply(n)
          counter(n)
        }
        counter(0)
      }
      increment()
      increment()
      #expect(try await value() == 2)
    }
  }

  /// On other matchers a thread finds some of its own additions missing.
  @Test(arguments: [Placement.inline, .pool])
  func `The matcher arrival shows each of eight threads its own earlier additions`(placement: Placement) async throws {
    let rounds = scaled(50)
    let (add, sum, _) = Matcher.arrival.on(placement).define(
      slow("add", of: Int.self), fast("sum", of: Int.self, returning: Int.self), named: "sums"
    ) { soup, add, sum in
      let sums = soup.state("sums", [Int](repeating: 0, count: 8))
      soup.react(state: sums, add) { sums, thread in sums[thread] += 1 }
      soup.react(state: sums, sum) { sums, call in call.reply(sums[call.input]) }
    }
    let seen = try await onThreads(8) { thread in
      try (1...rounds).map { round in
        for _ in 0..<3 { add(thread) }
        return try sum.blocking(thread) - 3 * round
      }
    }
    #expect(seen.joined().allSatisfy { $0 == 0 })
  }

  @Test func `The matcher arrival makes the same matches as a plain reference`() async {
    for number in 0..<scaled(30) {
      let seed = Run.seed(of: "order of arrival", number)
      let (made, expected) = await run(seed: seed)
      #expect(made == expected, "seed \(seed)")
    }
  }

  @Test func `The matcher arrival takes molecules that are injected together in the order of their list`() async {
    let matches = Log<String>()
    let (a, _, _, control) = Soup.Matcher.arrival.on(.inline).define(
      slow("a", of: Int.self), slow("b", of: Int.self), slow("c", of: Int.self), named: "list"
    ) { soup, a, b, c in
      soup.react(a, b) { a, b in matches.append("a\(a) b\(b)") }
      soup.react(a, c) { a, c in matches.append("a\(a) c\(c)") }
      Soup.inject((c, 1), (b, 2))
    }
    a.inject(contentsOf: [3, 4])
    await control.settle()
    #expect(matches.all.sorted() == ["a3 c1", "a4 b2"])
  }
}

/// Injects random arrivals into a soup and into a reference, with pauses. Returns the matches of both.
private func run(seed: UInt64) async -> (made: [String], expected: [String]) {
  let log = Log<String>()
  let (a, b, v, control) = Matcher.arrival.on(.inline).define(
    slow("a", of: Int.self), slow("b", of: Int.self), slow("v"), named: "order"
  ) { soup, a, b, v in
    let s = soup.state("s", 0)
    soup.react(b, v, v) { b, _, _ in log.append("0 \(b)") }
    soup.react(a, b) { a, b in log.append("1 \(a) \(b)") }
    soup.react(state: s, a, v) { _, a, _ in log.append("2 \(a)") }
    soup.react(a, b) { _, _ in log.append("never") }
    soup.react(b, b, b) { b, c, d in log.append("4 \(b) \(c) \(d)") }
  }
  var random = Seeded(seed)
  var reference = Reference(patterns: ["bvv", "ab", "av", "ab", "bbb"], withState: 2)
  for value in 1...60 {
    switch random.next() % 8 {
    case 0, 1:
      a(value)
      reference.arrive("a", value)
    case 2, 3, 4:
      b(value)
      reference.arrive("b", value)
    case 5:
      v()
      reference.arrive("v", value)
    case 6:
      v.inject(count: 3)
      reference.arrive("vvv", value)
    default:
      if reference.isPaused { control.resume() } else { control.pause() }
      reference.isPaused.toggle()
    }
    if !reference.isPaused { await control.settle() }
  }
  if reference.isPaused { control.resume() }
  reference.isPaused = false
  await control.settle()
  return (log.all.sorted(), reference.matches.sorted())
}

/// A list of all arrivals. Each step removes the first of all matches.
private struct Reference {
  let patterns: [String]
  let withState: Int
  var matches: [String] = []
  var isPaused = false {
    didSet { settle() }
  }
  var waiting: [(name: Character, value: Int)] = []

  mutating func arrive(_ names: String, _ value: Int) {
    waiting += names.map { ($0, value) }
    settle()
  }

  /// Makes all matches. A state that a reaction takes returns once nothing else can react without it, because bodies
  /// run after the matches of one step.
  private mutating func settle() {
    var isTaken = false
    while !isPaused {
      let candidates = patterns.indices.filter { !isTaken || $0 != withState }
      let found = candidates.compactMap { pattern in indices(of: pattern).map { (pattern, $0) } }
      guard let first = found.min(by: { comes($0.1, before: $1.1) }) else {
        if !isTaken { return }
        isTaken = false
        continue
      }
      if first.0 == withState { isTaken = true }
      let values = first.1.filter { waiting[$0].name != "v" }.map { " \(waiting[$0].value)" }
      matches.append("\(first.0)\(values.joined())")
      for index in first.1.sorted().reversed() { waiting.remove(at: index) }
    }
  }

  /// Returns the indices of the oldest arrivals that fit the pattern, in the order of the pattern.
  private func indices(of pattern: Int) -> [Int]? {
    var found: [Int] = []
    for name in patterns[pattern] {
      guard let index = waiting.indices.first(where: { waiting[$0].name == name && !found.contains($0) }) else {
        return nil
      }
      found.append(index)
    }
    return found
  }

  /// Orders matches by the youngest arrival, then by the next youngest. A match that continues another one comes first.
  private func comes(_ one: [Int], before other: [Int]) -> Bool {
    let (one, other) = (one.sorted(by: >), other.sorted(by: >))
    for (mine, theirs) in zip(one, other) where mine != theirs { return mine < theirs }
    return one.count > other.count
  }
}
