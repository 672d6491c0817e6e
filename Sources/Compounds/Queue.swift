/// Elements in the order of their arrival.
///
/// - Complexity: each operation O(1), amortised.
@usableFromInline
struct Queue<Element> {
  // Elements before `head` have been removed.
  @usableFromInline var elements: [Element?] = []
  @usableFromInline var head = 0

  @inlinable init() {}

  @inlinable var count: Int { elements.count - head }
  @inlinable var isEmpty: Bool { count == 0 }
  /// The oldest element. Requires: the queue is not empty.
  @inlinable var first: Element { elements[head]! }

  @inlinable
  mutating func append(_ element: Element) { elements.append(element) }

  /// Removes the oldest element. Requires: the queue is not empty.
  @inlinable
  mutating func removeFirst() {
    elements[head] = nil
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: true)
      head = 0
    } else if head >= 32 && head > elements.count / 2 {
      elements.removeFirst(head)
      head = 0
    }
  }

  /// Removes all elements.
  @inlinable
  mutating func removeAll() {
    elements.removeAll(keepingCapacity: true)
    head = 0
  }

  @inlinable var all: [Element] { elements[head...].map { $0! } }
}
