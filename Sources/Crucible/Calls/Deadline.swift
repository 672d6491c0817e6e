import CCrucible

/// A moment by a monotonic clock; possibly for ever away, or over.
@usableFromInline
struct Deadline: Sendable {
  private let begin: UInt64
  /// The greatest that there is: for ever away.
  private let time: UInt64

  @usableFromInline
  init(after limit: Duration) {
    begin = crucible_now()
    let (sum, overflow) = begin.addingReportingOverflow(limit.nanoseconds)
    time = overflow ? .max : sum
  }

  /// Nanoseconds until then, 0 when it is over.
  var remainingNanoseconds: UInt64 {
    if time == .max { return .max }
    let now = crucible_now()
    return time > now ? time - now : 0
  }

  /// Whether the limit was zero or less.
  var isOver: Bool { time == begin }
  /// Whether the deadline never comes.
  var isNever: Bool { time == .max }

  /// Sets the alarm to the deadline.
  func set(_ alarm: UnsafeMutablePointer<crucible_alarm>) { crucible_alarm_set(alarm, begin, time) }
}

extension crucible_alarm {
  /// Requires: `context` lives until the alarm was cancelled or has gone off.
  init(
    _ context: UnsafeMutableRawPointer, act: @escaping @convention(c) (UnsafeMutablePointer<crucible_alarm>) -> Void
  ) {
    self.init(act: act, context: context, next: nil, link: nil, time: 0, wheel: 0, process: 0)
  }
}

extension Duration {
  /// In nanoseconds, from 0 to the greatest that there is.
  var nanoseconds: UInt64 {
    let (seconds, attoseconds) = components
    if seconds < 0 || attoseconds < 0 { return 0 }
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, carry) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
    return overflow || carry ? .max : sum
  }
}
