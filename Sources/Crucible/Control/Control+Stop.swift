import CCrucible

extension Soup.Control {
  /// Pauses the soup: no reaction fires, and molecules gather. Firings that are reserved already still run.
  ///
  /// - Complexity: O(components). Does not wait for bodies; blocks only for other calls of control.
  public func pause() { control("pause", .paused, crucible_soup_pause) }

  /// Lets a paused soup go on. A reaction placed ``Placement/inline`` may run on this thread.
  public func resume() { control("resume", .resumed, crucible_soup_resume) }

  /// Lets one reaction fire, and leaves the soup paused. If the soup runs, the call pauses it first.
  ///
  /// ```swift
  /// while let reaction = control.step() { print(reaction, control.snapshot()) }
  /// ```
  ///
  /// The reaction is one of those that are enabled: any of them, or on ``Soup/Matcher/arrival`` the reaction that is
  /// next, or with `only` the one of this number (``Soup/Reaction/index``). Its body runs where it is placed. Molecules
  /// that the body injects wait for the next step.
  ///
  /// - Returns: the reaction; `nil` if none was enabled, or the soup is stopped, gone, or was resumed meanwhile.
  /// - Complexity: O(reactions). Does not wait for bodies; blocks for a moment on ``Soup/Matcher/locked``.
  @discardableResult
  public func step(only reaction: Int? = nil, file: StaticString = #fileID, line: UInt = #line) -> Soup.ReactionInfo? {
    let count = crucible_soup_reaction_count(core)
    if let reaction, !(0..<count).contains(reaction) {
      fatalError(
        """
        Crucible: step of soup '\(labelOfSoup(core))' (\(file):\(line)): no reaction has the \
        number \(reaction), of \(count)
        """, file: file, line: line)
    }
    if !crucible_soup_is_paused(core) { pause() }
    var fired = CRUCIBLE_ANY
    control("step") { crucible_soup_step($0, reaction ?? CRUCIBLE_ANY, &fired) }
    return fired == CRUCIBLE_ANY ? nil : Soup.ReactionInfo(fired, in: core)
  }

  /// Pauses a name: no reaction that consumes it fires, and its molecules gather. All other reactions go on.
  ///
  /// ```swift
  /// control.pause(backlog)    // what is injected waits
  /// control.resume(backlog)
  /// ```
  ///
  /// Firings that are reserved already still run, and so does a firing that an injection in progress reserves. Waiting
  /// callers can give up. Pausing and resuming the soup leaves the name paused. Requires: the name is of this soup.
  ///
  /// - Complexity: O(reactions of its component). Does not wait for bodies; blocks only for other calls of control.
  public func pause(_ name: some Consumable, file: StaticString = #fileID, line: UInt = #line) {
    require(name.name, of: core, "pause of", file, line)
    control("pause") { _ in crucible_name_set_paused(name.name, true) }
  }

  /// Lets a paused name go on, as ``resume()`` does for the soup.
  ///
  /// - Complexity: as ``pause(_:file:line:)``.
  public func resume(_ name: some Consumable, file: StaticString = #fileID, line: UInt = #line) {
    require(name.name, of: core, "resume of", file, line)
    control("resume") { _ in crucible_name_set_paused(name.name, false) }
  }

  /// Drops the molecules that wait: destroys their values on this thread, and callers get ``CallError/cleared``. States
  /// stay, and timers stay armed. A molecule that is injected meanwhile may or may not be dropped. A firing that is
  /// reserved for the pool takes the oldest molecules when it begins: as many are left, but no particular ones.
  ///
  /// - Returns: the number of molecules that were dropped.
  /// - Complexity: O(molecules).
  @discardableResult
  public func clear() -> Int {
    var dropped: UInt64 = 0
    control("clear") { crucible_soup_clear($0, &dropped) }
    tell(.cleared(dropped: Int(dropped)))
    return Int(dropped)
  }

