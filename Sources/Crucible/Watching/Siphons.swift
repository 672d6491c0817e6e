/// The siphons of a net. A siphon is a set of names such that every reaction that adds to it also takes from it. Once a
/// siphon is empty, it stays empty. A trap is a set such that every reaction that takes from it also adds to it. Once a
/// trap is not empty, it stays so. Commoner's property: if every siphon contains a marked trap, the net has no
/// deadlock.
struct Siphons {
  /// The siphons, none of which contains another.
  private(set) var minimal: [NameSet] = []
  private(set) var isComplete = true

  private let steps: [(needed: NameSet, given: NameSet)]
  private let allowed: NameSet
  private var left = 20_000

  /// - Parameter allowed: the names that only these transitions fill.
  init(_ transitions: [Coverability.Transition], within allowed: NameSet) {
    steps = transitions.map { (NameSet($0.needed.map(\.name)), NameSet($0.given.map(\.name))) }
    self.allowed = allowed
    for name in allowed { grow(NameSet([name])) }
    minimal = minimal.filter { siphon in !minimal.contains { $0 != siphon && $0.isSubset(of: siphon) } }
  }

  /// Adds names until each reaction that fills the set also needs one of its names. Each name that could serve makes a
  /// branch.
  private mutating func grow(_ names: NameSet) {
    if minimal.contains(where: { $0.isSubset(of: names) }) { return }
    if left == 0 {
      isComplete = false
      return
    }
    left -= 1
    guard let step = steps.first(where: { !$0.given.isDisjoint(with: names) && $0.needed.isDisjoint(with: names) })
    else {
      minimal.append(names)
      return
    }
    for name in step.needed.intersection(allowed) { grow(names.inserting(name)) }
  }

  /// Returns the largest trap within a set.
  func trap(within names: NameSet) -> NameSet {
    var trap = names
    while let leak = steps.first(where: { !$0.needed.isDisjoint(with: trap) && $0.given.isDisjoint(with: trap) }) {
      trap.subtract(leak.needed)
    }
    return trap
  }
}
