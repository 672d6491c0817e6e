import CCrucible

extension Soup.Control {
  /// From now on no reaction fires, and molecules gather. Firings that are reserved already still run.
  ///
  /// - Complexity: O(components). Does not wait for bodies; blocks only for other calls of control.
  public func pause() { control("pause", .paused, crucible_soup_pause) }

  /// Lets a paused soup go on: what gathered reacts. A reaction placed ``Placement/inline`` may run on this thread.
  public func resume() { control("resume", .resumed, crucible_soup_resume) }

  /// Lets one reaction fire, and leaves the soup paused. A soup that runs is paused first.
  ///
  /// ```swift
  /// while let site = control.step() {
  ///   await control.quiet(within: .seconds(1))
  ///   print(site, control.snapshot())
  /// }
  /// ```
  ///
  /// The reaction is one of those that are enabled: any, or the one whose turn it is on ``Soup/Matcher/arrival``. Its
  /// body runs where it is placed, so it may run on this thread, or begin later. What the body injects waits for the
  /// next step.
  ///
  /// With `only`, the number of a reaction, this one fires. So another order of firings can be tried by hand. The
  /// number is ``Soup/Reaction/index`` or ``Soup/Site/index``; any other number ends the program with a message.
  ///
  /// - Returns: the reaction; `nil` if none was enabled, or the soup is stopped, gone, or was resumed meanwhile.
  /// - Complexity: O(reactions). Does not wait for bodies; blocks for a moment on ``Soup/Matcher/locked``.
  @discardableResult
  public func step(only reaction: Int? = nil, file: StaticString = #fileID, line: UInt = #line) -> Soup.Site? {
    let count = crucible_soup_reaction_count(core)
    if let reaction, !(0..<count).contains(reaction) {
      fatalError(
        """
        Crucible: step of soup '\(String(cString: crucible_soup_label(core)))' (\(file):\(line)): no reaction has the \
        number \(reaction), of \(count)
        """, file: file, line: line)
    }
    if !crucible_soup_is_paused(core) { pause() }
    var fired = CRUCIBLE_ANY
    control("step") { crucible_soup_step($0, reaction ?? CRUCIBLE_ANY, &fired) }
    return fired == CRUCIBLE_ANY ? nil : Soup.Site(fired, in: core)
  }

  /// From now on no reaction that consumes the name fires, and its molecules gather. All else goes on.
  ///
  /// ```swift
  /// control.pause(backlog)    // what is injected waits
  /// control.resume(backlog)
  /// ```
  ///
  /// Firings that are reserved already still run, and so does one that an injection in progress reserves. Waiting
  /// callers can give up, and ``clear(_:file:line:)`` and ``stop(cancelling:within:)`` drop what gathered. Pausing and
  /// resuming the soup changes nothing of it. Requires: the name is of this soup.
  ///
  /// - Complexity: O(reactions of its component). Does not wait for bodies; blocks only for other calls of control.
  public func pause(_ name: some Consumable, file: StaticString = #fileID, line: UInt = #line) {
    require(name.name, "pause", file, line)
    control("pause") { _ in crucible_name_set_paused(name.name, true) }
  }

  /// Lets a paused name go on: what gathered reacts. A reaction placed ``Placement/inline`` may run on this thread.
  ///
  /// - Complexity: as ``pause(_:file:line:)``.
  public func resume(_ name: some Consumable, file: StaticString = #fileID, line: UInt = #line) {
    require(name.name, "resume", file, line)
    control("resume") { _ in crucible_name_set_paused(name.name, false) }
  }

  /// Drops what waits: values are destroyed on this thread, callers get ``CallError/cleared``. States are not dropped,
  /// and timers stay armed. What is injected meanwhile may or may not be dropped. A firing that is reserved for the
  /// pool and has not begun takes what is oldest when it begins: as many as it reserved are left, but not which.
  ///
  /// - Returns: how many molecules were dropped.
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
  /// Its values are destroyed on this thread, and its callers get ``CallError/cleared``. Other names, and the timers of
  /// this name, stay. Requires: the name is of this soup. A state cannot be cleared.
  ///
  /// - Returns: how many molecules were dropped.
  /// - Complexity: O(molecules of the name + names).
  @discardableResult
  public func clear(_ name: some Consumable, file: StaticString = #fileID, line: UInt = #line) -> Int {
    require(name.name, "clear", file, line)
    var dropped: UInt64 = 0
    control("clear") { _ in crucible_name_clear(name.name, &dropped) }
    tell(.cleared(dropped: Int(dropped)))
    return Int(dropped)
  }

