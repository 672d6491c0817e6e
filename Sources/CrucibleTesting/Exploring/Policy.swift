/// How `explore` chooses the schedules that it runs.
///
/// ```swift
/// try await explore(.all(preemptions: 2)) { world in … }
/// ```
///
/// - Complexity: of each choice O(threads and tasks that can go on).
public struct SchedulePolicy: Sendable, Hashable, CustomStringConvertible {
  enum Kind: Sendable, Hashable {
    case mixed
    case random
    case priorities(depth: Int)
    case all(preemptions: Int)
    case replay(Recorded)
  }

  let kind: Kind

  /// Every second schedule as by ``random``, the others as by ``priorities(depth:)`` of 3.
  public static let mixed = SchedulePolicy(kind: .mixed)

  /// At each step one of those that can go on, at random.
  public static let random = SchedulePolicy(kind: .random)

  /// Those that can go on have random priorities, and `depth` - 1 times in a run the highest one drops below all
  /// others.
  ///
  /// ```swift
  /// try await explore(.priorities(depth: 4), schedules: 10_000) { world in … }
  /// ```
  ///
  /// A mistake that needs `depth` ordered steps is found with a known probability. Source: Burckhardt, Kothari,
  /// Musuvathi, Nagarakatte, *A Randomized Scheduler with Probabilistic Guarantees of Finding Bugs*, ASPLOS 2010.
  public static func priorities(depth: Int) -> SchedulePolicy {
    SchedulePolicy(kind: .priorities(depth: max(1, depth)))
  }

  /// All schedules that interrupt a thread at most so many times while it could go on, one after the other. Time that
  /// passes while anything else can go on counts as an interruption.
  ///
  /// Source: Musuvathi, Qadeer, *Iterative Context Bounding for Systematic Testing of Multithreaded Programs*, PLDI
  /// 2007.
  public static func all(preemptions: Int) -> SchedulePolicy {
    SchedulePolicy(kind: .all(preemptions: max(0, preemptions)))
  }

  /// The schedule of an ``ExplorationFailure``, which has the text.
  ///
  /// ```swift
  /// try await explore(.replay("6=2/1-8")) { world in … }
  /// ```
  ///
  /// Requires: the text comes from a failure. The test must take the same steps as then.
  public static func replay(_ text: String) -> SchedulePolicy {
    guard let recorded = Recorded(text) else { fatalError("Crucible: no schedule is '\(text)'") }
    return SchedulePolicy(kind: .replay(recorded))
  }

  func chooser(seed: UInt64) -> any Chooser {
    let random = Splitmix(state: seed)
    return switch kind {
    case .mixed: Mixed(random: random)
    case .random: RandomWalk(random: random)
    case .priorities(let depth): Priorities(random: random, depth: depth)
    case .all(let preemptions): Search(bound: preemptions)
    case .replay(let recorded): Replay(recorded.choices)
    }
  }

  public var description: String {
    switch kind {
    case .mixed: "mixed"
    case .random: "random"
    case .priorities(let depth): "priorities, depth \(depth)"
    case .all(let preemptions): "all with at most \(preemptions) preemptions"
    case .replay(let recorded): "replay \(recorded.text)"
    }
  }
}

/// What can go on at a step: first the work that runs, if it can. Then come others in the order in which they became
/// ready, and last the timers that are next.
struct Alternatives {
  let count: Int
  let canContinue: Bool
  /// How many of them, at the end, let time pass.
  let timers: Int
  /// Whether a soup chooses, among reactions for example, and the same thread goes on.
  let isOfSoup: Bool

  init(count: Int, canContinue: Bool, timers: Int) {
    (self.count, self.canContinue, self.timers, isOfSoup) = (count, canContinue, timers, false)
  }

  init(ofSoup count: Int) { (self.count, canContinue, timers, isOfSoup) = (count, false, 0, true) }

  /// The one that has been ready for the longest time; time passes only if nothing else goes on.
  func fair(_ random: inout Splitmix) -> Int {
    if isOfSoup { return Int(random.next() % UInt64(count)) }
    return canContinue && count > timers + 1 ? 1 : 0
  }

  /// What it costs to choose one: 1 if it interrupts.
  func cost(of index: Int) -> Int {
    if index == 0 || isOfSoup { return 0 }
    return canContinue || index >= count - timers && timers < count ? 1 : 0
  }
}

/// A choice of a run.
struct Choice {
  let index: Int
  let alternatives: Alternatives
}

/// Makes the choices of one schedule after the other.
protocol Chooser {
  /// Begins the next schedule. Returns false if there is none.
  mutating func begin() -> Bool
  /// `ids`: the identity of each alternative. Not for a choice of a soup.
  mutating func choose(_ alternatives: Alternatives, _ ids: [Int]) -> Int
  mutating func end(_ choices: [Choice])
}

