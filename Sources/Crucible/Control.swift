import CCrucible

/// Looks at a soup, and waits until it is quiet. Owns the soup like a name.
///
/// ```swift
/// let (work, control) = Soup.define { soup in …; return (work, soup.control) }
/// work(1)
/// await control.quiet(within: .seconds(5))
/// print(control)
/// ```
public struct Control: Sendable, Leaving, CustomStringConvertible {
  let handle: SoupHandle

  public func owning() -> Control { Control(handle: handle.owning()) }

  /// How many molecules of each name wait at this moment, and how many firings are reserved for the pool or run on it.
  ///
  /// Per component atomic on ``Matcher/word``, but for counts on their way between a full word and its overflow.
  /// - Complexity: O(names). Blocks for a moment on ``Matcher/locked``.
  public func snapshot() -> Snapshot { Snapshot(of: handle.core) }

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
    while !crucible_soup_is_quiet(handle.core) {
      if ContinuousClock.now >= deadline { return false }
      do { try await Task.sleep(for: pause) } catch { return crucible_soup_is_quiet(handle.core) }
      pause = min(pause * 2, .milliseconds(1))
    }
    return true
  }

  /// The same, blocking the thread.
  @available(*, noasync, message: "await quiet(within:) instead of blocking a thread of Swift concurrency")
  @discardableResult
  public func waitUntilQuiet(within limit: Duration) -> Bool {
    let (seconds, attoseconds) = limit.components
    let (whole, overflow) = UInt64(max(0, seconds)).multipliedReportingOverflow(by: 1_000_000_000)
    let nanoseconds = overflow ? .max : whole &+ UInt64(max(0, attoseconds) / 1_000_000_000)
    return crucible_soup_wait_quiet(handle.core, nanoseconds)
  }

  /// The soup's names with their counts and matchers, and its reactions, for people.
  public var description: String {
    let core = handle.core
    let snapshot = snapshot()
    var lines = ["soup '\(String(cString: crucible_soup_label(core)))' (\(Source(ofSoup: core)))"]
    for (index, count) in snapshot.counts.enumerated() {
      let name = crucible_soup_name(core, index)
      let kind = ["slow", "fast", "state"][Int(crucible_name_kind(name).rawValue)]
      let matcher = Matcher(crucible_name_matcher(name))
      lines.append(
        "  \(kind) \(count.label): \(count.molecules), component \(crucible_name_component(name)), \(matcher)")
    }
    for index in 0..<crucible_soup_reaction_count(core) {
      let info = crucible_soup_reaction(core, index)
      let placement = info.placement == CRUCIBLE_INLINE ? "inline" : "pool"
      lines.append(
        "  reaction \(patternText(core, index)) on \(placement) (\(String(cString: info.file)):\(info.line))")
    }
    return lines.joined(separator: "\n")
  }
}

/// What waited in a soup at one moment.
public struct Snapshot: Sendable {
  /// One name's waiting molecules; a state counts 1 unless a body has it.
  public struct Count: Sendable, Hashable {
    public let label: String
    public let molecules: Int
  }

  /// In the order of declaration.
  public let counts: [Count]
  /// Firings that were reserved for the pool or ran on it.
  public let pending: Int
  private let core: UInt
  private let soup: String

  init(of core: OpaquePointer) {
    var molecules = [UInt64](repeating: 0, count: crucible_soup_name_count(core))
    crucible_soup_counts(core, &molecules)
    counts = molecules.enumerated().map { index, count in
      Count(label: String(cString: crucible_name_label(crucible_soup_name(core, index))), molecules: Int(count))
    }
    pending = Int(crucible_soup_pending(core))
    self.core = UInt(bitPattern: core)
    soup = String(cString: crucible_soup_label(core))
  }

  /// The waiting molecules of a name of this soup.
  public subscript<Name: Consumable>(name: Name, file: StaticString = #fileID, line: UInt = #line) -> Int {
    let other = crucible_name_soup(name._name)
    if UInt(bitPattern: other) != core {
      let label = String(cString: crucible_name_label(name._name))
      let owner = String(cString: crucible_soup_label(other))
      fatalError(
        "Crucible: snapshot of soup '\(soup)' (\(file):\(line)): molecule '\(label)' is of soup '\(owner)'",
        file: file, line: line)
    }
    return counts[crucible_name_index(name._name)].molecules
  }

  /// The waiting molecules of all names with this label.
  public subscript(label: String) -> Int {
    counts.reduce(0) { $1.label == label ? $0 + $1.molecules : $0 }
  }
}
