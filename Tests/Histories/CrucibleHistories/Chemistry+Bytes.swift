/// The layout of a chemistry in bytes, said once for both directions: any bytes make a chemistry, what is missing is 0,
/// and what was written is read back as it was. Tables say what is likelier: a value that stands in one more than once
/// is drawn more often.
extension Chemistry {
  public init(bytes: some Collection<UInt8>) {
    var codec = Codec(reading: Array(bytes))
    codec.visit(&self)
    normalize()
  }

  /// Random bytes of a seed.
  public init(seed: UInt64) {
    var random = Seeded(seed)
    self.init(bytes: (0..<1024).map { _ in UInt8.random(in: 0...255, using: &random) })
  }

  public var bytes: [UInt8] {
    var codec = Codec(reading: nil)
    var copy = self
    codec.visit(&copy)
    return codec.bytes
  }
}

private struct Codec {
  private(set) var bytes: [UInt8] = []
  private var position = 0
  private let isReading: Bool

  init(reading bytes: [UInt8]?) {
    self.bytes = bytes ?? []
    isReading = bytes != nil
  }

  private mutating func byte(_ written: Int) -> Int {
    if !isReading {
      bytes.append(UInt8(written))
      return written
    }
    defer { position += 1 }
    return position < bytes.count ? Int(bytes[position]) : 0
  }

  private mutating func number(_ value: inout Int, below bound: Int) { value = byte(value) % bound }

  private mutating func choice<Value: Equatable>(_ value: inout Value, among table: [Value]) {
    let index = table.firstIndex(of: value)
    value = table[byte(index ?? 0) % table.count]
  }

  /// The count comes first.
  private mutating func list<Element>(
    _ values: inout [Element], counts: [Int], of element: Element, _ visit: (inout Codec, inout Element) -> Void
  ) {
    var count = values.count
    choice(&count, among: counts)
    if isReading { values = Array(repeating: element, count: count) }
    for index in values.indices { visit(&self, &values[index]) }
  }

  mutating func visit(_ chemistry: inout Chemistry) {
    // Which kinds and operations there are at all: races of few things show more than a little of everything.
    var profile = 0
    number(&profile, below: Profile.all.count)
    if !isReading { profile = 0 }
    let allowed = Profile.all[profile]
    list(&chemistry.kinds, counts: allowed.nameCounts, of: .void) { $0.choice(&$1, among: allowed.kinds) }
    choice(&chemistry.stateCount, among: allowed.stateCounts)
    let names = max(chemistry.kinds.count, 1)
    let states = chemistry.stateCount
    list(&chemistry.reactions, counts: allowed.reactionCounts, of: .init()) { codec, reaction in
      codec.list(&reaction.pattern, counts: allowed.inputCounts, of: 0) { $0.number(&$1, below: names) }
      var mask = reaction.states.reduce(0) { $0 | 1 << $1 }
      codec.choice(&mask, among: allowed.stateMasks)
      if codec.isReading { reaction.states = (0..<states).filter { mask & 1 << $0 != 0 } }
      codec.choice(&reaction.place, among: allowed.places)
      codec.choice(&reaction.ending, among: [.reply, .reply, .reply, .reply, .drop, .fail])
      codec.list(&reaction.products, counts: allowed.productCounts, of: 0) { $0.number(&$1, below: names) }
    }
    choice(&chemistry.beginsPaused, among: allowed.beginsPaused)
    choice(&chemistry.padding, among: allowed.paddings)
    list(&chemistry.scripts, counts: [8, 8, 8, 8, 4, 3, 2, 7, 6, 5, 1], of: []) { codec, script in
      codec.list(&script, counts: allowed.operationCounts, of: .init()) { codec, operation in
        codec.choice(&operation.code, among: allowed.codes)
        codec.number(&operation.name, below: names)
        codec.number(&operation.amount, below: 8)
      }
    }
    choice(&chemistry.rounds, among: allowed.rounds)
    choice(&chemistry.rests, among: allowed.rests)
    number(&chemistry.seed, below: 256)
  }
}

