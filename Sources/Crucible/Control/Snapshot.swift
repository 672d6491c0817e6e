import CCrucible

extension Soup {
  /// The contents of a soup at one moment.
  ///
  /// The counts are atomic per component (names connected by sharing reactions). While callers give up, the number of
  /// calls may be too large for a moment, never too small. The bodies that run are read right after, one by one.
  public struct Snapshot: Sendable {
    /// The waiting molecules of one name, of all keys if it has keys. A state counts 1 unless a body has it. One with
    /// keys counts those that have a value, as the last bodies have left it.
    public struct Count: Sendable, Hashable, CustomStringConvertible {
      /// The name's label.
      public let label: String
      /// The number of molecules of the name that waited.
      public let molecules: Int
      /// Whether ``Soup/Control/pause(_:file:line:)`` holds these molecules.
      public let isPaused: Bool

      public var description: String { "\(label) \(molecules)" + (isPaused ? " (paused)" : "") }
    }

    /// The bodies of one reaction that run.
    public struct Running: Sendable, Hashable, CustomStringConvertible {
      /// The reaction.
      public let reaction: ReactionInfo
      /// The number of its bodies that ran.
      public let bodies: Int

      public var description: String { "\(bodies) × \(reaction)" }
    }

    /// The timers of one name.
    public struct Timers: Sendable, Hashable, CustomStringConvertible {
      /// The name's label.
      public let label: String
      /// The number of armed timers, 1 or more.
      public let count: Int
      /// The time until the first of them injects its molecule, by the soup's clock.
      public let next: Duration
      /// The number of the name in the soup.
      let name: Int

      public var description: String {
        "\(label): " + (count == 1 ? "1 timer, due in " : "\(count) timers, the next due in ") + text(next)
      }
    }

    /// The errors of one reaction's bodies.
    public struct Failures: Sendable, Hashable, CustomStringConvertible {
      /// The reaction.
      public let reaction: ReactionInfo
      /// The number of its bodies that threw since the definition, 1 or more.
      public let errors: Int
      /// The number of these errors after which the inputs were put back.
      public let retries: Int

      public var description: String { "\(reaction): \(errors) errors, \(retries) retries" }
    }

    /// The soup's label.
    public let soup: String
    /// The names and their counts, in the order of declaration. Empty before the definition has ended.
    public let counts: [Count]
    /// The armed timers of each name that has some, in the order of declaration.
    public let timers: [Timers]
    /// The number of callers whose fast molecules wait.
    public let waitingCallers: Int
    /// The number of firings that have consumed their molecules and wait for a thread of the pool.
    public let reserved: Int
    /// The reactions whose bodies run, as far as these are innermost on their threads.
    public let running: [Running]
    /// The errors of each reaction whose bodies have thrown, in the order of declaration.
    public let failures: [Failures]
    /// The number of molecules that ``Soup/Control/clear()`` and ``Soup/Control/stop(cancelling:within:)`` have dropped
    /// since the definition, and of those that have expired or found no room without a name to go into (<doc:Keys>).
    public let dropped: Int
    /// The number of calls that were withdrawn because their callers gave up, since the definition.
    public let withdrawn: Int
    /// Whether the soup was paused.
    public let isPaused: Bool
    /// Whether the soup was stopped.
    public let isStopped: Bool
    /// Whether ``Soup/Control/drain(within:)`` is waiting for the soup.
    public let isDraining: Bool
    /// The number of firings that were reserved for the pool or ran on it.
    public let pending: Int
    private let core: UInt

    init(of core: OpaquePointer, key: AnyKey? = nil) {
      // Before that the defining thread may be adding names and reactions.
      let isComplete = crucible_soup_is_frozen(core)
      let names = isComplete ? namesOfSoup(core) : []
      var molecules = [UInt64](repeating: 0, count: names.count)
      if let key, isComplete {
        key.count(core, &molecules)
      } else if isComplete {
        crucible_soup_counts(core, &molecules)
      }
      let counted = zip(names, molecules)
      counts = counted.map { name, count in
        Count(label: labelOfName(name), molecules: Int(count), isPaused: crucible_name_is_paused(name))
      }
      waitingCallers = counted.reduce(0) { $0 + (crucible_name_kind($1.0) == CRUCIBLE_FAST ? Int($1.1) : 0) }
      timers = isComplete ? Timers.all(in: core) : []
      (running, reserved) = isComplete ? Running.all(in: core) : ([], reserved: 0)
      failures = Failures.all(in: core)
      pending = Int(crucible_soup_pending(core))
      dropped = Int(crucible_soup_dropped(core))
      withdrawn = Int(crucible_soup_withdrawn(core))
      isPaused = crucible_soup_is_paused(core)
      isStopped = crucible_soup_is_stopped(core)
      isDraining = crucible_soup_is_draining(core)
      self.core = UInt(bitPattern: core)
      soup = labelOfSoup(core)
    }

