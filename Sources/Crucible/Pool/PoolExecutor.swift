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
  static let shared = PoolExecutor()
  static let unowned = shared.asUnownedTaskExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    let thread = crucible_task_current_thread()
    if let origin = thread.pointee.parks {
      thread.pointee.parks = nil
      return Unmanaged<Origin>.fromOpaque(origin).takeUnretainedValue().park(UnownedJob(job))
    }
    Self.run(UnownedJob(job))
  }

  static func run(_ job: UnownedJob) {
    crucible_pool_run(unsafeBitCast(job, to: UnsafeMutableRawPointer.self)) { job in
      unsafeBitCast(job, to: UnownedJob.self).runSynchronously(on: PoolExecutor.unowned)
    }
  }
}