/// The parts from which a chemistry is made. The first profile has everything, so that all there is can be written as
/// of it.
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
  var beginsPaused = [false, true]
  var paddings = [0, 0, 0, 0, 0, 18, 21, 24]
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
    places: [.inline], beginsPaused: [false], paddings: [21, 24], operationCounts: [1, 1, 2], codes: [.inject],
    rounds: [64, 32, 16], rests: [true])

  /// A molecule that a body adds waits until the body gives its states back. Each of these then enables something.
  private static let states = Profile(
    nameCounts: [2, 3, 4], kinds: [.void, .plain], stateCounts: [2], reactionCounts: [3, 4, 5, 6],
    inputCounts: [1, 1, 2], places: [.inline, .inline, .pool, .task], stateMasks: [3, 1, 2],
    productCounts: [2, 1, 0, 2], beginsPaused: [false], paddings: [0], codes: [.inject], rests: [true])

  /// Soups that are stopped while others are on their way into them, and looked at before they run again.
  private static let stops = Profile(
    nameCounts: [1, 2, 3], kinds: [.void, .plain, .object], stateCounts: [0], beginsPaused: [false], paddings: [0],
    codes: [.inject, .inject, .inject, .inject, .inject, .delay, .stop, .restart], rests: [true])

  private static let single: [Profile] = [
    Profile(),
    // Joins.
    Profile(
      stateCounts: [0], places: [.inline, .inline, .pool], beginsPaused: [false], paddings: [0],
      codes: [.inject, .inject, .several]),
    Profile(
      kinds: [.plain, .object], stateCounts: [0], places: [.inline], beginsPaused: [false], paddings: [0],
      codes: [.inject]),
    Profile(
      nameCounts: [1, 1, 2], kinds: [.plain, .object], stateCounts: [0], places: [.inline], beginsPaused: [false],
      paddings: [0],
      codes: [.inject, .inject, .several]),
    Profile(
      nameCounts: [1], kinds: [.plain, .object], stateCounts: [0], reactionCounts: [1, 2, 1, 3],
      inputCounts: [2, 2, 3, 1, 4], places: [.inline], beginsPaused: [false], paddings: [0], codes: [.inject]),
    // States.
    Profile(stateCounts: [1, 2], beginsPaused: [false], paddings: [0], codes: [.inject, .inject, .several, .call]),
    Profile(
      kinds: [.void, .void, .plain], stateCounts: [1, 2, 2], places: [.inline], beginsPaused: [false], paddings: [0],
      codes: [.inject]),
    // Full fields.
    Profile(
      nameCounts: [2, 3, 2, 4], kinds: [.void, .void, .plain], stateCounts: [0, 0, 1], reactionCounts: [1, 2, 3],
      inputCounts: [2, 2, 3, 1], places: [.inline, .inline, .pool], beginsPaused: [false], paddings: [18, 21, 24],
      codes: [.inject, .inject, .inject, .several], rests: [true]),
    Profile(
      nameCounts: [2, 3], paddings: [18, 21, 24],
      codes: [.inject, .inject, .several, .together, .callWithin, .clear, .resume, .stop, .restart]),
    // Calls.
    Profile(
      kinds: [.fast, .plain, .void], stateCounts: [0, 0, 1], beginsPaused: [false], paddings: [0],
      codes: [.call, .inject, .inject, .callWithin, .callWithin, .callCancelled]),
    Profile(
      kinds: [.fast, .fast, .plain], stateCounts: [0], places: [.inline, .inline, .pool], beginsPaused: [false],
      paddings: [0],
      codes: [.callWithin, .inject, .callCancelled]),
    Profile(
      nameCounts: [1, 1, 2], kinds: [.fast], stateCounts: [0], places: [.pool, .pool, .inline], beginsPaused: [false],
      paddings: [0],
      codes: [.callWithin, .callWithin, .callCancelled]),
    // Soup.Control.
    Profile(
      nameCounts: [1, 2, 3], kinds: [.void, .plain, .object], stateCounts: [0], beginsPaused: [false], paddings: [0],
      codes: [.inject, .inject, .inject, .inject, .inject, .delay, .stop], rests: [false]),
    Profile(beginsPaused: [false], paddings: [0], codes: [.inject, .inject, .inject, .inject, .pause, .resume]),
    Profile(
      stateCounts: [0, 1], beginsPaused: [false], paddings: [0],
      codes: [.inject, .inject, .inject, .inject, .inject, .several, .call, .stop, .restart, .restart]),
    Profile(
      nameCounts: [1, 2], kinds: [.void], stateCounts: [1], places: [.inline], beginsPaused: [false], paddings: [0],
      codes: [.inject, .inject, .inject, .inject, .inject, .inject, .stop, .restart]),
    Profile(
      beginsPaused: [false], paddings: [0],
      codes: [.inject, .inject, .inject, .inject, .clear, .callWithin, .snapshot]),
    Profile(
      nameCounts: [1, 2, 3], kinds: [.void, .plain, .object], stateCounts: [0, 1], beginsPaused: [true], paddings: [0],
      codes: [.inject, .inject, .several, .clear, .snapshot]),
    // Several at once.
    Profile(
      kinds: [.void, .plain, .object], places: [.inline, .pool],
      codes: [.together, .together, .several, .inject, .snapshot, .resume, .delay, .delay]),
    Profile(
      kinds: [.void, .void, .plain], stateCounts: [0], places: [.inline], beginsPaused: [true], paddings: [0],
      codes: [.together, .together, .several, .snapshot, .snapshot]),
    // The pool.
    Profile(
      stateCounts: [0, 1], places: [.pool], beginsPaused: [false], paddings: [0],
      codes: [.inject, .inject, .several, .call, .delay]),
    Profile(
      stateCounts: [0, 1, 2], places: [.task, .inline], beginsPaused: [false], paddings: [0],
      codes: [.inject, .inject, .several, .call]),
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