/// A generator of the kind of splitmix64 (Steele, Lea, Flood, 2014).
struct Splitmix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}

/// Draws the choices. Time passes at one of eight steps where anything else can go on.
struct RandomWalk: Chooser {
  var random: Splitmix

  mutating func begin() -> Bool { true }
  mutating func choose(_ alternatives: Alternatives, _ ids: [Int]) -> Int {
    let others = alternatives.count - alternatives.timers
    if others > 0 && (alternatives.timers == 0 || random.next() % 8 != 0) { return Int(random.next() % UInt64(others)) }
    return others + Int(random.next() % UInt64(alternatives.timers))
  }
  mutating func end(_ choices: [Choice]) {}
}

struct Priorities: Chooser {
  var random: Splitmix
  let depth: Int
  private var priorities: [Int: UInt64] = [:]
  private var changes: Set<Int> = []
  private var step = 0
  /// The steps of the longest run until now.
  private var length = 16
  private var lowest: UInt64 = 0

  init(random: Splitmix, depth: Int) {
    self.random = random
    self.depth = depth
  }

  mutating func begin() -> Bool {
    priorities = [:]
    (step, lowest) = (0, UInt64(depth))
    changes = Set((1..<max(depth, 1)).map { _ in Int(random.next() % UInt64(length)) })
    return true
  }

  mutating func choose(_ alternatives: Alternatives, _ ids: [Int]) -> Int {
    defer { step += 1 }
    if alternatives.isOfSoup { return alternatives.fair(&random) }
    var best = highest(ids)
    if changes.contains(step) {
      lowest -= 1
      priorities[ids[best]] = lowest
      best = highest(ids)
    }
    return best
  }

  private mutating func highest(_ ids: [Int]) -> Int {
    var best = 0
    for index in ids.indices where priority(ids[index]) > priority(ids[best]) { best = index }
    return best
  }

  private mutating func priority(_ id: Int) -> UInt64 {
    if let known = priorities[id] { return known }
    let drawn = random.next() | 1 << 32
    priorities[id] = drawn
    return drawn
  }

  mutating func end(_ choices: [Choice]) { length = max(length, step) }
}

/// Makes the given choices, and then the first alternative of each.
struct Replay: Chooser {
  let given: [Int: Int]
  private var step = 0
  private var hasBegun = false

  init(_ given: [Int: Int]) { self.given = given }

  mutating func begin() -> Bool {
    defer { hasBegun = true }
    return !hasBegun
  }
  mutating func choose(_ alternatives: Alternatives, _ ids: [Int]) -> Int {
    defer { step += 1 }
    let index = given[step] ?? 0
    return index < alternatives.count ? index : 0
  }
  mutating func end(_ choices: [Choice]) {}
}

/// Searches all schedules of bounded cost, depth first.
struct Search: Chooser {
  let bound: Int
  /// Whether it fails if a run takes other steps than the one before.
  private let isExact: Bool
  private var prefix: [Int]? = []
  private var step = 0

  init(bound: Int, isExact: Bool = true) { (self.bound, self.isExact) = (bound, isExact) }

  mutating func begin() -> Bool {
    step = 0
    return prefix != nil
  }
  mutating func choose(_ alternatives: Alternatives, _ ids: [Int]) -> Int {
    defer { step += 1 }
    let index = step < prefix!.count ? prefix![step] : 0
    if index < alternatives.count { return index }
    if isExact { fatalError("Crucible: explore: the test takes other steps in each run") }
    return 0
  }
  mutating func end(_ choices: [Choice]) {
    var spent = choices.reduce(0) { $0 + $1.alternatives.cost(of: $1.index) }
    for step in choices.indices.reversed() {
      let choice = choices[step]
      spent -= choice.alternatives.cost(of: choice.index)
      for index in (choice.index + 1)..<max(choice.alternatives.count, choice.index + 1)
      where spent + choice.alternatives.cost(of: index) <= bound {
        prefix = choices[..<step].map(\.index) + [index]
        return
      }
    }
    prefix = nil
  }
}

struct Mixed: Chooser {
  var walk: RandomWalk
  var priorities: Priorities
  private var walks = false

  init(random: Splitmix) {
    walk = RandomWalk(random: random)
    priorities = Priorities(random: Splitmix(state: ~random.state), depth: 3)
  }

  mutating func begin() -> Bool {
    walks.toggle()
    return walks ? walk.begin() : priorities.begin()
  }
  mutating func choose(_ alternatives: Alternatives, _ ids: [Int]) -> Int {
    walks ? walk.choose(alternatives, ids) : priorities.choose(alternatives, ids)
  }
  mutating func end(_ choices: [Choice]) { if !walks { priorities.end(choices) } }
}
