import CCrucible

extension Soup {
  /// Looks at a soup, waits until it is quiet, and pauses, clears, stops and restarts it. Owns the soup like a name.
  ///
  /// ```swift
  /// let (work, control) = Soup.define { soup in
  ///   let work = soup.slow("work", of: Int.self)
  ///   soup.react(work) { n in print(n) }
  ///   return (work, soup.control)
  /// }
  /// work(1)
  /// await control.quiet(within: .seconds(5))
  /// print(control.explain())
  /// let report = await control.stop()
  /// ```
  ///
  /// Each call takes effect in one step for each component, that is, for names connected by the reactions that they
  /// share. Before the definition has ended, a look finds nothing, and any other call ends the program with a message.
  /// A control that does not own is safe when its soup is gone. Then a look finds nothing, and other calls do nothing.
  public struct Control: Sendable, Hashable, Leaving, CustomStringConvertible {
    let handle: SoupHandle
    var core: OpaquePointer { handle.core }

    /// Whether both control the same soup.
    public static func == (a: Soup.Control, b: Soup.Control) -> Bool { a.core == b.core }
    public func hash(into hasher: inout Hasher) { hasher.combine(core) }

    public func owning() -> Soup.Control { Soup.Control(handle: handle.owning()) }
    public var weak: Soup.Control { Soup.Control(handle: handle.weak()) }
    public static func _own(_ control: UnsafeMutableRawPointer) {
      _ = AnyName.own(&control.assumingMemoryBound(to: Unmanaged<SoupHandle>.self).pointee)
    }

    /// Returns the molecules that wait now, by name, the reserved firings, the bodies that run, and the armed timers.
    ///
    /// - Complexity: O(names + threads × reactions + timers). Blocks for a moment on ``Soup/Matcher/locked``.
    public func snapshot() -> Soup.Snapshot { Soup.Snapshot(of: core) }

    /// Waits until the soup is quiet: no injection in progress, no reaction reserved, running or enabled.
    ///
    /// A timer that is not due does not count. A body of the soup itself waits in vain.
    ///
    /// - Parameter limit: the longest wait, by the continuous clock.
    /// - Returns: false if the soup was not quiet within the limit, or the task was cancelled.
    /// - Complexity: looks every 20 µs to 1 ms, so injecting pays nothing for it. Does not block the thread.
    @discardableResult
    public func quiet(within limit: Duration) async -> Bool {
      await wait(within: limit) { SoupContext.isQuiet($0) }
    }

    /// Waits until `isOver`. Calls `act` before each check.
    func wait<Failure: Error>(
      within limit: Duration, beforeEachLook act: () -> Void = {},
      until isOver: (OpaquePointer) throws(Failure) -> Bool
    ) async throws(Failure) -> Bool {
      let deadline = WaitTime.now + limit
      var pause = Duration.microseconds(20)
      while true {
        act()
        if try isOver(core) { return true }
        if WaitTime.now >= deadline { return false }
        guard (try? await WaitTime.sleep(for: pause)) != nil else { return try isOver(core) }
        pause = WaitTime.next(after: pause)
      }
    }

    /// Whether the soup is paused.
    ///
    /// - Complexity: O(1). Blocks only for other calls of control.
    public var isPaused: Bool { crucible_soup_is_paused(core) }

    /// Explains what happens (<doc:Watching>). Safe at any time, on any thread, also in a body.
    ///
    /// - Complexity: O(names × reactions + threads × reactions + callers that wait + timers). Blocks for a moment on
    ///   ``Soup/Matcher/locked``, and while a caller begins or ends its wait.
    public func explain() -> Explanation { Explanation(of: core) }

    /// The graph of the names and the reactions that connect them. Empty before the definition has ended.
    ///
    /// - Complexity: O(names + inputs).
    public var graph: ReactionGraph { ReactionGraph(of: core) }

    /// The matchers that serve the components of the soup. ``ReactionGraph/names`` has that of each name.
    ///
    /// - Complexity: O(names).
    public var matchers: Set<Matcher> { Set(graph.names.map(\.matcher)) }

    /// The soup's names with their counts and matchers, and its reactions, as text for people.
    ///
    /// For a component that lies over several words (<doc:Inside>), the text says which word has the name.
    public var description: String {
      let graph = graph
      let condition = Explanation.Condition(of: core, isComplete: graph.isComplete)
      let head = "\(Soup.Definition(core))" + (condition == .running ? "" : ", \(condition)")
      if !graph.isComplete { return head }
      let names = zip(graph.names, snapshot().counts).map { name, count in
        "  \(name.kind) \(name.label): \(count.molecules), component \(name.component), \(name.matcher)"
          + (name.words > 1 ? ", word \(name.word + 1) of \(name.words)" : "")
      }
      let reactions = graph.reactions.map { "  reaction \($0.info.pattern) on \($0.placement) (\($0.info.source))" }
      return ([head] + names + reactions).joined(separator: "\n")
    }
  }
}
