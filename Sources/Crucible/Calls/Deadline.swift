import CCrucible

/// A moment by a clock. It may be over, or never come.
@usableFromInline
struct Deadline: Sendable {
  private let begin: UInt64
  /// The moment in nanoseconds; the maximum means never.
  private let time: UInt64
  private let clock: SoupClock

  init(after limit: Duration, by clock: SoupClock = .continuous) {
    self.clock = clock
    begin = clock.now
    let (sum, overflow) = begin.addingReportingOverflow(limit.nanoseconds)
    time = overflow ? .max : sum
  }

  /// Makes the deadline of a call of that name, by the clock of its soup.
  @usableFromInline
  init(after limit: Duration, calling name: OpaquePointer) {
    self.init(after: limit, by: SoupContext.clock(of: name))
  }

  /// Whether threads can wait for the deadline without an alarm, because the clock is the continuous one.
  var isContinuous: Bool { clock.alarms == nil }

  /// The nanoseconds that are left, 0 when the deadline is over.
  var remainingNanoseconds: UInt64 {
    if time == .max { return .max }
    let now = clock.now
    return time > now ? time - now : 0
  }

  /// The nanoseconds from the beginning to the deadline; the maximum means never.
  var limit: UInt64 { isNever ? .max : time &- begin }

  /// Whether the limit was zero or less.
  var isOver: Bool { time == begin }
  var isNever: Bool { time == .max }

  func set(_ alarm: UnsafeMutablePointer<crucible_alarm>) { clock.set(alarm, now: begin, at: time) }
  func cancel(_ alarm: UnsafeMutablePointer<crucible_alarm>) -> Bool { clock.cancel(alarm) }
}

extension Duration {
  /// The duration in nanoseconds, from 0 to the maximum.
  package var nanoseconds: UInt64 {
    if attoseconds <= 0 { return 0 }
    // 10⁹ is 2⁹ · 5⁹. Up to two and a half hours the shifted number fits into 64 bits, and needs no 128-bit division.
    if let shifted = UInt64(exactly: attoseconds >> 9) { return shifted / 1_953_125 }
    return UInt64(clamping: attoseconds / 1_000_000_000)
  }
}