  /// Drops the waiting molecules of one name, as ``clear()`` does for all.
  ///
  /// ```swift
  /// let dropped = control.clear(backlog)
  /// ```
  ///
  /// - Complexity: O(molecules of the name + names).
  @discardableResult
  public func clear(_ name: some Consumable, file: StaticString = #fileID, line: UInt = #line) -> Int {
    require(name.name, of: core, "clear of", file, line)
    var dropped: UInt64 = 0
    control("clear") { _ in crucible_name_clear(name.name, &dropped) }
    tell(.cleared(dropped: Int(dropped)))
    return Int(dropped)
  }

  /// Stops the soup, drops the molecules that wait, and waits until all is quiet. <doc:Ending> says what it ends.
  ///
  /// ```swift
  /// let report = await control.stop(within: .seconds(1))
  /// if !report.isQuiet { print("still running: \(report.running)") }
  /// ```
  ///
  /// If bodies take longer than the limit, the report lists them. A program may stop a soup again at any time, also on
  /// several threads at once; each stop waits again. States stay as the bodies left them.
  ///
  /// - Parameters:
  ///   - cancelling: whether to cancel the tasks of `async` bodies, also of those that begin during the wait. A body
  ///     that stops its own soup in this way is cancelled as well.
  ///   - limit: the longest wait for bodies. In a task for which a body of the soup waits, the stop waits in vain.
  /// - Complexity: O(molecules), then as ``quiet(within:)``.
  @discardableResult
  public func stop(cancelling: Bool = false, within limit: Duration = .seconds(10)) async -> StopReport {
    beginStop()
    return endStop(await settled(within: limit) { if cancelling { cancelBodies() } })
  }

  /// Cancels the tasks of the `async` bodies that run, and not of those that begin later.
  ///
  /// ```swift
  /// control.clear(job)          // those that wait
  /// control.cancelBodies()      // those that run
  /// ```
  ///
  /// - Complexity: O(bodies that run). Runs their cancellation handlers on this thread.
  public func cancelBodies() { whileAlive { SoupContext.cancelBodies($0) } }

  func beginStop() {
    var dropped: UInt64 = 0
    control("stop") { crucible_soup_stop($0, &dropped) }
    endTimers()
    tell(.stopped(dropped: Int(dropped)))
  }

  /// Waits until the soup, which is stopped, is quiet and sealed (STOP-3): a report can tell all that the stop dropped.
  func settled(within limit: Duration, beforeEachLook act: () -> Void = {}) async -> Bool {
    await wait(within: limit, beforeEachLook: act) { SoupContext.isQuiet($0) && SoupContext.seal($0) }
  }

  /// Ends the timers of a soup that drains or is stopped. Returns whether it has none.
  @discardableResult
  func endTimers() -> Bool {
    var hasNone = true
    whileAlive { core in
      if !crucible_soup_is_stopped(core) && !crucible_soup_is_draining(core) { return }
      hasNone = SoupContext.known(of: core)?.timers?.endAll(isOver: false) ?? true
    }
    return hasNone
  }

  func endStop(_ isQuiet: Bool) -> StopReport {
    let (dropped, timers) = takeDropped()
    let running = isQuiet ? [] : Soup.Snapshot.Running.all(in: core).0
    return StopReport(dropped: dropped.reduce(0, +), timers: timers, isQuiet: isQuiet, running: running)
  }

