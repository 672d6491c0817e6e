import Crucible

/// The clock of an exploration. Its time passes when nothing else goes on, or earlier if the schedule says so.
///
/// ```swift
/// try await explore { world in
///   world.task("late") {
///     try await world.clock.sleep(for: .seconds(3600))
///     print(world.clock.now.offset)
///   }
/// }
/// ```
///
/// Soups that a run defines have it by default. It stands at zero when a run begins.
public final class WorldClock: Clock, DrivenClock, @unchecked Sendable {
  /// A moment: the time since the run began.
  public struct Instant: InstantProtocol {
    /// The time since the run began.
    public let offset: Duration

    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    public static func < (a: Instant, b: Instant) -> Bool { a.offset < b.offset }
  }

  private weak let engine: Engine?

  init(_ engine: Engine) { self.engine = engine }

  public var now: Instant { Instant(offset: .nanoseconds(Int64(clamping: engine?.now ?? .max))) }
  public var minimumResolution: Duration { .nanoseconds(1) }

  package func add(_ alarms: ClockAlarms) { engine?.add(alarms) }

  /// Suspends the task until the time has come, or the task is cancelled.
  ///
  /// - Throws: `CancellationError`.
  /// - Complexity: O(timers of the world).
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    if deadline <= now { return }
    final class Sleep: @unchecked Sendable {
      var timer: Int?
      var continuation: UnsafeContinuation<Void, Never>?
    }
    let sleep = Sleep()
    await withTaskCancellationHandler {
      await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
        if Task.isCancelled { return continuation.resume() }
        sleep.continuation = continuation
        sleep.timer = engine?.addTimer("clock", at: deadline.offset.nanoseconds) { continuation.resume() }
      }
    } onCancel: {
      if let timer = sleep.timer, engine?.removeTimer(timer) == true { sleep.continuation!.resume() }
    }
    try Task.checkCancellation()
  }
}
