/// How a seed draws a chemistry. Tables say what is likelier: a value that stands in one more than once is drawn more
/// often.
extension Chemistry {
  public init(seed: UInt64) {
    var draw = Draw(random: Seeded(seed))
    self = draw.chemistry()
    normalize()
  }
}

private struct Draw {
  var random: Seeded

  private mutating func number(below bound: Int) -> Int { Int.random(in: 0..<bound, using: &random) }

  private mutating func choice<Value>(among table: [Value]) -> Value { table.randomElement(using: &random)! }

  private mutating func list<Element>(counts: [Int], of element: (inout Draw) -> Element) -> [Element] {
    (0..<choice(among: counts)).map { _ in element(&self) }
  }

  mutating func chemistry() -> Chemistry {
    // Which kinds and operations there are at all: races of few things show more than a little of everything.
    let allowed = choice(among: Profile.all)
    var chemistry = Chemistry()
    chemistry.kinds = list(counts: allowed.nameCounts) { $0.choice(among: allowed.kinds) }
    chemistry.stateCount = choice(among: allowed.stateCounts)
    let (names, states) = (chemistry.kinds.count, chemistry.stateCount)
    chemistry.reactions = list(counts: allowed.reactionCounts) { draw in
      let pattern = draw.list(counts: allowed.inputCounts) { $0.number(below: names) }
      let mask = draw.choice(among: allowed.stateMasks)
      return Chemistry.Reaction(
        pattern: pattern, states: (0..<states).filter { mask & 1 << $0 != 0 },
        place: draw.choice(among: allowed.places),
        ending: draw.choice(among: [.reply, .reply, .reply, .reply, .drop, .fail]),
        products: draw.list(counts: allowed.productCounts) { $0.number(below: names) })
    }
    chemistry.beginsPaused = choice(among: allowed.beginsPaused)
    chemistry.padding = choice(among: allowed.paddings)
    chemistry.scripts = list(counts: [8, 8, 8, 8, 4, 3, 2, 7, 6, 5, 1]) { draw in
      draw.list(counts: allowed.operationCounts) { draw in
        Chemistry.Operation(
          code: draw.choice(among: allowed.codes), name: draw.number(below: names), amount: draw.number(below: 8))
      }
    }
    chemistry.rounds = choice(among: allowed.rounds)
    chemistry.rests = choice(among: allowed.rests)
    chemistry.seed = number(below: 256)
    return chemistry
  }
}

/// The parts from which a chemistry is made.
private struct Profile {
  var nameCounts = [2, 1, 3, 2, 4, 3, 5, 2, 6, 3, 8, 12, 7, 9, 10, 11]
  var kinds = Chemistry.Kind.allCases
  var stateCounts = [0, 1, 2]
  var reactionCounts = [1, 2, 3, 2, 1, 4, 5, 6, 8, 12, 7, 9, 10, 11]
  var inputCounts = [1, 2, 2, 2, 1, 3, 2, 4]
  var places = Chemistry.Place.allCases
  /// Which states a reaction takes: a bit for each.
  var stateMasks = [1, 0, 0, 1, 2, 3]
  var productCounts = [0, 0, 1, 0, 1, 2]
  var beginsPaused = [false]
  var paddings = [0]
  var operationCounts = [2, 1, 3, 4, 0, 5, 6]
  var codes = Chemistry.Code.allCases
  var rounds = [8, 1, 2, 4, 16, 2, 1, 32, 64]
  var rests = [false, true]

  static let all =
    single + Array(repeating: full, count: 8) + Array(repeating: states, count: 6) + Array(repeating: stops, count: 3)

  /// Fields that count one molecule. In one round more of a name comes than fits, in the next it is used up; what is
  /// left behind on the way between a field and its overflow nobody else finds, if only it is the last to happen.
  private static let full = Profile(
    nameCounts: [2], kinds: [.void, .void, .plain], stateCounts: [0], reactionCounts: [1, 1, 2], inputCounts: [2],
    places: [.inline], paddings: [21, 24], operationCounts: [1, 1, 2], codes: [.inject], rounds: [64, 32, 16],
    rests: [true])

  /// A molecule that a body adds waits until the body gives its states back. Each of these then enables something.
  private static let states = Profile(
    nameCounts: [2, 3, 4], kinds: [.void, .plain], stateCounts: [2], reactionCounts: [3, 4, 5, 6],
    inputCounts: [1, 1, 2], places: [.inline, .inline, .pool, .task], stateMasks: [3, 1, 2],
    productCounts: [2, 1, 0, 2], codes: [.inject], rests: [true])

