/// The siphons of a net. A siphon is a set of names that only reactions fill which also need one of them: once it is
/// empty, it stays empty. A trap is a set from which no reaction takes without giving: once it is not empty, it never
/// is. (Commoner's property: a net all of whose siphons have a marked trap has no deadlock.)
struct Siphons {
  /// Each as a mask of names. None is a part of another.
  private(set) var minimal: [UInt64] = []
  private(set) var isComplete = true

  private let steps: [(needed: UInt64, given: UInt64)]
  private let allowed: UInt64
  private var left = 20_000

  /// - Parameter allowed: the names that nothing else than these transitions fills.
  init(_ transitions: [Coverability.Transition], within allowed: UInt64) {
    steps = transitions.map { (mask($0.needed), mask($0.given)) }
    self.allowed = allowed
    for name in 0..<64 where allowed & 1 << name != 0 { grow(1 << name) }
    minimal = minimal.filter { siphon in !minimal.contains { $0 != siphon && $0 & ~siphon == 0 } }
  }

  /// Adds names until each reaction that fills the set needs one of it: one branch for each name that could do.
  private mutating func grow(_ names: UInt64) {
    if minimal.contains(where: { $0 & ~names == 0 }) { return }
    if left == 0 {
      isComplete = false
      return
    }
    left -= 1
    guard let step = steps.first(where: { $0.given & names != 0 && $0.needed & names == 0 }) else {
      minimal.append(names)
      return
    }
    for name in 0..<64 where step.needed & allowed & 1 << name != 0 { grow(names | 1 << name) }
  }

  /// The largest trap within a set.
  func trap(within names: UInt64) -> UInt64 {
    var trap = names
    while let leak = steps.first(where: { $0.needed & trap != 0 && $0.given & trap == 0 }) { trap &= ~leak.needed }
    return trap
  }
}

private func mask(_ names: [(name: Int, count: UInt32)]) -> UInt64 { names.reduce(0) { $0 | 1 << $1.name } }
