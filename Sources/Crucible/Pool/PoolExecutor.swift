import CCrucible

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
  private static let unowned = shared.asUnownedTaskExecutor()

  func enqueue(_ job: consuming ExecutorJob) {
    crucible_pool_run(unsafeBitCast(UnownedJob(job), to: UnsafeMutableRawPointer.self)) { job in
      unsafeBitCast(job, to: UnownedJob.self).runSynchronously(on: PoolExecutor.unowned)
    }
  }
}
