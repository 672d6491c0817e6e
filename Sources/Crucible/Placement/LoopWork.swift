import CTask

/// A piece of work for a loop: the body of a reaction, or the next part of an `async` one.
///
/// If it is dropped without having been run, because its loop is gone, a body that has not begun does not run any more:
/// what it would have consumed is destroyed, its callers get ``CallError/neverReplied``, and the soup's `onError` gets
/// ``LoopGone``. An `async` body that has begun goes on where the work was dropped.
///
/// ```swift
/// func enqueue(_ work: LoopWork) {
///   DispatchQueue.main.async { work.run() }
/// }
/// ```
public final class LoopWork: @unchecked Sendable {
  private let job: UnownedJob
  private let executor: LoopExecutor
  private var isDone = false

  init(_ job: UnownedJob, _ executor: LoopExecutor) {
    self.job = job
    self.executor = executor
  }

  deinit {
    if isDone { return }
    let thread = crucible_task_current_thread()
    let before = thread.pointee.drops
    thread.pointee.drops = executor.address
    job.runSynchronously(on: executor.asUnownedTaskExecutor())
    crucible_task_current_thread().pointee.drops = before
  }

  /// Runs it: once, on the loop's thread.
  ///
  /// - Complexity: that of the body, or of the part of it.
  public func run() {
    if isDone { fatalError("Crucible: loop \(executor.label): a piece of work was run twice") }
    if crucible_task_current_thread().pointee.enqueues == executor.address {
      fatalError("Crucible: loop \(executor.label): a piece of work was run in the middle of enqueue")
    }
    isDone = true
    job.runSynchronously(on: executor.asUnownedTaskExecutor())
  }
}
