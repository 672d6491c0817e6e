import CCrucible
import CTask

extension PendingCall: GivingUp {
  // One piece of memory holds the waiter, its note, the function for cancellation, the alarm of the deadline, and the
  // answer.
  private static let offsetOfNote = offset(of: crucible_waiting.self, behind: MemoryLayout<crucible_waiter>.size)
  private static let offsetOfCancellation =
    offset(of: crucible_task_cancellation.self, behind: offsetOfNote + MemoryLayout<crucible_waiting>.size)
  private static let offsetOfAlarm =
    offset(of: crucible_alarm.self, behind: offsetOfCancellation + MemoryLayout<crucible_task_cancellation>.size)
  static let offsetOfAnswer = roundedUp(offsetOfAlarm + MemoryLayout<crucible_alarm>.size, to: 16)
  private static func offset<T>(of type: T.Type, behind end: Int) -> Int {
    roundedUp(end, to: MemoryLayout<T>.alignment)
  }

  /// The note by which other threads see the caller while it waits. It exists only then.
  private var note: UnsafeMutablePointer<crucible_waiting> {
    (UnsafeMutableRawPointer(waiter) + Self.offsetOfNote).bindMemory(to: crucible_waiting.self, capacity: 1)
  }

  /// The handler of the task's cancellation. It exists only while a task waits.
  private var cancellation: UnsafeMutablePointer<crucible_task_cancellation> {
    (UnsafeMutableRawPointer(waiter) + Self.offsetOfCancellation)
      .bindMemory(to: crucible_task_cancellation.self, capacity: 1)
  }

  var alarm: UnsafeMutablePointer<crucible_alarm> {
    (UnsafeMutableRawPointer(waiter) + Self.offsetOfAlarm).bindMemory(to: crucible_alarm.self, capacity: 1)
  }

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
      await withTaskCancellationHandler {
        await waiter.suspend()
      } onCancel: {
        giveUp(Outcome.cancelled)
      }
    #else
      cancellation.initialize(
        to: crucible_task_cancellation(
          act: { Unmanaged<PendingCall>.fromOpaque($0).takeUnretainedValue().giveUp(Outcome.cancelled) },
          context: Unmanaged.passUnretained(self).toOpaque()))
      let record = crucible_task_on_cancel(cancellation)
      await waiter.suspend()
      crucible_task_forget_cancel(record)
    #endif
    crucible_waiting_end(note)
  }

  /// Blocks the thread until the call has ended, and ends it at the deadline.
  func waitBlocking(until deadline: Deadline?, _ file: StaticString, _ line: UInt) {
    if isAnswered { return }
    guard let deadline, !deadline.isContinuous else {
      waitBlocking(until: deadline, noting: deadline?.limit ?? .max, file, line)
      return
    }
    let isSet = setAlarm(deadline)
    if !isAnswered { waitBlocking(until: nil, noting: deadline.limit, file, line) }
    if isSet { cancelAlarm(of: deadline) }
  }

  private func waitBlocking(until deadline: Deadline?, noting limit: UInt64, _ file: StaticString, _ line: UInt) {
    note.initialize(to: crucible_waiting(name, waiter, limit, file, line))
    let stations = Station.current(of: crucible_name_soup(name))
    if !stations.isEmpty {
      crucible_waiting_begin(note, true)
      Station.serve(stations, until: waiter, deadline: deadline) { giveUp(Outcome.timedOut) }
      crucible_waiting_end(note)
      return
    }
    if crucible_waiter_wait_noted(waiter, deadline?.remainingNanoseconds ?? .max, note) { return }
    giveUp(Outcome.timedOut)
    crucible_waiter_wait(waiter)  // for the thread that is just claiming the call
  }
}
