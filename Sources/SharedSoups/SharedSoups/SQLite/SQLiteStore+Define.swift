/// The time for which a reaction stays that no process has.
let memoryOfReactions: Int64 = 3_600_000_000_000

extension SQLiteStore {
  func define(_ chemistry: Chemistry, _ upgrade: Upgrade, initial: ([Int64]) -> [Injection]) throws -> Defined {
    var (names, newNames): ([Int64], Set<Int64>) = ([], [])
    var (reactions, newReactions): ([Int64], Set<Int64>) = ([], [])
    return try transact { connection in
      let soup = try findOrAdd(chemistry, upgrade, connection)
      (names, newNames) = try addNames(chemistry, to: soup, connection)
      (reactions, newReactions) = try addReactions(chemistry, names, to: soup, connection)
      try connection.run("UPDATE soup SET version = version + 1 WHERE id = ?", soup)
      return soup
    } _: { transaction in
      // In the same step: a state that is declared is there.
      try transaction.put(initial(names).filter { newNames.contains($0.name) })
      try recover(onlyEnded: true, transaction)
      try retireReactions(except: reactions, transaction)
      for id in newReactions { try noteAllReady(id, transaction) }
      return Defined(soup: transaction.soup, names: names, reactions: reactions)
    }
  }

  private func findOrAdd(_ chemistry: Chemistry, _ upgrade: Upgrade, _ connection: Connection) throws -> Int64 {
    guard let soup = try connection.first("SELECT id FROM soup WHERE label = ?", chemistry.label, body: { $0.int(0) })
    else {
      try connection.run(
        "INSERT INTO soup(label, condition, version, next, consumed) VALUES(?, 0, 0, 0, 0)", chemistry.label)
      return try connection.first("SELECT last_insert_rowid()") { $0.int(0) }!
    }
    let names = try connection.all("SELECT label, text FROM name WHERE soup = ?", soup) {
      (label: $0.text(0), text: $0.text(1))
    }
    let reactions = try connection.all("SELECT label FROM reaction WHERE soup = ?", soup) { $0.text(0) }
    let all = differences(names: names, reactions: reactions, from: chemistry, allowing: upgrade)
    if !all.isEmpty {
      throw EngineError(
        .differs,
        "the shared soup '\(chemistry.label)' is defined differently already: \(all.joined(separator: "; "))")
    }
    return soup
  }

  /// Adds the names that the soup does not have. Returns all, and those that are new.
  private func addNames(
    _ chemistry: Chemistry, to soup: Int64, _ connection: Connection
  ) throws -> ([Int64], new: Set<Int64>) {
    var (names, new): ([Int64], Set<Int64>) = ([], [])
    for name in chemistry.names {
      try connection.run(
        "INSERT OR IGNORE INTO name(soup, label, kind, text) VALUES(?, ?, ?, ?)", soup, name.label,
        name.kind.rawValue, name.description)
      let isNew = connection.changes > 0
      let id = try connection.first("SELECT id FROM name WHERE soup = ? AND label = ?", soup, name.label) { $0.int(0) }!
      names.append(id)
      if isNew { new.insert(id) }
    }
    for (name, id) in zip(chemistry.names, names) {
      try connection.run(
        "UPDATE name SET late = ?, lifetime = ? WHERE id = ?", name.late.map { names[$0] }, name.lifetime, id)
    }
    return (names, new)
  }

  /// Adds the reactions that the soup does not have. Returns all, and those that are new.
  private func addReactions(
    _ chemistry: Chemistry, _ names: [Int64], to soup: Int64, _ connection: Connection
  ) throws -> ([Int64], new: Set<Int64>) {
    var (reactions, new): ([Int64], Set<Int64>) = ([], [])
    for reaction in chemistry.reactions {
      try connection.run(
        "INSERT OR IGNORE INTO reaction(soup, label, state, losses, seen) VALUES(?, ?, ?, ?, 0)", soup,
        reaction.label, reaction.state.map { names[$0] }, reaction.losses)
      let isNew = connection.changes > 0
      let id = try connection.first(
        "SELECT id FROM reaction WHERE soup = ? AND label = ?", soup, reaction.label
      ) { $0.int(0) }!
      reactions.append(id)
      if isNew {
        new.insert(id)
        for (position, input) in reaction.inputs.enumerated() {
          try connection.run("INSERT INTO input VALUES(?, ?, ?)", id, position, names[input])
        }
      }
      try connection.run("UPDATE reaction SET losses = ?, seen = ? WHERE id = ?", reaction.losses, clock.now, id)
    }
    return (reactions, new)
  }

