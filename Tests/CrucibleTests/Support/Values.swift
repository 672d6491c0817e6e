import CrucibleTestSupport

/// 64 cache lines: 4 KB.
struct Page: Sendable, Equatable {
  private var quarters: (Quarter, Quarter, Quarter, Quarter)

  init(filledWith word: UInt64) {
    let quarter = Quarter(filledWith: word)
    quarters = (quarter, quarter, quarter, quarter)
  }

  static func == (a: Page, b: Page) -> Bool {
    a.quarters.0 == b.quarters.0 && a.quarters.1 == b.quarters.1 && a.quarters.2 == b.quarters.2
      && a.quarters.3 == b.quarters.3
  }

  private struct Quarter: Sendable, Equatable {
    var lines: (Line, Line, Line, Line, Line, Line, Line, Line, Line, Line, Line, Line, Line, Line, Line, Line)

    init(filledWith word: UInt64) {
      let line = Line(filledWith: word)
      lines = (line, line, line, line, line, line, line, line, line, line, line, line, line, line, line, line)
    }

    static func == (a: Quarter, b: Quarter) -> Bool {
      withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { b in a.elementsEqual(b) } }
    }
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
