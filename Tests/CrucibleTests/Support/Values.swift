import CrucibleTestSupport

/// 64 cache lines: 4 KB.
struct Page: Sendable, Equatable {
  private var words: InlineArray<512, UInt64>

  init(filledWith word: UInt64) { words = .init(repeating: word) }

  static func == (a: Page, b: Page) -> Bool {
    withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { b in a.elementsEqual(b) } }
  }
}

/// One cache line: 64 bytes.
struct Line: Sendable, Equatable {
  var a, b, c, d, e, f, g, h: UInt64

  init(filledWith word: UInt64) { (a, b, c, d, e, f, g, h) = (word, word, word, word, word, word, word, word) }
}

/// A value that cannot be moved bit by bit, because the runtime knows the address of every weak reference.
struct Weak: @unchecked Sendable {
  private(set) weak var live: Live?
  let after = 1
  init(_ live: Live) { self.live = live }
}

/// A value that acts at its end.
final class AtItsEnd: Sendable {
  private let act: @Sendable () -> Void
  init(_ act: @escaping @Sendable () -> Void) { self.act = act }
  deinit { act() }
}

/// An error that bodies throw.
struct Boom: Error, Equatable {
  let number: Int
  init(_ number: Int) { self.number = number }
}
