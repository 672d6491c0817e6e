import CCrucible
import CTask

extension PendingCall: GivingUp {
  /// The memory of a call, before its answer.
  struct Record {
    var waiter: crucible_waiter
    /// The note by which other threads see the caller while it waits. It exists only then.
    var note: crucible_waiting
    /// The handler of the task's cancellation. It exists only while a task waits.
    var cancellation: crucible_task_cancellation
    var alarm: crucible_alarm
  }

  static var offsetOfAnswer: Int { roundedUp(MemoryLayout<Record>.size, to: 16) }

  private var record: UnsafeMutablePointer<Record> {
    UnsafeMutableRawPointer(waiter).assumingMemoryBound(to: Record.self)
  }
  private var note: UnsafeMutablePointer<crucible_waiting> { record.pointer(to: \.note)! }
  var alarm: UnsafeMutablePointer<crucible_alarm> { record.pointer(to: \.alarm)! }

  /// The nanoseconds that a task pauses at most before it suspends, approximately.
  private static let longestPauses: UInt64 = 50_000

  /// Suspends the task until the call has ended. Cancellation or the deadline ends it.
  @usableFromInline
  nonisolated(nonsending)
    func wait(
      _ handle: SoupHandle, until deadline: Deadline, _ file: StaticString, _ line: UInt
    ) async
  {
    if deadline.limit > Self.longestPauses && crucible_waiter_pause(waiter) { return }
    let isSet = setAlarm(deadline)
    await wait(deadline.limit, file, line)
    if isSet { cancelAlarm(of: deadline) }
    withExtendedLifetime(handle) {}
  }

  @usableFromInline
  nonisolated(nonsending)
    func wait(_ handle: SoupHandle, _ file: StaticString, _ line: UInt) async
  {
    if crucible_waiter_pause(waiter) { return }
    await wait(.max, file, line)
    withExtendedLifetime(handle) {}
  }

  private nonisolated(nonsending) func wait(_ limit: UInt64, _ file: StaticString, _ line: UInt) async {
    note.initialize(to: crucible_waiting(name, waiter, limit, file, line, task: RunningTask.current))
    // Before the task suspends: a signal then resumes it at once.
    crucible_waiting_begin(note, false)
    #if CRUCIBLE_PUBLIC_RUNTIME
      await suspend(waiter, until: nil)
    #else
      let cancellation = record.pointer(to: \.cancellation)!
      cancellation.initialize(
        to: crucible_task_cancellation(
          act: { Unmanaged<PendingCall>.fromOpaque($0).takeUnretainedValue().giveUp(Outcome.cancelled) },
          context: Unmanaged.passUnretained(self).toOpaque()))
      let noted = crucible_task_on_cancel(cancellation)
      await waiter.suspend()
      crucible_task_forget_cancel(noted)
    #endif
    crucible_waiting_end(note)
  }

  /// Blocks the thread until the call has ended, and ends it at the deadline: by an alarm, unless the deadline is by
  /// the continuous clock, and this thread can sleep until then.
  func waitBlocking(until deadline: Deadline?, _ file: StaticString, _ line: UInt) {
    if isAnswered { return }
    let stations = ControlledThread.currentRun == nil ? Station.current(of: crucible_name_soup(name)) : []
    let sleeps = stations.isEmpty && deadline?.isContinuous != false
    let isSet = sleeps ? false : deadline.map(setAlarm) ?? false
    note.initialize(to: crucible_waiting(name, waiter, deadline?.limit ?? .max, file, line))
    if !stations.isEmpty {
      crucible_waiting_begin(note, true)
      Station.serve(stations, until: waiter)
      crucible_waiting_end(note)
    } else if !crucible_waiter_wait_noted(waiter, sleeps ? deadline?.remainingNanoseconds ?? .max : .max, note) {
      giveUp(Outcome.timedOut)
      crucible_waiter_wait(waiter)  // for the thread that is just claiming the call
    }
    if isSet { cancelAlarm(of: deadline!) }
  }
}
