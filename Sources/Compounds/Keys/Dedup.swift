public import Crucible

/// Tells whether a key comes for the first time, of all that came within some time.
///
/// ```swift
/// let seen = Dedup<String>(for: .seconds(600))
/// if try await seen.isFirst(message.id) { try await handle(message) }
/// ```
///
/// The definition. Each key has a mark, which a roll of all keys takes back:
///
/// ```
/// soup.react(state: mark, isFirst) { mark, call in if call.reply(mark.end <= now) { mark.end = now + time } }
/// soup.react(state: mark, forget) { mark, call in mark = Mark(); call.reply() }
/// soup.react(state: mark, asked) { mark, question in /* too old, or one too many: forget it */ }
/// ```
///
/// Of many callers that bring one key at the same time, exactly one is the first. A key that comes again does not
/// prolong its time. If a caller gives up, its key has not come.
///
/// A drain and a stop keep the keys. A restart begins without them.
///
/// - Complexity: O(1) on average. Callers of different keys do not wait for each other, but for moments.
public struct Dedup<Key: Hashable & Sendable>: Compound {
  /// Returns whether the key has not come within the time, and notes that it has come.
  public let isFirst: FastInjector<Key, Bool>
  /// Forgets a key: the next caller is its first.
  ///
  /// ```swift
  /// do { try await handle(message) } catch { try await seen.forget(message.id) }    // its next copy is a new trial
  /// ```
  public let forget: FastInjector<Key, Void>
  public let control: Soup.Control

  @usableFromInline
  struct Mark: Equatable {
    /// The time at which the key is new again. Nil: it is new.
    @usableFromInline var end: Duration?
    /// Whether the roll has the key.
    @usableFromInline var isListed = false

    @inlinable init(end: Duration? = nil, isListed: Bool = false) { (self.end, self.isListed) = (end, isListed) }
    @inlinable static func == (a: Mark, b: Mark) -> Bool { a.end == b.end && a.isListed == b.isListed }
  }

  /// Makes a compound that has not seen any key.
  ///
  /// - Parameters:
  ///   - time: how long a key is known, by the clock of the options.
  ///   - limit: the most keys, 1 or more. If there are more, the oldest is forgotten before its time.
  ///   - label: the name in messages.
  ///   - options: those of the soup.
  ///   - file: the caller's file.
  ///   - line: the caller's line.
  @inlinable
  public init(
    for time: Duration, limit: Int = 1_000_000, _ label: String = "dedup", options: Soup.Options = Soup.Options(),
    file: StaticString = #fileID, line: UInt = #line
  ) {
    let madeAt = MadeAt("dedup", label, file, line)
    madeAt.require("the limit", limit, in: 1...Int.max)
    if time <= .zero { madeAt.misuse("its time must be positive, not \(time)") }
    (isFirst, forget, control) = Soup.define(label, with: options, file: file, line: line) { soup in
      let isFirst = soup.fast("is first", of: Key.self, key: { $0 }, returning: Bool.self)
      let forget = soup.fast("forget", of: Key.self, key: { $0 }, returning: Void.self)
      let asked = soup.slow("asked", of: Roll<Key>.Question.self, key: { $0.key })
      let mark = soup.state("mark", key: Key.self, forget: .whenEqualToNew) { _ in Mark() }
      let list = Roll.declare(in: soup, limit: limit, keeping: time, asking: asked)
      let clock = soup.clock

      soup.react(state: mark, isFirst, on: .inline) { mark, call in
        let now = clock.now
        let isNew = mark.end.map { $0 <= now } ?? true
        if !call.reply(isNew) || !isNew { return }
        mark.end = now + time
        if !mark.isListed { mark.isListed = list(call.input) }
      }
      soup.react(state: mark, forget, on: .inline) { mark, call in
        mark.end = nil
        call.reply()
      }
      soup.react(state: mark, asked, on: .inline) { mark, question in
        let isKnown = mark.end.map { $0 > clock.now } ?? false
        mark = isKnown && !question.isTooMany && list(question.key) ? Mark(end: mark.end, isListed: true) : Mark()
      }
      return (isFirst, forget, soup.control)
    }
  }
}