  /// Soups that are stopped while others are on their way into them, and looked at before they run again.
  private static let stops = Profile(
    nameCounts: [1, 2, 3], kinds: [.void, .plain, .object], stateCounts: [0],
    codes: [.inject, .inject, .inject, .inject, .inject, .delay, .stop, .restart], rests: [true])

  private static let single: [Profile] = [
    Profile(beginsPaused: [false, true], paddings: [0, 0, 0, 0, 0, 18, 21, 24]),
    // Joins.
    Profile(stateCounts: [0], places: [.inline, .inline, .pool], codes: [.inject, .inject, .several]),
    Profile(kinds: [.plain, .object], stateCounts: [0], places: [.inline], codes: [.inject]),
    Profile(
      nameCounts: [1, 1, 2], kinds: [.plain, .object], stateCounts: [0], places: [.inline],
      codes: [.inject, .inject, .several]),
    Profile(
      nameCounts: [1], kinds: [.plain, .object], stateCounts: [0], reactionCounts: [1, 2, 1, 3],
      inputCounts: [2, 2, 3, 1, 4], places: [.inline], codes: [.inject]),
    // States.
    Profile(stateCounts: [1, 2], codes: [.inject, .inject, .several, .call]),
    Profile(kinds: [.void, .void, .plain], stateCounts: [1, 2, 2], places: [.inline], codes: [.inject]),
    // Full fields.
    Profile(
      nameCounts: [2, 3, 2, 4], kinds: [.void, .void, .plain], stateCounts: [0, 0, 1], reactionCounts: [1, 2, 3],
      inputCounts: [2, 2, 3, 1], places: [.inline, .inline, .pool], paddings: [18, 21, 24],
      codes: [.inject, .inject, .inject, .several], rests: [true]),
    Profile(
      nameCounts: [2, 3], beginsPaused: [false, true], paddings: [18, 21, 24],
      codes: [.inject, .inject, .several, .together, .callWithin, .clear, .resume, .stop, .restart]),
    // Calls.
    Profile(
      kinds: [.fast, .plain, .void], stateCounts: [0, 0, 1],
      codes: [.call, .inject, .inject, .callWithin, .callWithin, .callCancelled]),
    Profile(
      kinds: [.fast, .fast, .plain], stateCounts: [0], places: [.inline, .inline, .pool],
      codes: [.callWithin, .inject, .callCancelled]),
    Profile(
      nameCounts: [1, 1, 2], kinds: [.fast], stateCounts: [0], places: [.pool, .pool, .inline],
      codes: [.callWithin, .callWithin, .callCancelled]),
    // Soup.Control.
    Profile(
      nameCounts: [1, 2, 3], kinds: [.void, .plain, .object], stateCounts: [0],
      codes: [.inject, .inject, .inject, .inject, .inject, .delay, .stop], rests: [false]),
    Profile(codes: [.inject, .inject, .inject, .inject, .pause, .resume]),
    Profile(
      stateCounts: [0, 1],
      codes: [.inject, .inject, .inject, .inject, .inject, .several, .call, .stop, .restart, .restart]),
    Profile(
      nameCounts: [1, 2], kinds: [.void], stateCounts: [1], places: [.inline],
      codes: [.inject, .inject, .inject, .inject, .inject, .inject, .stop, .restart]),
    Profile(codes: [.inject, .inject, .inject, .inject, .clear, .callWithin, .snapshot]),
    Profile(
      nameCounts: [1, 2, 3], kinds: [.void, .plain, .object], stateCounts: [0, 1], beginsPaused: [true],
      codes: [.inject, .inject, .several, .clear, .snapshot]),
    // Several at once.
    Profile(
      kinds: [.void, .plain, .object], places: [.inline, .pool], beginsPaused: [false, true],
      paddings: [0, 0, 0, 0, 0, 18, 21, 24],
      codes: [.together, .together, .several, .inject, .snapshot, .resume, .delay, .delay]),
    Profile(
      kinds: [.void, .void, .plain], stateCounts: [0], places: [.inline], beginsPaused: [true],
      codes: [.together, .together, .several, .snapshot, .snapshot]),
    // The pool.
    Profile(stateCounts: [0, 1], places: [.pool], codes: [.inject, .inject, .several, .call, .delay]),
    Profile(stateCounts: [0, 1, 2], places: [.task, .inline], codes: [.inject, .inject, .several, .call]),
  ]
}

/// SplitMix64: a seed gives the same numbers everywhere.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
