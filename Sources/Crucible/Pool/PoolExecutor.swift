import CCrucible
import CTask

extension Soup.Pool {
  /// Runs tasks on the pool's threads.
  ///
  /// ```swift
  /// Task(executorPreference: Soup.Pool.executor) { await crunch() }
  /// ```
  public static var executor: any TaskExecutor { PoolExecutor.shared }
}

final class PoolExecutor: TaskExecutor {
  static let shared = {
    let executor = PoolExecutor()
    crucible_task_set_pool(executor.asUnownedTaskExecutor().words)
    return executor
  }()
  /// The executor, after a task has preferred it. Each job reads it, so it avoids the check of a lazy global.
  static var unowned: UnownedTaskExecutor { UnownedTaskExecutor(words: crucible_task_pool()) }

  func enqueue(_ job: consuming ExecutorJob) {
    let thread = crucible_task_current_thread()
    if let origin = thread.pointee.parks {
      thread.pointee.parks = nil
      return Unmanaged<Origin>.fromOpaque(origin).takeUnretainedValue().setAside(UnownedJob(job))
    }
    Self.run(UnownedJob(job))
  }

  static func run(_ job: UnownedJob) {
    crucible_pool_run(job.pointer) { UnownedJob(pointer: $0).runSynchronously(on: PoolExecutor.unowned) }
  }
}
