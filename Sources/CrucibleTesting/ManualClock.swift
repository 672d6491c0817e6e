import Crucible

/// A clock that stands still until a test advances it.
///
/// ```swift
/// let clock = ManualClock()
/// let (tick, control) = Soup.define("meter", with: .init(clock: clock)) { soup in
///   let tick = soup.slow("tick")
///   soup.react(tick) { _ in print("tick") }
///   return (tick, soup.control)
/// }
/// tick.every(.seconds(1))
/// clock.advance(by: .seconds(10))
/// await control.quiet(within: .seconds(5))          // the ten molecules have reacted
/// ```
///
/// In one soup, timers that are due fire in the order of their times. Timers of one time fire in the order in which
/// they were armed. Soups that share a clock have no order among each other.
///
/// `quiet`, and a ``Probe``, wait until all that is due has happened. Their own limits go by the continuous clock.
public final class ManualClock: Clock, Sendable {
  /// A moment: the time by which tests have advanced the clock since it was made.
  public struct Instant: InstantProtocol {
    /// The time by which the clock had been advanced.
    public let offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private struct Sleeper {
    let number: Int
    let end: Instant
    let continuation: UnsafeContinuation<Void, Never>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var lastNumber = 0
    var sleepers: [Sleeper] = []
    /// The sleepers that were cancelled before they slept.
    var cancelled: Set<Int> = []
  }

  private static let end = Duration.seconds(Int64.max)

  private let state = Guarded(State())

  /// Makes a clock that stands at zero.
  public init() {}

  public var now: Instant { state.withLock { $0.now } }
  public var minimumResolution: Duration { .zero }

  /// The first moment for which a task sleeps; `nil` if no task sleeps.
  ///
  /// - Complexity: O(tasks that sleep).
  public var nextAwakening: Instant? { state.withLock { $0.sleepers.map(\.end).min() } }

  /// Advances the clock, and wakes the tasks that have slept long enough, the earliest moment first. If tasks have the
  /// same moment, the one that slept first wakes first. Does not wait for the work of these tasks. A negative duration
  /// counts as zero. The clock stops at `.seconds(.max)`.
  ///
  /// - Complexity: O(n log n) for n tasks that sleep.
  public func advance(by duration: Duration) {
    let awake = state.withLock { state in
      state.now = state.now.advanced(by: min(max(duration, .zero), Self.end - state.now.offset))
      let now = state.now
      let awake = state.sleepers.filter { $0.end <= now }
      state.sleepers.removeAll { $0.end <= now }
      return awake.sorted { ($0.end, $0.number) < ($1.end, $1.number) }
    }
    for sleeper in awake { sleeper.continuation.resume() }
  }

  /// Suspends the task until the clock has been advanced to `deadline`, or the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let number = state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        let sleeps = state.withLock { state in
          if state.cancelled.remove(number) != nil || state.now >= deadline { return false }
          state.sleepers.append(Sleeper(number: number, end: deadline, continuation: continuation))
          return true
        }
        if !sleeps { continuation.resume() }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.number == number }) else {
          state.cancelled.insert(number)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume()
    }
    state.withLock { _ = $0.cancelled.remove(number) }
    try Task.checkCancellation()
  }
}
