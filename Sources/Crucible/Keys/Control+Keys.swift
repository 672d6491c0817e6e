import CCrucible

extension Soup.Control {
  /// The keys of which a molecule of the name waits. The groups of keys are read one after the other.
  ///
  /// ```swift
  /// let waiting: [String] = control.keys(of: line)
  /// ```
  ///
  /// A name without keys, or with keys of another type, ends the program with a message. A soup that is gone has none.
  ///
  /// - Complexity: O(keys + molecules). Blocks for a moment. Injections of keys in the group that is
  ///   read block as well.
  public func keys<Key: Hashable & Sendable>(
    of name: some Soup.Name, as: Key.Type = Key.self, file: StaticString = #fileID, line: UInt = #line
  ) -> [Key] {
    if crucible_name_key(name._name!)?.pointee.type != KeyMemory<Key>.type {
      fatalError(
        "Crucible: soup '\(labelOfSoup(core))' (\(file):\(line)): molecule '\(name)' has no key of type \(Key.self)",
        file: file, line: line)
    }
    var keys: [Key] = []
    visitKeys(of: name._name!) { key, _ in keys.append(KeyMemory<Key>.key(key).pointee) }
    return keys
  }

  private func visitKeys(of name: OpaquePointer, _ visit: @escaping (UnsafeRawPointer, Int) -> Void) {
    var visit = visit
    withUnsafeMutablePointer(to: &visit) { visit in
      crucible_name_visit_keys(
        name,
        { visit, key, count in
          visit!.assumingMemoryBound(to: ((UnsafeRawPointer, Int) -> Void).self).pointee(key, Int(count))
        }, visit)
    }
  }

  /// Returns the longest backlogs of each name with keys, in the order of declaration.
  ///
  /// ```swift
  /// for backlogs in control.backlogs(longest: 3) { print(backlogs) }
  /// ```
  ///
  /// The groups of keys are read one after the other. States have no backlog. A soup that is gone has none.
  ///
  /// - Complexity: O(keys × longest). Blocks for a moment. Injections of keys in the group that is
  ///   read block as well.
  public func backlogs(longest: Int = 10) -> [Soup.Backlogs] {
    namesOfSoup(core).compactMap { name in
      if crucible_name_key(name)?.pointee.read == nil { return nil }
      var found = Soup.Backlogs(label: labelOfName(name), name: crucible_name_index(name))
      visitKeys(of: name) { key, count in
        found.keys += 1
        let place = found.longest.firstIndex { $0.molecules < count } ?? found.longest.count
        if place >= longest { return }
        found.longest.insert(.init(key: Keying.copy(key, name), molecules: count), at: place)
        if found.longest.count > longest { found.longest.removeLast() }
      }
      return found
    }
  }

  /// Returns what ``snapshot()`` does, with the molecules and states of one key instead of all. A state counts 1 unless
  /// a body has it. Names without keys, and those with keys of another type, count 0.
  ///
  /// - Complexity: as ``snapshot()``, and O(molecules of the key).
  public func snapshot<Key: Hashable & Sendable>(of key: Key) -> Soup.Snapshot {
    Soup.Snapshot(of: core, key: AnyKey(key))
  }

  /// Explains what one key lacks. The reactions are those whose names have keys of this type. Callers and timers are
  /// those of no key, and so are missing.
  ///
  /// - Complexity: as ``explain()``, and O(molecules of the key).
  public func explain<Key: Hashable & Sendable>(of key: Key) -> Explanation {
    Explanation(of: core, key: AnyKey(key))
  }
}

extension Soup {
  /// The keys of a name of which molecules wait: their number, and those with the most molecules.
  public struct Backlogs: Sendable, CustomStringConvertible {
    /// The molecules of one key that wait.
    public struct Backlog: Sendable {
      /// The key.
      public let key: any Hashable & Sendable
      /// The number of its molecules, 1 or more.
      public let molecules: Int
    }

    /// The label of the name.
    public let label: String
    /// The index of the name in ``ReactionGraph/names`` and ``Snapshot/counts``.
    public let name: Int
    /// The number of keys of which molecules wait.
    public fileprivate(set) var keys = 0
    /// The keys with the most molecules, the longest backlog first.
    public fileprivate(set) var longest: [Backlog] = []

    /// The number of keys, and the longest backlogs, in one line.
    public var description: String {
      "\(label): \(keys) keys" + (longest.isEmpty ? "" : ", the longest ")
        + longest.map { "\($0.key) (\($0.molecules))" }.joined(separator: ", ")
    }
  }
}

/// A key of any type, for a look at its molecules.
struct AnyKey {
  let type: UnsafeRawPointer
  /// Sets the counts of the soup's names.
  let count: (OpaquePointer, inout [UInt64]) -> Void

  init<Key: Hashable>(_ key: Key) {
    let type = KeyMemory<Key>.type
    self.type = type
    count = { core, counts in
      let numbers = KeyMemory<Key>.areWords ? nil : whileHeld(core) { SoupContext.known(of: core)?.keyNumbers }
      withUnsafePointer(to: key) { key in
        let hash = numbers?.number(of: key.pointee) ?? KeyMemory<Key>.hash(key, KeyMemory<Key>.areWords)
        crucible_soup_counts_of(core, type, key, hash, &counts)
      }
    }
  }
}
