import CHarness
import Crucible
import Synchronization

// keyed-join-N: two names with keys, and one reaction over both, inline. In every round a thread injects both with the
// number of the round. Its key is that number, so that each key is used once, or the number modulo N. Beside it are
// dictionaries of waiting values, behind one mutex or 64.

private struct Item: Sendable {
  let key, value: Int
}

extension Case {
  static let keyedJoins = [
    ("fresh", "two names with keys, each of which is used once", nil),
    ("1000", "the same with a thousand keys", 1000), ("1", "the same with one key", 1),
  ].map { name, summary, keys in
    Case(
      "keyed-join-\(name)", summary, .inline, timesCalls: true, beside: [.swiftMutex, .swiftMutexes], keyedJoin(keys)
    ).only(.locked)
  }
}

/// Makes the case for keys that are used once, or for so many keys.
private func keyedJoin(_ keys: Int?) -> Opening {
  { (setting) throws(Wrong) in
    let keys = keys ?? .max
    if setting.strategy == .swiftMutex { return dictionaries(1, keys, setting) }
    if setting.strategy == .swiftMutexes { return dictionaries(64, keys, setting) }
    let (a, b, control) = Soup.define("keyed-join", with: setting.options) { soup in
      let a = soup.slow("a", of: Item.self, key: \.key)
      let b = soup.slow("b", of: Item.self, key: \.key)
      soup.react(a, b, on: .inline) { a, b in tally(a.value &+ b.value) }
      return (a, b, soup.control)
    }
    let job = Job(PutItems(keys: keys) { item, isLeft in _ = isLeft ? a(item) : b(item) })
    return inline(setting, job, control, valuesPerRound: 2)
  }
}

private struct PutItems<Put>: ThreadWork {
  let keys: Int
  let put: @Sendable (Item, Bool) -> Put

  init(keys: Int, _ put: @escaping @Sendable (Item, Bool) -> Put) {
    self.keys = keys
    self.put = put
  }

  func run<P: Probe>(_ share: Share, _ probe: inout P) {
    share.forEachRound { round in
      let item = Item(key: round % keys, value: round)
      probe.measure { _ = put(item, true) }
      probe.measure { _ = put(item, false) }
    }
  }
}

private func dictionaries(_ count: Int, _ keys: Int, _ setting: Setting) -> Contender {
  let tables = (0..<count).map { _ in WaitingValues() }
  let put: @Sendable (Item, Bool) -> Void = { item, isLeft in
    let place = (UInt(bitPattern: item.key) &* 0x9E37_79B9_7F4A_7C15) >> 58
    if let other = tables[Int(place) % tables.count].put(item, isLeft) { tally(item.value &+ other) }
  }
  return Contender { (rounds, recorders) throws(Wrong) in
    harness_tally_reset()
    let sample = setting.crew.run(Job(PutItems(keys: keys, put)), rounds: rounds, recorders: recorders)
    try Wrong.unlessTallied(Int(sample.rounds), sum: 2 &* sumOfNumbers(below: Int(sample.rounds)))
    try Wrong.unlessEqual("keys left over", expected: 0, found: tables.reduce(0) { $0 + $1.count })
    return sample
  }
}

private final class WaitingValues: Sendable {
  /// The values that wait, by key: all of the same side.
  private let waiting = Mutex([Int: (values: [Int], areLeft: Bool)]())

  var count: Int { waiting.withLock { $0.count } }

  /// Returns a value of the other side that waited. Otherwise stores the value.
  func put(_ item: Item, _ isLeft: Bool) -> Int? {
    waiting.withLock { waiting in
      guard waiting[item.key]?.areLeft == !isLeft else {
        waiting[item.key, default: ([], isLeft)].values.append(item.value)
        return nil
      }
      let other = waiting[item.key]!.values.removeLast()
      if waiting[item.key]!.values.isEmpty { waiting[item.key] = nil }
      return other
    }
  }
}
