import Dispatch

/// A moment by a monotonic clock; possibly for ever away, or over.
@usableFromInline
struct Deadline: Sendable {
  private let time: DispatchTime

  @usableFromInline
  init(after limit: Duration) {
    time = .now() + .nanoseconds(Int(min(limit.nanoseconds, UInt64(Int.max))))
  }

  /// Nanoseconds until then, 0 when it is over.
  var remainingNanoseconds: UInt64 {
    if time == .distantFuture { return .max }
    let now = DispatchTime.now().uptimeNanoseconds
    return time.uptimeNanoseconds > now ? time.uptimeNanoseconds - now : 0
  }

  /// Calls `action` then, unless it is cancelled before: at once if the moment is over.
  func alarm(_ action: @escaping @Sendable () -> Void) -> Alarm {
    if remainingNanoseconds == 0 {
      action()
      return Alarm(source: nil)
    }
    let source = DispatchSource.makeTimerSource()
    source.schedule(deadline: time)
    source.setEventHandler(handler: action)
    source.activate()
    return Alarm(source: source)
  }
}

/// Something that is to happen at a deadline.
struct Alarm {
  fileprivate let source: (any DispatchSourceTimer)?

  func cancel() { source?.cancel() }
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
