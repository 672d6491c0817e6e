extension Call {
  /// Calls `act` once if the caller gives up: its time is over, or its task is cancelled, before the call has ended.
  ///
  /// ```swift
  /// soup.react(render) { call in
  ///   let job = Task { call.reply(await draw(call.input)) }
  ///   call.onAbandoned { job.cancel() }
  /// }
  /// ```
  ///
  /// If the caller has given up already, `act` runs on this thread, before this returns. Otherwise it runs in a task on
  /// the pool, soon after. `act` may block as a body may. If the call ends otherwise, `act` is destroyed and does not
  /// run. A caller that blocks a thread without a limit never gives up.
  ///
  /// - Complexity: O(1), and an allocation. Does not block.
  public func onAbandoned(_ act: @escaping @Sendable () -> Void) {
    let isGivenUp = token.caller?.watch { isGivenUp in
      if isGivenUp { Task.detached(executorPreference: PoolExecutor.shared) { act() } }
    }
    if isGivenUp == .some(true) { act() }
  }

  /// Suspends the task until the call has ended, and returns whether its caller has given up.
  ///
  /// ```swift
  /// soup.react(search) { call in
  ///   await withTaskGroup { group in
  ///     group.addTask { _ = call.reply(await find(call.input)) }
  ///     group.addTask { _ = await call.abandoned() }
  ///     await group.next()
  ///     group.cancelAll()
  ///   }
  /// }
  /// ```
  ///
  /// - Returns: true if the caller's time is over or its task is cancelled. False if the call ended otherwise, or if
  ///   this task is cancelled. A caller that blocks a thread without a limit cannot give up; the result is false at
  ///   once.
  /// - Complexity: O(1), and an allocation.
  nonisolated(nonsending)
    public func abandoned() async -> Bool
  {
    guard let caller = token.caller else { return false }
    let wait = AbandonedWait()
    return await withTaskCancellationHandler {
      await withUnsafeContinuation { continuation in
        wait.begin(continuation)
        if let isGivenUp = caller.watch({ wait.end($0) }) { wait.end(isGivenUp) }
      }
    } onCancel: {
      wait.end(false)
    }
  }
}

/// A task that waits for the end of a call. The first end counts.
private final class AbandonedWait: Sendable {
  private enum Stage {
    case begun(UnsafeContinuation<Bool, Never>?)
    case over(Bool)
  }

  private let stage = Guarded(Stage.begun(nil))

  func begin(_ continuation: UnsafeContinuation<Bool, Never>) {
    let answer: Bool? = stage.withLock { stage in
      if case .over(let answer) = stage { return answer }
      stage = .begun(continuation)
      return nil
    }
    if let answer { continuation.resume(returning: answer) }
  }

  func end(_ answer: Bool) {
    let waiting: UnsafeContinuation<Bool, Never>? = stage.withLock { stage in
      guard case .begun(let continuation) = stage else { return nil }
      stage = .over(answer)
      return continuation
    }
    waiting?.resume(returning: answer)
  }
}