  /// Takes what stops have dropped and no report has told: the molecules of each name, the values held, and the timers.
  func takeDropped() -> ([Int], [Soup.Snapshot.Timers]) {
    var counts: [UInt64] = []
    var timers: [Soup.Snapshot.Timers] = []
    whileAlive { core in
      let names = namesOfSoup(core)
      counts = Array(repeating: 0, count: names.count)
      _ = crucible_soup_end_stop(core, &counts)
      for (index, name) in names.enumerated() { counts[index] += UInt64(Destructor.of(name)?.takeFurther() ?? 0) }
      withUnsafeMutablePointer(to: &counts) { counts in
        crucible_soup_visit_states(
          core,
          { state, counts in
            let held = Destructor.of(state)?.takeHeld(in: crucible_name_cell(state)!) ?? 0
            counts!.assumingMemoryBound(to: [UInt64].self).pointee[crucible_name_index(state)] += UInt64(held)
          }, counts)
      }
      timers = Soup.Snapshot.Timers.list(SoupContext.known(of: core)?.timers?.takeEnded() ?? [:], in: core)
    }
    return (counts.map { Int($0) }, timers)
  }

  /// Lets a stopped soup run again, with the first values of its states and the molecules of ``Soup/initially(_:)``.
  ///
  /// ```swift
  /// await control.stop()
  /// try await control.restart(within: .seconds(1))
  /// ```
  ///
  /// A paused soup stays paused.
  ///
  /// - Parameter limit: the longest wait for bodies that still run.
  /// - Throws: ``RestartError`` if the soup runs, if bodies still run when the limit is over, if a state has no first
  ///   value any more, or if the definition refuses restarts (``Soup/refuseRestarts()``).
  /// - Complexity: O(states + first molecules), then as ``quiet(within:)``.
  public func restart(within limit: Duration = .seconds(10)) async throws(RestartError) {
    let start = try beginStart()
    defer { start?.end() }
    let isBack = try await wait(within: limit) { _ throws(RestartError) in try tryToRestart(isLast: false) }
    if !isBack { _ = try tryToRestart(isLast: true) }
    start?.inject()
  }

  /// Requires that the soup can be restarted, and acquires the right to inject its first molecules.
  ///
  /// - Returns: this right. The caller must end it. Nil if there are no first molecules.
  func beginStart() throws(RestartError) -> FirstMolecules? {
    guard crucible_soup_hold(core) else { throw .notStopped }
    defer { crucible_soup_release(core) }
    if crucible_soup_refuses_restarts(core) { throw .refused }
    let states = namesOfSoup(core).filter { crucible_name_kind($0) == CRUCIBLE_STATE }
    if let state = states.first(where: { Destructor.of($0)?.resets != true }) {
      throw .noInitialValue(state: labelOfName(state), source: Soup.Source(ofName: state))
    }
    guard let first = SoupContext.known(of: core)?.firstMolecules else { return nil }
    guard first.begin() else { throw .notStopped }
    return first
  }

  /// Returns false if bodies still run and this is not the last attempt.
  func tryToRestart(isLast: Bool) throws(RestartError) -> Bool {
    var status = CRUCIBLE_NOT_STOPPED
    control("restart") { core in
      status = crucible_soup_restart(core, { name, _ in Destructor.of(name)!.reset(crucible_name_cell(name)!) }, nil)
      return status == CRUCIBLE_NOT_FROZEN ? status : CRUCIBLE_OK
    }
    if status == CRUCIBLE_NOT_STOPPED { throw .notStopped }
    if status == CRUCIBLE_NOT_QUIET && isLast { throw .running(Soup.Snapshot.Running.all(in: core).0) }
    if status == CRUCIBLE_OK { tell(.restarted) }
    return status == CRUCIBLE_OK
  }

  func whileAlive(_ body: (OpaquePointer) -> Void) { whileHeld(core) { body(core) } }

  func tell(_ event: Soup.Event.Kind) { whileAlive { SoupContext.known(of: $0)?.observers?.tell(event) } }

  /// Observers get `event` before the events that it permits.
  func control(
    _ what: String, _ event: Soup.Event.Kind? = nil, _ call: (OpaquePointer) -> crucible_status
  ) {
    whileAlive { core in
      if let event { tell(event) }
      let status = call(core)
      if status == CRUCIBLE_OK { return }
      fatalError("Crucible: \(Soup.Definition(core)): \(what): \(String(cString: crucible_status_text(status)))")
    }
  }
}
