public import Crucible

/// The keys that a compound holds, in the order in which they came: at most a number of them, each for a time at most.
///
/// A key whose time is over leaves the roll, and so does the oldest one if there are too many. Then the roll asks the
/// compound, which forgets the key or adds it again.
@usableFromInline
struct Roll<Key: Sendable> {
  @usableFromInline
  struct Question: Sendable {
    @usableFromInline let key: Key
    /// Whether the key left because there are too many. Otherwise its time is over.
    @usableFromInline let isTooMany: Bool

    @inlinable init(key: Key, isTooMany: Bool) { (self.key, self.isTooMany) = (key, isTooMany) }
  }

  @usableFromInline var keys = Queue<(key: Key, end: Duration)>()
  @usableFromInline var timer: Soup.Timer?

  @inlinable init() {}

  /// Declares a roll in a soup. Returns the name that adds a key. Requires: a key is added only once before the roll
  /// asks for it.
  @inlinable
  static func declare(
    in soup: Soup, limit: Int, keeping time: Duration?, asking ask: Injector<Question>
  ) -> Injector<Key> {
    let add = soup.slow("add", of: Key.self)
    let over = soup.slow("over")
    let roll = soup.state("roll") { Roll() }
    let clock = soup.clock
    soup.react(state: roll, add, on: .inline) { roll, key in
      roll.keys.append((key, time.map { clock.now + $0 } ?? .zero))
      if roll.keys.count > limit { ask(Question(key: roll.keys.takeFirst().key, isTooMany: true)) }
      if let time, roll.timer == nil { roll.timer = over.after(time) }
    }
    soup.react(state: roll, over, on: .inline) { roll, _ in
      let now = clock.now
      while !roll.keys.isEmpty && roll.keys.first.end <= now {
        ask(Question(key: roll.keys.takeFirst().key, isTooMany: false))
      }
      roll.timer = roll.keys.isEmpty ? nil : over.after(roll.keys.first.end - now)
    }
    return add
  }
}

extension Queue {
  /// Removes the oldest element, and returns it. Requires: the queue is not empty.
  @inlinable mutating func takeFirst() -> Element {
    defer { removeFirst() }
    return first
  }
}
