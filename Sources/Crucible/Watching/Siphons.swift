/// The siphons of a net. A siphon is a set of names that only reactions fill which also need one of them: once it is
/// empty, it stays empty. A trap is a set from which no reaction takes without giving: once it is not empty, it never
/// is. (Commoner's property: a net all of whose siphons have a marked trap has no deadlock.)
struct Siphons {
  /// None is a part of another.
  private(set) var minimal: [NameSet] = []
  private(set) var isComplete = true

  private let steps: [(needed: NameSet, given: NameSet)]
  private let allowed: NameSet
  private var left = 20_000

  /// - Parameter allowed: the names that nothing else than these transitions fills.
  init(_ transitions: [Coverability.Transition], within allowed: NameSet) {
    steps = transitions.map { (NameSet($0.needed.map(\.name)), NameSet($0.given.map(\.name))) }
    self.allowed = allowed
    for name in allowed { grow(NameSet([name])) }
    minimal = minimal.filter { siphon in !minimal.contains { $0 != siphon && $0.isSubset(of: siphon) } }
  }

  /// Adds names until each reaction that fills the set needs one of it: one branch for each name that could do.
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

  /// The largest trap within a set.
  func trap(within names: NameSet) -> NameSet {
    var trap = names
    while let leak = steps.first(where: { !$0.needed.isDisjoint(with: trap) && $0.given.isDisjoint(with: trap) }) {
      trap.subtract(leak.needed)
    }
    return trap
  }
}