  /// Stops the soup at once, drops what waits, and waits until all is quiet. <doc:Ending> says what a stop ends.
  ///
  /// ```swift
  /// let report = await control.stop(within: .seconds(1))
  /// if !report.isQuiet { print("still running: \(report.running)") }
  /// ```
  ///
  /// When the bodies take longer than the limit, the report tells which. Stopping again is allowed, at any time and by
  /// several at once, and waits again. States stay as the bodies left them. Callers whose molecules a body has kept
  /// without a reply go on waiting for it.
  ///
  /// - Parameters:
  ///   - cancelling: whether the tasks of `async` bodies are cancelled, those included that begin while this waits. A
  ///     body that stops its own soup so is cancelled as well. What a cancelled body throws is reported like any other
  ///     error, but for `CancellationError`.
  ///   - limit: how long to wait for bodies. In a task of a body that waits for that task, it waits in vain.
  /// - Complexity: O(molecules), then as ``quiet(within:)``.
  @discardableResult
  public func stop(cancelling: Bool = false, within limit: Duration = .seconds(10)) async -> StopReport {
    let dropped = beginStop()
    let isQuiet = await quiet(within: limit) { if cancelling { cancelBodies() } }
    return endStop(dropped, isQuiet)
  }

  /// Cancels the tasks of the `async` bodies that run.
  ///
  /// ```swift
  /// control.clear(job)          // those that wait
  /// control.cancelBodies()      // those that run
  /// ```
  ///
  /// Bodies that begin later are not cancelled, even if they are reserved already. What a cancelled body throws is
  /// reported like any other error, but for `CancellationError`.
  ///
  /// - Complexity: O(bodies that run). Runs their cancellation handlers on this thread.
  public func cancelBodies() { whileAlive { SoupContext.cancelBodies($0) } }

  func beginStop() -> Int {
    var dropped: UInt64 = 0
    control("stop") { crucible_soup_stop($0, &dropped) }
    endTimers()
    tell(.stopped(dropped: Int(dropped)))
    return Int(dropped)
  }

  /// Ends the timers that were armed before the soup was stopped. Later ones see that it is stopped.
  func endTimers() {
    whileAlive { if crucible_soup_is_stopped($0) { SoupContext.known(of: $0)?.timers?.endAll(isOver: false) } }
  }

  func endStop(_ dropped: Int, _ isQuiet: Bool) -> StopReport {
    var rest = 0
    whileAlive { rest = Int(crucible_soup_drop_rest($0)) }
    let running = isQuiet ? [] : Soup.Snapshot.Running.all(in: core).0
    return StopReport(dropped: dropped + rest, isQuiet: isQuiet, running: running)
  }

  /// Lets a stopped soup run again, its states set back to their first values.
  ///
  /// ```swift
  /// await control.stop()
  /// try await control.restart(within: .seconds(1))
  /// ```
  ///
  /// A paused soup stays paused. Values of states are destroyed and made on the calling thread. Suspends the task while
  /// bodies of the stopped soup still run.
  ///
  /// - Parameter limit: how long to wait for bodies that still run.
  /// - Throws: ``RestartError`` if the soup runs, if bodies still run when the limit is over, or if a state has no
  ///   first value any more.
  /// - Complexity: O(states), then as ``quiet(within:)``.
  public func restart(within limit: Duration = .seconds(10)) async throws(RestartError) {
    try requireInitialValues()
    let deadline = Deadline(after: limit)
    var pause = Duration.microseconds(20)
    var isLast = false
    while try !tryToRestart(isLast: isLast || deadline.remainingNanoseconds == 0) {
      do { try await Task.sleep(for: pause) } catch { isLast = true }  // cancelled: one more attempt
      pause = min(pause * 2, .milliseconds(1))
    }
  }

  func requireInitialValues() throws(RestartError) {
    guard crucible_soup_hold(core) else { throw .notStopped }
    defer { crucible_soup_release(core) }
    for index in 0..<crucible_soup_name_count(core) {
      let name: OpaquePointer = crucible_soup_name(core, index)
      if crucible_name_kind(name) == CRUCIBLE_STATE && Destructor.of(name)?.resets != true {
        throw .noInitialValue(
          state: String(cString: crucible_name_label(name)), source: Soup.Source(ofName: name))
      }
    }
  }

  /// False: bodies still run, and it is not the last attempt.
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

  /// The name is of this soup.
  private func require(_ name: OpaquePointer, _ what: String, _ file: StaticString, _ line: UInt) {
    let owner: OpaquePointer = crucible_name_soup(name)
    if owner == core { return }
    fatalError(
      """
      Crucible: \(what) of soup '\(String(cString: crucible_soup_label(core)))' (\(file):\(line)): molecule \
      '\(String(cString: crucible_name_label(name)))' is of soup '\(String(cString: crucible_soup_label(owner)))'
      """, file: file, line: line)
  }

  /// Calls `body` if the soup lives, which then keeps on living.
  func whileAlive(_ body: (OpaquePointer) -> Void) {
    guard crucible_soup_hold(core) else { return }
    body(core)
    crucible_soup_release(core)
  }

  func tell(_ event: Soup.Event.Kind) { whileAlive { SoupContext.known(of: $0)?.observers?.tell(event) } }

  /// `event` is told before what it lets happen.
  func control(
    _ what: String, _ event: Soup.Event.Kind? = nil, _ call: (OpaquePointer) -> crucible_status
  ) {
    whileAlive { core in
      if let event { tell(event) }
      let status = call(core)
      if status == CRUCIBLE_OK { return }
      let label = String(cString: crucible_soup_label(core))
      let why = String(cString: crucible_status_text(status))
      fatalError("Crucible: soup '\(label)' (\(Soup.Source(ofSoup: core))): \(what): \(why)")
    }
  }
}
