import CCrucible

extension Soup {
  /// All soups that live in the process at the time of a call. A call controls each of them as its own ``Soup/Control``
  /// does, one after the other. It leaves out soups whose definition has not ended.
  public static var all: Soup.All { Soup.All() }

  /// The soups of the process; see ``Soup/all``.
  ///
  /// ```swift
  /// Soup.all.pause()
  /// for snapshot in Soup.all.snapshot() { print(snapshot) }
  /// Soup.all.clear()
  /// Soup.all.resume()
  /// await Soup.all.quiet(within: .seconds(1))
  /// await Soup.all.stop()
  /// try await Soup.all.restart()
  /// ```
  ///
  /// - Complexity: as the calls of all soups' ``Soup/Control``, one after the other.
  public struct All: Sendable {
    /// Returns owning controls of the soups that live now, the newest first.
    static func controls() -> [Soup.Control] {
      var capacity = Int(crucible_live_soups()) + 16
      while true {
        let soups = [OpaquePointer](unsafeUninitializedCapacity: capacity) { soups, count in
          count = crucible_all_soups(soups.baseAddress!, capacity)
        }
        let controls = soups.map { Soup.Control(handle: SoupHandle($0, owns: true)) }
        if soups.count < capacity { return controls }
        capacity *= 2
      }
    }

    /// The controls of all soups that are defined and alive, the newest first. They do not own the soups.
    ///
    /// - Complexity: O(soups).
    public var controls: [Soup.Control] {
      Self.defined().map { Soup.Control(handle: SoupHandle($0.core, owns: false)) }
    }

    /// The number of soups that live in this process, also of those whose definition has not ended.
    ///
    /// - Complexity: O(1).
    public var count: Int { Int(crucible_live_soups()) }

    /// The place of definition of each soup that lives, the newest first.
    ///
    /// - Complexity: O(soups).
    public var definitions: [Definition] { Self.controls().map { Definition($0.core) } }

    static func defined() -> [Soup.Control] { controls().filter { crucible_soup_is_frozen($0.core) } }

    /// Takes a snapshot of every soup, one after the other, the newest first.
    public func snapshot() -> [Soup.Snapshot] { Self.defined().map { $0.snapshot() } }
    /// Pauses every soup; see ``Soup/Control/pause()``.
    public func pause() { for control in Self.defined() { control.pause() } }
    /// Resumes every soup; see ``Soup/Control/resume()``.
    public func resume() { for control in Self.defined() { control.resume() } }

    /// Drops the molecules that wait in every soup; see ``Soup/Control/clear()``.
    ///
    /// - Returns: the number of molecules that were dropped.
    @discardableResult
    public func clear() -> Int { Self.defined().reduce(0) { $0 + $1.clear() } }

    /// Waits until each soup has been quiet, one after the other. They need not all be quiet at the same time.
    @discardableResult
    public func quiet(within limit: Duration) async -> Bool {
      let deadline = WaitTime.now + limit
      for control in Self.defined() {
        if await !control.quiet(within: deadline - WaitTime.now) { return false }
      }
      return true
    }

    /// Stops all soups first, then waits for their bodies. Suspends the task.
    ///
    /// - Parameter limit: the longest wait, for all together.
    /// - Returns: the reports, those of the newest soups first.
    @discardableResult
    public func stop(within limit: Duration = .seconds(10)) async -> [StopReport] {
      let deadline = WaitTime.now + limit
      let controls = Self.defined()
      for control in controls { control.beginStop() }
      var reports: [StopReport] = []
      for control in controls {
        reports.append(control.endStop(await control.settled(within: deadline - WaitTime.now)))
      }
      return reports
    }

    /// Restarts the stopped soups that permit it. Suspends the task while their bodies still run.
    ///
    /// - Parameter limit: the longest wait, for all together.
    /// - Throws: as ``Soup/Control/restart(within:)``, for the first soup that cannot be restarted.
    public func restart(within limit: Duration = .seconds(10)) async throws(RestartError) {
      let deadline = WaitTime.now + limit
      for control in Self.toRestart() {
        try await control.restart(within: deadline - WaitTime.now)
      }
    }
  }
}
