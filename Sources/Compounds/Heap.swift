/// Elements with times, of which the earliest is first. Changes are O(log n).
@usableFromInline
struct Heap<Element> {
  @usableFromInline var nodes: [(time: Duration, element: Element)] = []

  @inlinable var first: (time: Duration, element: Element)? { nodes.first }

  @inlinable
  mutating func insert(_ element: Element, at time: Duration) {
    nodes.append((time, element))
    var child = nodes.count - 1
    while child > 0 && nodes[child].time < nodes[(child - 1) / 2].time {
      nodes.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  /// Removes the first element. Requires: there is one.
  @inlinable
  mutating func removeFirst() {
    nodes.swapAt(0, nodes.count - 1)
    nodes.removeLast()
    var parent = 0
    while 2 * parent + 1 < nodes.count {
      var child = 2 * parent + 1
      if child + 1 < nodes.count && nodes[child + 1].time < nodes[child].time { child += 1 }
      if nodes[parent].time <= nodes[child].time { return }
      nodes.swapAt(parent, child)
      parent = child
    }
  }
}
