/// How many connections a pool keeps, for how long, and how many callers may wait for them.
///
/// ```swift
/// let policy = ConnectionPolicy(minimum: 2, dials: 4, waiting: 1_000, idle: .seconds(60), life: .seconds(3600))
/// ```
///
/// Without arguments there are no such limits. All times go by the clock of the pool's options.
public struct ConnectionPolicy: Sendable, Hashable {
  /// The number of connections that the pool keeps open although no caller needs them.
  public var minimum: Int
  /// The most connections that are being made at a time.
  public var dials: Int
  /// The most callers that wait at a time, those for whom a connection is being made included. A call beyond it ends
  /// with ``TooManyWaiting``.
  public var waiting: Int
  /// The time after its last use at which an idle connection is closed, if more than ``minimum`` are open.
  public var idle: Duration?
  /// The age at which a connection is closed. A connection in use is closed when it comes back.
  public var life: Duration?
  /// The time after which an idle connection is checked, by the `check` of the pool. With zero it is checked before
  /// each use, while its caller waits.
  public var keepAlive: Duration
  /// The pause after a connection to keep the minimum could not be made. It doubles from the lower to the upper bound.
  /// Connections for callers are made without a pause.
  public var backoff: ClosedRange<Duration>

  /// Makes a policy. Each argument that is left out sets no limit.
  ///
  /// - Complexity: O(1).
  public init(
    minimum: Int = 0, dials: Int = .max, waiting: Int = .max, idle: Duration? = nil, life: Duration? = nil,
    keepAlive: Duration = .seconds(30), backoff: ClosedRange<Duration> = .milliseconds(100)...(.seconds(30))
  ) {
    (self.minimum, self.dials, self.waiting, self.idle, self.life) = (minimum, dials, waiting, idle, life)
    (self.keepAlive, self.backoff) = (keepAlive, backoff)
  }

  /// Aborts the program with a message if a value is out of its range.
  @usableFromInline
  func require(_ limit: Int, _ madeAt: MadeAt) {
    madeAt.require("the limit", limit, in: 1...1 << 40)
    madeAt.require("the minimum", minimum, in: 0...limit)
    madeAt.require("the number of dials", dials, in: 1...Int.max)
    madeAt.require("the number of waiting callers", waiting, in: 1...Int.max)
    if [idle, life, backoff.lowerBound].contains(where: { $0.map { $0 <= .zero } ?? false }) || keepAlive < .zero {
      madeAt.misuse("its times must be positive")
    }
  }

  /// The pause after so many failures in a row, 1 or more.
  @usableFromInline
  func pause(after failures: Int) -> Duration {
    min(backoff.lowerBound * (1 << min(failures - 1, 30)), backoff.upperBound)
  }
}

/// The error of a call that would have made more callers wait than a pool allows; see ``ConnectionPolicy/waiting``.
///
/// ```swift
/// do { _ = try await connections.take() } catch CallError.failed(let error as TooManyWaiting) { print(error) }
/// ```
public struct TooManyWaiting: Error, Equatable, CustomStringConvertible {
  /// The number of callers that may wait.
  public let limit: Int

  @inlinable init(limit: Int) { self.limit = limit }

  public var description: String { "\(limit) callers wait for a connection already." }
}
