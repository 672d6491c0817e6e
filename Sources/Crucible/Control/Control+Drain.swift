import CCrucible

extension Soup {
  /// Makes every drain of the soup inject a molecule of `name` when it begins, so that reactions empty states.
  ///
  /// ```swift
  /// soup.react(state: rows, flush) { rows, _ in
  ///   rows.isDraining = true      // from now on, each row is stored when it comes
  ///   store(rows.takeAll())
  /// }
  /// soup.whenDraining(flush)
  /// ```
  ///
  /// The drain waits for the reactions that the molecule enables. Molecules of other threads may come after this one,
  /// so note in the state that the soup drains, as here. Drains that run at the same time inject one molecule together.
  /// A stop injects none. Requires: the scope of the definition.
  ///
  /// - Complexity: O(1).
  public func whenDraining(_ name: Injector<Void>, file: StaticString = #fileID, line: UInt = #line) {
    requireOpen("announcing drains by '\(name)'", at: StaticSource(file, line))
    require(name.name, of: core, "whenDraining of", file, line)
    SoupContext.of(core).announcingDrains.append(name.weak)
  }
}

extension Soup.Control {
  /// Shuts the soup down without losing work: refuses molecules from outside, finishes the accepted work, then stops.
  ///
  /// ```swift
  /// let report = await control.drain(within: .seconds(30))
  /// if !report.isQuiet || !report.unfinished.isEmpty { log.warning("unfinished: \(report)") }
  /// ```
  ///
  /// <doc:Ending> says which molecules are refused, which work counts as accepted, and when the soup stops. A drain
  /// ends when its limit is over, its task is cancelled, or a ``stop(cancelling:within:)`` comes. Then it does not wait
  /// for bodies that still run. A paused soup finishes nothing before ``resume()``.
  ///
  /// - Parameter limit: the longest wait. In a task for which a body of the soup waits, the drain waits in vain.
  /// - Returns: the work that did not finish.
  /// - Complexity: as ``quiet(within:)``, then O(names + molecules dropped). Does not block the thread.
  @discardableResult
  public func drain(within limit: Duration = .seconds(10)) async -> DrainReport {
    let deadline = WaitTime.now + limit
    beginDrain()
    let isFinished = await wait(within: limit) { CallsInHand.isFinished($0) && endTimers() }
    stopDraining()
    return endDrain(await settled(within: deadline - WaitTime.now) && isFinished)
  }

  func beginDrain() {
    control("drain", .draining) { core in
      let announced = SoupContext.known(of: core)?.announcingDrains.map(\.name) ?? []
      return crucible_soup_drain(core, announced, announced.count)
    }
  }

  /// Stops the soup, if it is not stopped yet. A firing that a timer or a task has begun meanwhile goes on.
  func stopDraining() {
    var dropped: UInt64 = 0
    let isDraining = crucible_soup_is_draining(core)
    control("drain") { crucible_soup_end_drain($0, &dropped) }
    endTimers()
    if isDraining { tell(.stopped(dropped: Int(dropped))) }
  }

  func endDrain(_ isQuiet: Bool) -> DrainReport {
    var (left, timers) = takeDropped()
    let inHand = CallsInHand.unanswered(in: core)
    for (name, calls) in inHand where name < left.count { left[name] += calls }
    return DrainReport(left: left, timers, isQuiet: isQuiet && inHand.isEmpty, in: core)
  }
}

/// The work that a drain left unfinished.
public struct DrainReport: Sendable, Hashable, CustomStringConvertible {
  /// Whether no body ran, no reaction was enabled and no call was in hand, within the limit. See ``unfinished``.
  public let isQuiet: Bool
  /// The names with molecules that were left, and the number of these, or of the values that they held. Such a molecule
  /// found no partner, or the limit was over first. Calls that bodies have kept count too; their callers still wait.
  ///
  /// Waiting permits and idle workers are among them, so look for the names of the work (<doc:Ending>).
  public let unfinished: [Soup.Snapshot.Count]
  /// The timers that were armed and not yet due, by name. The drain has ended them, and destroyed their values.
  public let timers: [Soup.Snapshot.Timers]
  /// Firings that had consumed their molecules and waited for a thread when the limit was over. They still run.
  public let reserved: Int
  /// The reactions whose bodies still ran when the limit was over.
  public let running: [Soup.Snapshot.Running]

  /// `left`: the molecules of each name that the stop at the end has dropped, and the calls that are in hand.
  init(left: [Int], _ timers: [Soup.Snapshot.Timers], isQuiet: Bool, in core: OpaquePointer) {
    self.isQuiet = isQuiet
    self.timers = timers
    unfinished = left.enumerated().filter { $1 > 0 }.map { index, molecules in
      let name = crucible_soup_name(core, index)
      return Soup.Snapshot.Count(
        label: labelOfName(name), molecules: molecules, isPaused: crucible_name_is_paused(name))
    }
    (running, reserved) = isQuiet ? ([], 0) : Soup.Snapshot.Running.all(in: core)
  }

  public var description: String {
    var parts = [isQuiet ? "quiet" : "not quiet"]
    if reserved > 0 { parts.append("\(reserved) reserved") }
    if !running.isEmpty { parts.append("still running: \(running.map(\.description).joined(separator: ", "))") }
    if !unfinished.isEmpty {
      parts.append("left: \(unfinished.map { "\($0.molecules) × \($0.label)" }.joined(separator: ", "))")
    }
    if !timers.isEmpty { parts.append(Soup.Snapshot.Timers.ended(timers)) }
    return parts.joined(separator: ", ")
  }
}
