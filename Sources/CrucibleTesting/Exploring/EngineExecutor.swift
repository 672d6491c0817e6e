import Crucible

#if compiler(>=6.3) && compiler(<6.4)
  @_spi(ExperimentalScheduling) import _Concurrency
#endif

/// Runs the tasks of an exploration.
final class EngineExecutor: TaskExecutor {
  fileprivate weak let engine: Engine?

  init(_ engine: Engine) { self.engine = engine }

  func enqueue(_ job: consuming ExecutorJob) {
    guard let engine else { return }  // the task is left over from a run that failed
    let run = perform(UnownedJob(job))
    if engine.isMine { engine.add("task", run) } else { engine.start(run) }
  }

  fileprivate func perform(_ job: UnownedJob) -> () -> Void {
    { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

#if compiler(>=6.3) && compiler(<6.4)
  /// Swift 6.3 gives sleeps to the executor of the task. Otherwise `Task.sleep` ends on a thread that the run does not
  /// control, which fails the run.
  extension EngineExecutor: SchedulingExecutor {
    func enqueue<C: Clock>(_ job: consuming ExecutorJob, after delay: C.Duration, tolerance: C.Duration?, clock: C) {
      guard let engine else { return }
      let delay = Self.rounded(min((delay as? Duration ?? .zero).nanoseconds, 1 << 62))
      _ = engine.addTimer("task", at: engine.now + delay, perform(UnownedJob(job)))
    }

    func enqueue<C: Clock>(_ job: consuming ExecutorJob, at instant: C.Instant, tolerance: C.Duration?, clock: C) {
      enqueue(job, after: clock.now.duration(to: instant), tolerance: tolerance, clock: clock)
    }

    /// The next multiple of a millisecond, and of a hundredth of the number. `Task.sleep` computes a moment by the real
    /// clock first, so its delay is never twice the same.
    private static func rounded(_ nanoseconds: UInt64) -> UInt64 {
      var unit: UInt64 = 1_000_000
      while nanoseconds / unit >= 1000 { unit *= 10 }
      return (nanoseconds + unit - 1) / unit * unit
    }
  }
#endif
