/// Looks at a shared soup, controls it for all processes, and runs its bodies in this one.
///
/// ```swift
/// try await shop.control.work(atOnce: 8)           // until the task is cancelled
/// print(try await shop.control.explain())
/// if try await shop.control.snapshot().workers == 0 { print("nobody works") }
/// try await shop.control.pause()                   // also resume(), stop() and destroy()
/// for letter in try await shop.control.deadLetters() { try await letter.retry() }
/// ```
///
/// Each call takes effect in one step of the engine, and outlives this process. Requires: the definition has ended.
public struct SharedControl: Sendable {
  let core: DefinitionCore
  /// Nil in the control of the scope: bodies may capture it, so it must not keep the link.
  var link: Link?

  private func link(_ what: String) -> Link {
    guard let link = link ?? core.link else {
      fatalError(
        """
        Crucible: shared soup '\(core.label)' (\(core.source)): \(what): the definition has not ended yet, or has \
        failed, or nothing of what 'share' returned is left
        """)
    }
    return link
  }

  func run<Result: Sendable>(
    _ what: String, _ body: @escaping @Sendable (any Store, Link) throws -> Result
  ) async throws -> Result {
    let link = link(what)
    return try await link.engine.run { try body($0, link) }
  }

  /// Runs bodies in this process until the task is cancelled, or the soup is destroyed. Then it takes no more, lets the
  /// running bodies end, has them acknowledged, and returns.
  ///
  /// ```swift
  /// let work = Task { try await shop.control.work(atOnce: 8) }
  /// …
  /// work.cancel()
  /// try await work.value
  /// ```
  ///
  /// Bodies run as tasks on Swift's pool. A body that blocks its thread occupies a part of that pool. A body that
  /// outlasts its `within` and ignores its cancellation goes on beside its next attempt. It no longer counts for
  /// `limit`, and the end of the work does not wait for it. If the soup is destroyed, the call returns at once.
  ///
  /// If the process ends without that, the other workers see it at once and run its firings again. If its threads
  /// stand still for longer than the lease, the others take its firings over, and what it reports later is refused.
  ///
  /// - Parameters:
  ///   - limit: the number of bodies that run at a time. Firings over one state count as one.
  ///   - lease: how long others wait for a worker that stands still, and on Redis also for one that has died. It is
  ///     extended at each third of it.
  /// - Throws: ``EngineError``, if the engine fails. The running bodies end first, and their firings run again.
  /// - Complexity: a thread and a step of the engine for each body, fewer if several end at a time. Suspends meanwhile.
  public func work(
    atOnce limit: Int = 8, lease: Duration = .seconds(10), file: StaticString = #fileID, line: UInt = #line
  ) async throws {
    if limit < 1 || lease < .milliseconds(1) {
      core.fail("work: 'atOnce' must be positive, and the lease 1 ms or more", file: file, line: line)
    }
    let worker = Worker(link("work"), atOnce: limit, lease: lease)
    try await withTaskCancellationHandler {
      try await awaitOwnThread { try worker.run() }
    } onCancel: {
      worker.end()
    }
  }

  /// Lets no further reaction begin. Molecules gather, and firings that run go on.
  ///
  /// - Throws: ``EngineError``.
  /// - Complexity: O(workers). Suspends for a step of the engine, and so do the other functions.
  public func pause() async throws { try await run("pause") { try $0.setCondition(.paused, of: $1.soup) } }

  /// Lets a soup go on that was paused, stopped or drained.
  ///
  /// - Throws: ``EngineError``.
  /// - Complexity: O(workers).
  public func resume() async throws { try await run("resume") { try $0.setCondition(.running, of: $1.soup) } }

  /// Refuses molecules from outside, and lets no further reaction begin. Firings that run go on and are acknowledged.
  ///
  /// Calls that wait end with `CallError.stopped`. All other molecules stay in the engine, for ``resume()`` or
  /// ``destroy()``.
  ///
  /// - Throws: ``EngineError``.
  /// - Complexity: O(workers + calls that wait).
  public func stop() async throws { try await run("stop") { try $0.setCondition(.stopped, of: $1.soup) } }

  /// Refuses molecules from outside, waits until the workers have finished what can react, then stops the soup.
  ///
  /// ```swift
  /// let left = try await shop.control.drain(within: .seconds(30))
  /// if left.isBusy { print("not finished: \(left)") }
  /// ```
  ///
  /// In a soup that is paused or stopped, reactions begin again until the end of the drain.
  ///
  /// Firings that wait for their next attempt are waited for, too; molecules that are due later are not. A task that
  /// is cancelled stops the soup at once.
  ///
  /// - Returns: what was left at the stop.
  /// - Throws: ``EngineError``.
  /// - Complexity: O(reactions) each time that a body ends, then as ``snapshot()``.
  @discardableResult
  public func drain(within limit: Duration = .seconds(10)) async throws -> SharedSnapshot {
    let link = link("drain")
    let (store, soup, isOver) = (link.store, link.soup, Flag())
    let deadline = MachineClock.monotonic.now.adding(limit.nanoseconds)
    return try await withTaskCancellationHandler {
      try await awaitOwnThread {
        try store.setCondition(.draining, of: soup)
        while true {
          let seen = store.bell.read(Bell.ofControl)
          let left = deadline - MachineClock.monotonic.now
          let contents = try store.endDrain(of: soup, inAnyCase: left <= 0 || isOver.isSet)
          if let contents { return SharedSnapshot(contents, link) }
          store.bell.wait(Bell.ofControl, seen: seen, Bell.everybody, atMost: min(left, longestWait))
        }
      }
    } onCancel: {
      isOver.set()
      store.bell.ring(Bell.ofControl, Bell.everybody, all: true)
    }
  }

  /// Deletes the soup with all its molecules and dead letters. Calls end with `CallError.stopped`, and workers end.
  ///
  /// - Throws: ``EngineError``.
  /// - Complexity: O(molecules).
  public func destroy() async throws { try await run("destroy") { try $0.destroy($1.soup) } }

  /// Returns what the engine has, at one moment.
  ///
  /// - Throws: ``EngineError``.
  /// - Complexity: O(molecules), in one step of the engine, during which no other process writes.
  public func snapshot() async throws -> SharedSnapshot {
    try await run("snapshot") { SharedSnapshot(try $0.contents(of: $1.soup), $1) }
  }

  /// Explains as text for people why nothing happens, or what happens: what each reaction has and lacks, how many
  /// workers offer it, what failed.
  ///
  /// - Throws: ``EngineError``.
  /// - Complexity: as ``snapshot()``.
  public func explain() async throws -> String { try await snapshot().explanation }

  /// Returns the values of a slow name that wait, the oldest first. They stay in the engine.
  ///
  /// ```swift
  /// for shipment in try await shop.control.waiting(shop.shipped) { print(shipment) }
  /// ```
  ///
  /// - Throws: ``EngineError``, or the error of the value's decoder.
  /// - Complexity: O(limit).
  public func waiting<Value>(_ name: SharedInjector<Value>, limit: Int = 1000) async throws -> [Value] {
    let id = name.link.names[name.index]
    return try await run("waiting") { store, link in
      try store.molecules(of: id, in: link.soup, limit: limit).map { try Coding.decode(Value.self, $0.value) }
    }
  }

  /// Returns the firings that failed too often.
  ///
  /// - Throws: ``EngineError``.
  /// - Complexity: O(letters).
  public func deadLetters() async throws -> [DeadLetter] {
    try await run("deadLetters") { store, link in
      try store.deadFirings(of: link.soup).map { DeadLetter($0, link) }
    }
  }
}
