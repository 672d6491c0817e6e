import CTask

final class LoopStation: TaskStation, @unchecked Sendable {
  private let loop: any ReactionLoop
  private let executorAddress: UnsafeRawPointer

  init(_ loop: any ReactionLoop) {
    self.loop = loop
    let executor = LoopExecutor(loop)
    executorAddress = executor.address
    super.init(executor, label: "loop \(type(of: loop))")
  }

  /// Returns true for the first body inside a dropped piece of work, not for one that the work begins later.
  override func hasDropped() -> Bool {
    let thread = crucible_task_current_thread()
    if thread.pointee.drops != executorAddress { return false }
    thread.pointee.drops = nil
    return true
  }

  override var isCurrent: Bool {
    ControlledThread.currentRun?.isDoing(ObjectIdentifier(loop)) ?? loop.isCurrent
  }
  override var isSerial: Bool { true }
  override var entersAtOnce: Bool { true }
}

final class LoopExecutor: TaskExecutor {
  private let loop: any ReactionLoop

  init(_ loop: any ReactionLoop) { self.loop = loop }

  var label: String { "\(type(of: loop))" }
  var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  func enqueue(_ job: consuming ExecutorJob) {
    let thread = crucible_task_current_thread()
    let before = thread.pointee.enqueues
    thread.pointee.enqueues = address
    let work = LoopWork(UnownedJob(job), self)
    let isTaken = ControlledThread.currentRun?.take(.place(ObjectIdentifier(loop), name: label)) { work.run() }
    if isTaken != true { loop.enqueue(work) }
    crucible_task_current_thread().pointee.enqueues = before
  }
}
