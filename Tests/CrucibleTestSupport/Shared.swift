public import Crucible
import Synchronization

/// A count that many threads raise.
public final class Tally: Sendable {
  private let value = Atomic<Int>(0)

  public init() {}

  public var count: Int { value.load(ordering: .acquiring) }

  @discardableResult
  public func add(_ amount: Int = 1) -> Int { value.add(amount, ordering: .acquiringAndReleasing).newValue }

  /// Counts an error that a soup reports.
  public func report(_: ReactionError) { add() }
}

/// The elements that came in, in order, from any thread.
public final class Log<Element: Sendable>: Sendable {
  private let elements = Mutex<[Element]>([])

  public init() {}

  public var all: [Element] { elements.withLock { $0 } }
  public var count: Int { elements.withLock { $0.count } }
  public func append(_ element: Element) { elements.withLock { $0.append(element) } }

  /// Removes all elements and returns them, so that they end outside of the lock.
  public func takeAll() -> [Element] {
    elements.withLock { elements in
      defer { elements = [] }
      return elements
    }
  }
}

/// A value that threads hand to one another.
public final class Shared<Value: Sendable>: Sendable {
  private let content: Mutex<Value?>

  public init(_ value: Value?) { content = Mutex(value) }

  public var value: Value? { content.withLock { $0 } }
  public func put(_ value: Value) { content.withLock { $0 = value } }

  /// Leaves nothing behind. What goes with the value goes outside of the lock.
  public func take() -> Value? {
    content.withLock { content in
      defer { content = nil }
      return content
    }
  }
}
