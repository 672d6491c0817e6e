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
  /// the pool. If the call ends otherwise, `act` does not run. A caller that blocks without a limit never gives up.
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
  /// - Returns: false at once for a caller that blocks a thread without a limit; false also if this task is cancelled.
  /// - Complexity: O(1), and some allocations.
  nonisolated(nonsending)
    public func abandoned() async -> Bool
  {
    guard let caller = token.caller else { return false }
    let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
    if let isGivenUp = caller.watch({ answer.yield($0) }) { return isGivenUp }
    var iterator = answers.makeAsyncIterator()
    return await iterator.next() ?? false
  }
}
