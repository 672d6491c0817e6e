import CTask

/// A piece of work for a loop: the body of a reaction, or the next part of an `async` one.
///
/// A loop that is gone drops its work without running it. Then a body that has not begun does not run any more: its
/// molecules are destroyed, and its callers and the soup's `onError` get ``LoopGone``. An `async` body that has begun
/// goes on where the loop dropped the work.
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

  /// Runs the work. Requires: only the loop's thread calls this, once.
  ///
  /// - Complexity: that of the body, or of its part.
  public func run() {
    if isDone { fatalError("Crucible: loop \(executor.label): a piece of work was run twice") }
    if crucible_task_current_thread().pointee.enqueues == executor.address {
      fatalError("Crucible: loop \(executor.label): a piece of work was run in the middle of enqueue")
    }
    isDone = true
    job.runSynchronously(on: executor.asUnownedTaskExecutor())
  }
}
