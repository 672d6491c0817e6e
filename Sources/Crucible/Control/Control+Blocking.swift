import CCrucible

extension Soup.Control {
  /// The calls of this control that block the thread: write `.blocking` before the call instead of `await`.
  ///
  /// ```swift
  /// let report = control.blocking.stop(within: .seconds(1))
  /// ```
  public var blocking: Blocking { Blocking(control: self) }

  /// The waiting calls of a ``Soup/Control`` that block the thread; see ``Soup/Control/blocking``.
  ///
  /// ```swift
  /// control.blocking.quiet(within: .seconds(1))
  /// let unfinished = control.blocking.drain().unfinished
  /// try control.blocking.restart()
  /// let report = control.blocking.stop()
  /// ```
  ///
  /// - Complexity: as the call that is awaited.
  public struct Blocking: Sendable {
    let control: Soup.Control

    /// Blocks the thread until the soup is quiet.
    ///
    /// - Returns: false if the soup was not quiet within the limit. A body of the soup itself waits in vain.
    @available(*, noasync, message: "await quiet(within:) instead of blocking a thread of Swift concurrency")
    @discardableResult
    public func quiet(within limit: Duration) -> Bool { wait(within: limit) { SoupContext.isQuiet($0) } }

    /// Blocks the thread until `isOver`, and runs meanwhile the bodies that have this thread as their place. Calls
    /// `act` before each check.
    private func wait<Failure: Error>(
      within limit: Duration, beforeEachLook act: () -> Void = {},
      until isOver: (OpaquePointer) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
      let deadline = WaitTime.now + limit
      let stations = ControlledThread.currentRun == nil ? Station.current(of: control.core) : []
      var pause = Duration.microseconds(20)
      var isBlocking = false
      defer { if isBlocking { crucible_pool_end_blocking() } }
      while true {
        act()
        if try isOver(control.core) { return true }
        let rest = deadline - WaitTime.now
        if rest <= .zero { return false }
        if stations.contains(where: { $0.serveOne() }) { continue }
        if stations.isEmpty && !isBlocking {  // once, and not for each pause
          crucible_pool_begin_blocking()
          isBlocking = true
        }
        Soup.Pool.sleep(for: min(pause, rest))
        pause = WaitTime.next(after: pause)
      }
    }

    /// Stops the soup, and blocks the thread until all is quiet.
    ///
    /// Inside a body of the soup, also a nested one, the call does not wait, because it would wait for itself.
    @available(*, noasync, message: "await stop(within:) instead of blocking a thread of Swift concurrency")
    @discardableResult
    public func stop(cancelling: Bool = false, within limit: Duration = .seconds(10)) -> StopReport {
      control.beginStop()
      return control.endStop(settled(within: limit, cancelling: cancelling))
    }

    func settled(within limit: Duration, cancelling: Bool = false) -> Bool {
      wait(within: crucible_soup_is_inside(control.core) ? .zero : limit) {
        if cancelling { control.cancelBodies() }
      } until: {
        SoupContext.isQuiet($0) && SoupContext.seal($0)
      }
    }

    /// Refuses new work, blocks the thread until the accepted work is done, and then stops the soup.
    ///
    /// Inside a body of the soup, the call does not wait. Then the drain is a stop.
    @available(*, noasync, message: "await drain(within:) instead of blocking a thread of Swift concurrency")
    @discardableResult
    public func drain(within limit: Duration = .seconds(10)) -> DrainReport {
      let deadline = WaitTime.now + limit
      control.beginDrain()
      let isFinished = wait(within: crucible_soup_is_inside(control.core) ? .zero : limit) {
        CallsInHand.isFinished($0) && control.endTimers()
      }
      control.stopDraining()
      return control.endDrain(settled(within: deadline - WaitTime.now) && isFinished)
    }

    /// Lets a stopped soup run again, and blocks the thread while bodies of the stopped soup still run.
    ///
    /// - Throws: as ``Soup/Control/restart(within:)``.
    @available(*, noasync, message: "await restart(within:) instead of blocking a thread of Swift concurrency")
    public func restart(within limit: Duration = .seconds(10)) throws(RestartError) {
      let start = try control.beginStart()
      defer { start?.end() }
      let isBack = try wait(within: limit) { _ throws(RestartError) in try control.tryToRestart(isLast: false) }
      if !isBack { _ = try control.tryToRestart(isLast: true) }
      start?.inject()
    }
  }
}

extension Soup.All {
  /// The waiting calls in the form that blocks the thread.
  public var blocking: Blocking { Blocking() }

  /// The waiting calls of ``Soup/all`` that block the thread.
  ///
  /// ```swift
  /// let reports = Soup.all.blocking.stop(within: .seconds(5))
  /// try Soup.all.blocking.restart()
  /// Soup.all.blocking.quiet(within: .seconds(1))
  /// ```
  ///
  /// - Complexity: as the calls of all soups' ``Soup/Control``, one after the other.
  public struct Blocking: Sendable {
    /// Blocks the thread until each soup has been quiet, one after the other.
    @available(*, noasync, message: "await quiet(within:) instead of blocking a thread of Swift concurrency")
    @discardableResult
    public func quiet(within limit: Duration) -> Bool {
      let deadline = WaitTime.now + limit
      return Soup.All.defined().allSatisfy { $0.blocking.quiet(within: deadline - WaitTime.now) }
    }

    /// Stops all soups first, then blocks the thread until their bodies have ended.
    @available(*, noasync, message: "await stop(within:) instead of blocking a thread of Swift concurrency")
    @discardableResult
    public func stop(within limit: Duration = .seconds(10)) -> [StopReport] {
      let deadline = WaitTime.now + limit
      let controls = Soup.All.defined()
      for control in controls { control.beginStop() }
      return controls.map { $0.endStop($0.blocking.settled(within: deadline - WaitTime.now)) }
    }

    /// Restarts the stopped soups that permit it, and blocks the thread while their bodies still run.
    ///
    /// - Throws: as ``Soup/Control/restart(within:)``, for the first soup that cannot be restarted.
    @available(*, noasync, message: "await restart(within:) instead of blocking a thread of Swift concurrency")
    public func restart(within limit: Duration = .seconds(10)) throws(RestartError) {
      let deadline = WaitTime.now + limit
      for control in Soup.All.toRestart() {
        try control.blocking.restart(within: deadline - WaitTime.now)
      }
    }
  }
}