    /// The waiting molecules of a name of this soup. A fact that is known counts 1.
    ///
    /// - Complexity: O(1). By a label it is O(names).
    public subscript(name: some Soup.Name, file: StaticString = #fileID, line: UInt = #line) -> Int {
      let owner: OpaquePointer = crucible_name_soup(name._name!)
      if UInt(bitPattern: owner) != core {
        fatalError(
          """
          Crucible: snapshot of soup '\(soup)' (\(file):\(line)): molecule '\(name)' is of soup '\(labelOfSoup(owner))'
          """, file: file, line: line)
      }
      return counts.isEmpty ? 0 : counts[crucible_name_index(name._name!)].molecules
    }

    /// The waiting molecules of all names with this label; `nil` if the soup has no such name.
    ///
    /// ```swift
    /// if let backlog = control.snapshot()["job"], backlog > 1_000 { … }
    /// ```
    public subscript(label: String) -> Int? {
      let labelled = counts.filter { $0.label == label }
      return labelled.isEmpty ? nil : labelled.reduce(0) { $0 + $1.molecules }
    }
  }
}

extension Soup.Snapshot.Timers {
  static func all(in core: OpaquePointer) -> [Soup.Snapshot.Timers] {
    list(whileHeld(core) { SoupContext.known(of: core)?.timers?.look() } ?? [:], in: core)
  }

  static func list(_ timers: [Int: (count: Int, next: UInt64)], in core: OpaquePointer) -> [Soup.Snapshot.Timers] {
    timers.sorted { $0.key < $1.key }.map { name, timers in
      let label = labelOfName(crucible_soup_name(core, name))
      return Soup.Snapshot.Timers(
        label: label, count: timers.count, next: .nanoseconds(Int64(clamping: timers.next)), name: name)
    }
  }

  static func ended(_ timers: [Soup.Snapshot.Timers]) -> String {
    "timers ended: \(timers.map { "\($0.count) × \($0.label)" }.joined(separator: ", "))"
  }
}

extension Soup.Snapshot.Failures {
  /// Returns nothing before the definition has ended: no thread may read the reactions yet, and none has fired.
  static func all(in core: OpaquePointer) -> [Soup.Snapshot.Failures] {
    guard crucible_soup_is_frozen(core), crucible_soup_hold(core) else { return [] }
    defer { crucible_soup_release(core) }
    return ReactionBody.all(in: core).compactMap { reaction in
      // In this order, so that there are never more retries than errors.
      let retries = reaction.retries
      let errors = reaction.errors
      if errors == 0 { return nil }
      let info = Soup.ReactionInfo(reaction.index, in: core)
      return Soup.Snapshot.Failures(reaction: info, errors: errors, retries: retries)
    }
  }
}

extension Soup.Snapshot: CustomStringConvertible {
  /// The counts of all names, and all other numbers that are not zero, in one line.
  public var description: String {
    var text = "soup '\(soup)'" + (isStopped ? ", stopped" : "") + (isPaused ? ", paused" : "") + ": "
    text += counts.isEmpty ? "no names" : counts.map(\.description).joined(separator: ", ")
    let others = [
      ("waiting callers", waitingCallers), ("reserved", reserved), ("dropped", dropped), ("withdrawn", withdrawn),
    ]
    for (what, number) in others where number != 0 { text += "; \(what) \(number)" }
    for timers in timers { text += "; \(timers)" }
    for failures in failures { text += "; \(failures)" }
    return text + (running.isEmpty ? "" : "; running \(running.map(\.description).joined(separator: ", "))")
  }
}

extension Soup.Snapshot.Running {
  static func all(in core: OpaquePointer) -> ([Soup.Snapshot.Running], reserved: Int) {
    let (bodies, reserved) = counts(in: core)
    let running = bodies.enumerated().filter { $1 > 0 }.map { index, count in
      Soup.Snapshot.Running(reaction: Soup.ReactionInfo(index, in: core), bodies: count)
    }
    return (running, reserved)
  }

  static func counts(in core: OpaquePointer) -> ([Int], reserved: Int) {
    var bodies = [UInt64](repeating: 0, count: crucible_soup_reaction_count(core))
    var reserved: UInt64 = 0
    crucible_soup_activity(core, &bodies, &reserved)
    return (bodies.map { Int($0) }, Int(reserved))
  }
}