  /// Removes the reactions that no worker offers, and that no definition or worker has had for a while: a process that
  /// has declared one may not offer it yet. The inputs of firings go back into the bags.
  private func retireReactions(except kept: [Int64], _ transaction: Transaction) throws {
    let connection = transaction.connection
    for id in transaction.chemistry.reactions.keys where !kept.contains(id) {
      let isInUse = try connection.exists(
        """
        SELECT 1 FROM lease JOIN offer ON offer.class = lease.class WHERE offer.reaction = ?1
        UNION ALL SELECT 1 FROM reaction WHERE id = ?1 AND seen > ?2
        """, id, transaction.now - memoryOfReactions)
      if isInUse { continue }
      transaction.chemistry.reactions[id] = nil
      for name in transaction.chemistry.consumers.keys {
        transaction.chemistry.consumers[name]!.removeAll { $0 == id }
      }
      let left = try connection.all("SELECT inputs FROM firing WHERE worker = 0 AND reaction = ?", id) { $0.bytes(0) }
      for molecule in left.flatMap([Molecule].init(bytes:)) { try transaction.add(molecule) }
      try connection.run("DELETE FROM firing WHERE worker = 0 AND reaction = ?", id)
      try connection.run("DELETE FROM ready WHERE reaction = ?", id)
      try connection.run("DELETE FROM input WHERE reaction = ?", id)
      try connection.run("DELETE FROM offer WHERE reaction = ?", id)
      try connection.run("DELETE FROM reaction WHERE id = ?", id)
      try connection.run("UPDATE soup SET version = version + 1 WHERE id = ?", transaction.soup)
    }
  }

  /// Notes with which keys a new reaction can fire: it finds molecules that wait.
  private func noteAllReady(_ reaction: Int64, _ transaction: Transaction) throws {
    guard let first = transaction.chemistry.reactions[reaction]?.inputs.first else { return }
    let keys = try transaction.connection.all("SELECT DISTINCT key FROM mol WHERE name = ?", first) { $0.text(0) }
    for key in keys { try transaction.noteIfReady(reaction, key) }
  }

  func destroy(_ soup: Int64) throws {
    try transact(soup) { transaction in
      let connection = transaction.connection
      // Callers read the outcome of their calls; the rows stay for them.
      try stopCalls(all: true, transaction)
      for table in [
        "DELETE FROM mol WHERE name IN (SELECT id FROM name WHERE soup = ?)",
        "DELETE FROM taken WHERE name IN (SELECT id FROM name WHERE soup = ?)",
        "DELETE FROM firing WHERE reaction IN (SELECT id FROM reaction WHERE soup = ?)",
        "DELETE FROM ready WHERE reaction IN (SELECT id FROM reaction WHERE soup = ?)",
        "DELETE FROM input WHERE reaction IN (SELECT id FROM reaction WHERE soup = ?)",
        "DELETE FROM offer WHERE reaction IN (SELECT id FROM reaction WHERE soup = ?)",
        "DELETE FROM later WHERE soup = ?", "DELETE FROM dead WHERE soup = ?", "DELETE FROM lease WHERE soup = ?",
        "DELETE FROM class WHERE soup = ?", "DELETE FROM producer WHERE soup = ?", "DELETE FROM once WHERE soup = ?",
        "DELETE FROM name WHERE soup = ?", "DELETE FROM reaction WHERE soup = ?", "DELETE FROM soup WHERE id = ?",
      ] as [StaticString] {
        try connection.run(table, soup)
      }
      transaction.ringEverybody()
    }
  }
}
