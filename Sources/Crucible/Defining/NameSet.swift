/// A set of names of one soup, by their numbers. It has a bit for each of 256 names, and allocates nothing.
struct NameSet: Hashable {
  private var words = SIMD4<UInt64>()

  init() {}

  init(_ names: some Sequence<Int>) {
    for name in names { insert(name) }
  }

  private init(_ words: SIMD4<UInt64>) { self.words = words }

  var isEmpty: Bool { words == .zero }

  func contains(_ name: Int) -> Bool { words[name / 64] & 1 << (name % 64) != 0 }

  mutating func insert(_ name: Int) { words[name / 64] |= 1 << (name % 64) }

  func isSubset(of other: NameSet) -> Bool { subtracting(other).isEmpty }
  func isDisjoint(with other: NameSet) -> Bool { intersection(other).isEmpty }
  func intersection(_ other: NameSet) -> NameSet { NameSet(words & other.words) }
  func subtracting(_ other: NameSet) -> NameSet { NameSet(words & ~other.words) }
  mutating func formUnion(_ other: NameSet) { words |= other.words }
}

extension NameSet: Sequence {
  /// The numbers, the lowest first.
  func makeIterator() -> UnfoldSequence<Int, SIMD4<UInt64>> {
    sequence(state: words) { rest in
      guard let word = rest.indices.first(where: { rest[$0] != 0 }) else { return nil }
      defer { rest[word] &= rest[word] - 1 }
      return word * 64 + rest[word].trailingZeroBitCount
    }
  }
}
