import CCrucible

protocol GivingUp: AnyObject, Sendable {
  /// The alarm of the deadline. It exists only during a wait with a deadline.
  var alarm: UnsafeMutablePointer<crucible_alarm> { get }
  /// Ends the wait with `outcome` unless it has ended.
  func giveUp(_ outcome: UInt32)
}

extension GivingUp {
  /// Sets the alarm that gives up at the deadline. If it is over, gives up now. Returns false if no alarm is set.
  func setAlarm(_ deadline: Deadline) -> Bool {
    if deadline.isOver { giveUp(Outcome.timedOut) }
    if deadline.isOver || deadline.isNever { return false }
    // The thread that ends the alarm releases its reference.
    alarm.initialize(
      to: crucible_alarm(Unmanaged<AnyObject>.passRetained(self).toOpaque()) {
        let caller = Unmanaged<AnyObject>.fromOpaque($0.pointee.context!).takeRetainedValue()
        (caller as! any GivingUp).giveUp(Outcome.timedOut)
      })
    deadline.set(alarm)
    return true
  }

  /// Suspends the task until the waiter is signalled. Its cancellation, or the deadline, gives up.
  nonisolated(nonsending)
    func suspend(_ waiter: UnsafeMutablePointer<crucible_waiter>, until deadline: Deadline?) async
  {
    let isSet = deadline.map(setAlarm) ?? false
    await withTaskCancellationHandler {
      await waiter.suspend()
    } onCancel: {
      giveUp(Outcome.cancelled)
    }
    if isSet { cancelAlarm(of: deadline!) }
  }

  func cancelAlarm(of deadline: Deadline) {
    if deadline.cancel(alarm) { Unmanaged.passUnretained(self).release() }
  }
}

extension UnsafeMutablePointer<crucible_waiter> {
  /// Suspends the task until the signaller resumes it. Does not suspend if the signal was first.
  @inline(__always)
  nonisolated(nonsending) func suspend() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      pointee.context = continuation.pointer
      pointee.resume = { UnsafeContinuation(pointer: $0.pointee.context!).resume() }
      if !crucible_waiter_suspend(self) { continuation.resume() }
    }
  }
}
