import Synchronization

/// Counts the living among the objects it has made: back at zero, nothing has leaked and nothing was destroyed twice.
public final class Census: Sendable {
  private let living = Atomic<Int>(0)
  private let made = Atomic<Int>(0)

  public init() {}

  public var alive: Int { living.load(ordering: .acquiring) }
  public var born: Int { made.load(ordering: .acquiring) }

  public func live(_ number: Int = 0) -> Live { Live(number, self) }

  fileprivate func birth() {
    living.add(1, ordering: .acquiringAndReleasing)
    made.add(1, ordering: .acquiringAndReleasing)
  }

  fileprivate func death() { living.subtract(1, ordering: .acquiringAndReleasing) }
}

/// A value that is missed when it is gone: each copy of the reference keeps one instance counted.
public final class Live: Sendable, Equatable {
  public let number: Int
  private let census: Census

  fileprivate init(_ number: Int, _ census: Census) {
    self.number = number
    self.census = census
    census.birth()
  }

  deinit { census.death() }

  public static func == (a: Live, b: Live) -> Bool { a.number == b.number }
}
