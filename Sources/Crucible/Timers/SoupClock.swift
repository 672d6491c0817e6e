import CCrucible

/// The clock of a soup. The soup's timers, the deadlines of its calls and the back-offs of its reactions use it.
///
/// Times are nanoseconds since a fixed moment of the clock.
@usableFromInline
struct SoupClock: Sendable {
  /// The alarms by a clock other than the continuous one; nil: the alarms that all soups share.
  let alarms: ClockAlarms?

  static let continuous = SoupClock(alarms: nil)

  init(_ clock: (any Clock<Duration>)?) {
    alarms = clock.flatMap { $0 is ContinuousClock ? nil : ClockAlarms($0) }
  }

  private init(alarms: ClockAlarms?) { self.alarms = alarms }

  var now: UInt64 { alarms?.now() ?? crucible_now() }

  /// Sets the alarm. `now` is any moment since the clock was last read.
  func set(_ alarm: UnsafeMutablePointer<crucible_alarm>, now: UInt64, at time: UInt64) {
    if let alarms { alarms.set(alarm, at: time) } else { crucible_alarm_set(alarm, now, time) }
  }

  /// Cancels the alarm. Returns false if it has gone off, or is about to.
  func cancel(_ alarm: UnsafeMutablePointer<crucible_alarm>) -> Bool {
    alarms?.cancel(alarm) ?? crucible_alarm_cancel(alarm)
  }
}

extension crucible_alarm {
  /// Requires: `context` lives until the alarm was cancelled or has gone off.
  init(
    _ context: UnsafeMutableRawPointer, act: @escaping @convention(c) (UnsafeMutablePointer<crucible_alarm>) -> Void
  ) {
    self.init(act: act, context: context, next: nil, link: nil, time: 0, wheel: 0, process: 0)
  }
}
