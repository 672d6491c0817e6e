/// The chemistry as a net, and the markings that the net can reach. Its places are names, and its transitions are
/// reactions with an outcome. The search makes a tree of markings after Karp and Miller, "Parallel program schemata"
/// (JCSS 1969).
///
/// If a marking covers an earlier one on its path, a count that grew between them can grow for ever, and becomes
/// `endless`. A count that is not endless is exact: some sequence of firings reaches it.
struct Coverability {
  typealias Marking = [UInt32]
  static let endless = UInt32.max

  struct Transition {
    let reaction: Int
    let needed: [(name: Int, count: UInt32)]
    let given: [(name: Int, count: UInt32)]
  }

  struct Node {
    let marking: Marking
    let parent: Int?
    /// The number of the transition that leads here.
    let by: Int?
  }

  let transitions: [Transition]
  /// The names that have at most one molecule.
  private let once: NameSet
  private(set) var nodes: [Node] = []
  /// Whether there were at most `limit` markings.
  private(set) var isComplete = true
  /// The names that became endless, each with the firings that repeat.
  private(set) var growing: [(name: Int, by: [Int])] = []

  init(_ transitions: [Transition], from first: Marking, once: NameSet, limit: Int) {
    self.transitions = transitions
    self.once = once
    nodes = [Node(marking: first, parent: nil, by: nil)]
    var seen: Set<Marking> = [first]
    var next = 0
    while next < nodes.count {
      for index in transitions.indices {
        guard var marking = fire(transitions[index], in: nodes[next].marking) else { continue }
        accelerate(&marking, after: index, at: next)
        if !seen.insert(marking).inserted { continue }
        if nodes.count == limit {
          isComplete = false
          return
        }
        nodes.append(Node(marking: marking, parent: next, by: index))
      }
      next += 1
    }
  }

  private func fire(_ transition: Transition, in marking: Marking) -> Marking? {
    for (name, count) in transition.needed where marking[name] < count { return nil }
    var result = marking
    for (name, count) in transition.needed where result[name] != Self.endless { result[name] -= count }
    for (name, count) in transition.given where result[name] != Self.endless {
      result[name] = once.contains(name) ? 1 : result[name] + count
    }
    return result
  }

  /// Makes those counts endless that grew since an earlier marking on the path, if this marking covers it.
  private mutating func accelerate(_ marking: inout Marking, after transition: Int, at node: Int) {
    var ancestor: Int? = node
    var path = [transition]
    while let index = ancestor {
      let other = nodes[index].marking
      if zip(other, marking).allSatisfy({ $0 <= $1 }) {
        for name in marking.indices where other[name] < marking[name] && marking[name] != Self.endless {
          marking[name] = Self.endless
          if !growing.contains(where: { $0.name == name }) { growing.append((name, path.reversed())) }
        }
      }
      if let by = nodes[index].by { path.append(by) }
      ancestor = nodes[index].parent
    }
  }

  /// The transitions that some marking enables.
  var fired: Set<Int> {
    Set(transitions.indices.filter { index in nodes.contains { fire(transitions[index], in: $0.marking) != nil } })
  }

  /// Returns the transitions that lead to a marking.
  func path(to node: Int) -> [Int] {
    var path: [Int] = []
    var at = node
    while let by = nodes[at].by {
      path.append(by)
      at = nodes[at].parent!
    }
    return path.reversed()
  }
}
