import Crucible
import Synchronization

/// Keeps book of numbered calls on both sides, their callers' and their bodies': the two have to agree.
public final class CallBook: @unchecked Sendable {
  /// How many calls have ended in which way.
  public struct Balance: Sendable {
    /// The caller got the value of the only body that had the call, which was told so.
    public var delivered = 0
    /// The caller got an error, and no body had the call.
    public var withdrawn = 0
    /// The caller got an error, and the only body that had the call was told so.
    public var refused = 0
    /// The numbers of the first ten calls that ended in any other way.
    public var wrong: [Int] = []
  }

  private let count: Int
  private let entries: UnsafeMutablePointer<Atomic<UInt64>>
  private let refused = Tally()
  private let delivered = Tally()
  private let timedOut = Tally()
  private let cancelled = Tally()

  /// For calls 0 ..< `count` at most.
  public init(count: Int) {
    self.count = count
    entries = .allocate(capacity: count)
    for index in 0..<count { (entries + index).initialize(to: Atomic(0)) }
  }

  deinit {
    entries.deinitialize(count: count)
    entries.deallocate()
  }

  /// Bodies that were told that their callers get the replies.
  public var deliveries: Int { delivered.count }
  /// Bodies that were told that nobody gets their replies.
  public var refusals: Int { refused.count }
  /// Callers that got ``CallError/timedOut``.
  public var timeouts: Int { timedOut.count }
  /// Callers that got ``CallError/cancelled``.
  public var cancellations: Int { cancelled.count }

  /// The right reply to a number.
  public static func reply(to number: Int) -> Int { ~number }

  /// A body has replied, and was told whether the caller gets it.
  public func replied(to number: Int, isDelivered: Bool) {
    (isDelivered ? delivered : refused).add()
    add(isDelivered ? Mark.consumed + Mark.delivered : Mark.consumed, to: number)
  }

  /// A caller has come back. Only these errors are in order.
  public func ended(_ number: Int, _ outcome: Result<Live, CallError>, allowing errors: [CallError]) {
    switch outcome {
    case .success(let value):
      add(value.number == CallBook.reply(to: number) ? Mark.value : Mark.wrong, to: number)
    case .failure(let error):
      add(errors.contains(error) ? Mark.error : Mark.wrong, to: number)
      if error == .timedOut { timedOut.add() }
      if error == .cancelled { cancelled.add() }
    }
  }

  /// Returns the balance of calls 0 ..< `issued`. Requires: all callers have come back and all bodies have ended.
  public func balance(of issued: Int) -> Balance {
    var balance = Balance()
    for number in 0..<issued {
      switch entries[number].load(ordering: .acquiring) {
      case Mark.consumed + Mark.delivered + Mark.value: balance.delivered += 1
      case Mark.error: balance.withdrawn += 1
      case Mark.consumed + Mark.error: balance.refused += 1
      default: if balance.wrong.count < 10 { balance.wrong.append(number) }
      }
    }
    return balance
  }

  private func add(_ mark: UInt64, to number: Int) { entries[number].add(mark, ordering: .acquiringAndReleasing) }

  /// Added up for each call; a byte for each, so that what happens twice shows.
  private enum Mark {
    static let consumed: UInt64 = 1
    static let delivered: UInt64 = 1 << 8
    static let value: UInt64 = 1 << 16
    static let error: UInt64 = 1 << 24
    static let wrong: UInt64 = 1 << 32
  }
}
