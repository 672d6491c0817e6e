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
  /// - Complexity: O(keys + molecules). Blocks for a moment, and so does who injects a key of the group that is read.
  public func keys<Key: Hashable & Sendable>(
    of name: some Soup.Name, as: Key.Type = Key.self, file: StaticString = #fileID, line: UInt = #line
  ) -> [Key] {
    if crucible_name_key_type(name._name!) != KeyMemory<Key>.type {
      fatalError(
        "Crucible: soup '\(labelOfSoup(core))' (\(file):\(line)): molecule '\(name)' has no key of type \(Key.self)",
        file: file, line: line)
    }
    var keys: [Key] = []
    var add: (UnsafeRawPointer) -> Void = { keys.append(KeyMemory<Key>.key($0).pointee) }
    withUnsafeMutablePointer(to: &add) { add in
      crucible_name_visit_keys(
        name._name!, { $0!.assumingMemoryBound(to: ((UnsafeRawPointer) -> Void).self).pointee($1) }, add)
    }
    return keys
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

/// A key of any type, for a look at its molecules.
struct AnyKey {
  let type: UnsafeRawPointer
  /// Sets the counts of the soup's names.
  let count: (OpaquePointer, inout [UInt64]) -> Void

  init<Key: Hashable>(_ key: Key) {
    let type = KeyMemory<Key>.type
    self.type = type
    count = { core, counts in
      withUnsafePointer(to: key) { key in
        let hash = KeyMemory<Key>.hash(key, KeyMemory<Key>.areWords)
        crucible_soup_counts_of(core, type, key, hash, &counts)
      }
    }
  }
}
