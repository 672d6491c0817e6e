/// The strongly connected components of a graph. Nodes that reach each other are in the same component.
///
/// A depth-first search finds them without recursion. It has a stack of open nodes and one of their boundaries (Gabow,
/// "Path-based depth-first search for strong and biconnected components", 2000).
///
/// - Complexity: O(nodes + edges).
struct StrongComponents: Sendable {
  /// For each node, the number of its component. A component has a lower number than the components that reach it.
  private(set) var ofNode: [Int]
  private(set) var nodes: [[Int]] = []
  /// For each component, the other components to which an edge of its nodes leads, each once.
  private(set) var successors: [[Int]] = []

  init(of edges: [[Int]]) {
    ofNode = edges.map { _ in -1 }
    var order = edges.map { _ in -1 }
    var found = 0
    var open: [Int] = []
    var boundaries: [Int] = []
    var path: [(node: Int, nextEdge: Int)] = []

    func enter(_ node: Int) {
      order[node] = found
      found += 1
      open.append(node)
      boundaries.append(node)
      path.append((node, 0))
    }
    for root in edges.indices where order[root] < 0 {
      enter(root)
      while let (node, nextEdge) = path.last {
        if nextEdge < edges[node].count {
          path[path.count - 1].nextEdge += 1
          let next = edges[node][nextEdge]
          if order[next] < 0 {
            enter(next)
          } else if ofNode[next] < 0 {
            while order[boundaries.last!] > order[next] { boundaries.removeLast() }
          }
        } else {
          path.removeLast()
          guard boundaries.last == node else { continue }
          boundaries.removeLast()
          let first = open.lastIndex(of: node)!
          for member in open[first...] { ofNode[member] = nodes.count }
          nodes.append(open[first...].sorted())
          open.removeSubrange(first...)
        }
      }
    }
    successors = nodes.enumerated().map { component, members in
      Set(members.flatMap { edges[$0] }.map { ofNode[$0] }).subtracting([component]).sorted()
    }
  }
}

/// The components of a run that a signal can still reach.
///
/// The invariant: a component's count is the sum of two numbers. The first is the number of its dendrites that wait or
/// run. The second is the number of the components before it whose count is not 0. So a component whose count is 0 gets
/// no more signals.
struct Liveness {
  private var counts: [Int]
  private let successors: [[Int]]

  init(_ components: StrongComponents) {
    counts = components.successors.map { _ in 0 }
    successors = components.successors
  }

  /// The components that no signal can reach.
  var dead: [Int] { counts.indices.filter { counts[$0] == 0 } }

  /// Notes that a dendrite of the component waits.
  mutating func begin(_ component: Int) {
    var raised = [component]
    while let next = raised.popLast() {
      counts[next] += 1
      if counts[next] == 1 { raised += successors[next] }
    }
  }

  /// Notes that a dendrite of the component has ended.
  ///
  /// - Returns: the components that no signal can reach any more.
  mutating func end(_ component: Int) -> [Int] {
    var lowered = [component]
    var dead: [Int] = []
    while let next = lowered.popLast() {
      counts[next] -= 1
      if counts[next] == 0 {
        dead.append(next)
        lowered += successors[next]
      }
    }
    return dead
  }
}
