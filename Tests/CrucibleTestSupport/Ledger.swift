import Glibc
import Synchronization

/// Gives out unique numbers for payloads, and keeps book of their consumption.
public final class Ledger: @unchecked Sendable {
  private let capacity: Int
  private let entries: UnsafeMutablePointer<Atomic<Int>>
  private let next = Atomic<Int>(0)

  /// At most `capacity` numbers.
  public init(capacity: Int) {
    self.capacity = capacity
    entries = .allocate(capacity: capacity)
    for index in 0..<capacity { (entries + index).initialize(to: Atomic(0)) }
  }

  deinit {
    Checked.inAll.add(issued)
    entries.deinitialize(count: capacity)
    entries.deallocate()
  }

  /// A number that nobody else has; nil when all have been given out.
  public func issue() -> Int? {
    let number = next.add(1, ordering: .relaxed).oldValue
    return number < capacity ? number : nil
  }

  public func consume(_ number: Int) { entries[number].add(1, ordering: .relaxed) }

  public var issued: Int { min(next.load(ordering: .acquiring), capacity) }
  public var consumed: Int { count { $0 > 0 } }
  /// Numbers that were consumed more than once.
  public var duplicates: Int { count { $0 > 1 } }
  /// Numbers that were issued and are not consumed.
  public var outstanding: Int { issued - consumed }

  private func count(_ predicate: (Int) -> Bool) -> Int {
    (0..<issued).reduce(0) { predicate(entries[$1].load(ordering: .acquiring)) ? $0 + 1 : $0 }
  }
}

/// How many molecules the ledgers of this process have kept book of; told when it ends.
private final class Checked: Sendable {
  static let inAll = Checked()
  private let molecules = Atomic<Int>(0)

  private init() {
    atexit { print("checked \(Checked.inAll.molecules.load(ordering: .acquiring)) molecules") }
  }

  func add(_ count: Int) { molecules.add(count, ordering: .releasing) }
}
