/// A set of names of one soup, by their numbers. It has a bit for each of 256 names, and allocates nothing.
struct NameSet: Hashable {
  private var a: UInt64 = 0
  private var b: UInt64 = 0
  private var c: UInt64 = 0
  private var d: UInt64 = 0

  /// An empty set.
  init() {}

  init(_ names: some Sequence<Int>) {
    for name in names { insert(name) }
  }

  private subscript(word: Int) -> UInt64 {
    get {
      switch word {
      case 0: a
      case 1: b
      case 2: c
      default: d
      }
    }
    set {
      switch word {
      case 0: a = newValue
      case 1: b = newValue
      case 2: c = newValue
      default: d = newValue
      }
    }
  }

  var isEmpty: Bool { a | b | c | d == 0 }

  func contains(_ name: Int) -> Bool { self[name / 64] & 1 << (name % 64) != 0 }

  mutating func insert(_ name: Int) {
    precondition(name < 256)
    self[name / 64] |= 1 << (name % 64)
  }

  func inserting(_ name: Int) -> NameSet {
    var set = self
    set.insert(name)
    return set
  }

  func isSubset(of other: NameSet) -> Bool { subtracting(other).isEmpty }
  func isDisjoint(with other: NameSet) -> Bool { intersection(other).isEmpty }

  func union(_ other: NameSet) -> NameSet {
    NameSet(a: a | other.a, b: b | other.b, c: c | other.c, d: d | other.d)
  }

  func intersection(_ other: NameSet) -> NameSet {
    NameSet(a: a & other.a, b: b & other.b, c: c & other.c, d: d & other.d)
  }

  func subtracting(_ other: NameSet) -> NameSet {
    NameSet(a: a & ~other.a, b: b & ~other.b, c: c & ~other.c, d: d & ~other.d)
  }

  mutating func formUnion(_ other: NameSet) { self = union(other) }
  mutating func subtract(_ other: NameSet) { self = subtracting(other) }

  private init(a: UInt64, b: UInt64, c: UInt64, d: UInt64) {
    (self.a, self.b, self.c, self.d) = (a, b, c, d)
  }
}

extension NameSet: Sequence {
  /// The numbers, the lowest first.
  struct Iterator: IteratorProtocol {
    fileprivate var rest: NameSet
    fileprivate var word = 0

    mutating func next() -> Int? {
      while word < 4 {
        let bits = rest[word]
        if bits != 0 {
          rest[word] = bits & (bits - 1)
          return word * 64 + bits.trailingZeroBitCount
        }
        word += 1
      }
      return nil
    }
  }

  func makeIterator() -> Iterator { Iterator(rest: self) }
}
