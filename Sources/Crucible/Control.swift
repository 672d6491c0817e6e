import CCrucible

/// Looks at a soup, waits until it is quiet, and pauses, clears, stops and restarts it. Owns the soup like a name.
///
/// ```swift
/// let (work, control) = Soup.define { soup in …; return (work, soup.control) }
/// work(1)
/// await control.quiet(within: .seconds(5))
/// print(control)
/// let report = await control.stop()
/// ```
///
/// What it does happens for each component at once (names connected by sharing reactions). Before the definition has ended there is
/// nothing to see, and anything but looking ends the program with a message. A control that does not own is safe when its soup is gone: then
/// there is nothing to look at and nothing to do.
public struct Control: Sendable, Leaving, CustomStringConvertible {
  let handle: SoupHandle
  var core: OpaquePointer { handle.core }

  public func owning() -> Control { Control(handle: handle.owning()) }

  /// How many molecules of each name wait at this moment, what is reserved and what runs.
  ///
  /// - Complexity: O(names + threads × reactions). Blocks for a moment on ``Matcher/locked``.
  public func snapshot() -> Snapshot { Snapshot(of: core) }

  /// Waits until the soup is quiet: no injection in progress, no reaction reserved or running. Then nothing is enabled.
  ///
  /// - Parameter limit: how long at most.
  /// - Returns: false if it was not quiet within the limit, or the task was cancelled. A body of the soup itself waits in
  ///   vain.
  /// - Complexity: looks every 20 µs to 1 ms: injecting pays nothing for it. Does not block the thread.
  @discardableResult
  public func quiet(within limit: Duration) async -> Bool {
    let deadline = ContinuousClock.now + limit
    var pause = Duration.microseconds(20)
    while !crucible_soup_is_quiet(core) {
      if ContinuousClock.now >= deadline { return false }
      do { try await Task.sleep(for: pause) } catch { return crucible_soup_is_quiet(core) }
      pause = min(pause * 2, .milliseconds(1))
    }
    return true
  }

  /// The same, blocking the thread.
  @available(*, noasync, message: "await quiet(within:) instead of blocking a thread of Swift concurrency")
  @discardableResult
  public func waitUntilQuiet(within limit: Duration) -> Bool {
    let stations = Station.current(of: core)
    if !stations.isEmpty { return Station.serve(stations, untilQuiet: core, within: limit) }
    return crucible_soup_wait_quiet(core, limit.nanoseconds)
  }

  /// The soup's names with their counts and matchers, and its reactions, for people.
  public var description: String {
    let core = core
    let snapshot = snapshot()
    let condition = snapshot.isStopped ? ", stopped" : snapshot.isPaused ? ", paused" : ""
    var lines = ["soup '\(String(cString: crucible_soup_label(core)))' (\(Source(ofSoup: core)))\(condition)"]
    for (index, count) in snapshot.counts.enumerated() {
      let name = crucible_soup_name(core, index)
      let kind = ["slow", "fast", "state"][Int(crucible_name_kind(name).rawValue)]
      let matcher = Matcher(crucible_name_matcher(name))
      lines.append(
        "  \(kind) \(count.label): \(count.molecules), component \(crucible_name_component(name)), \(matcher)")
    }
    for index in 0..<crucible_soup_reaction_count(core) {
      let info = crucible_soup_reaction(core, index)
      let placement = placementText(core, index)
      lines.append(
        "  reaction \(patternText(core, index)) on \(placement) (\(String(cString: info.file)):\(info.line))")
    }
    return lines.joined(separator: "\n")
  }
}
