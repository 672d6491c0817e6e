extension SQLiteStore {
  func register(_ worker: Int64, of soup: Int64, offering reactions: [Int64], lease: Int64) throws -> Registration {
    try transact(soup) { transaction in
      let connection = transaction.connection
      try recover(transaction)
      let known = transaction.chemistry.reactions
      if reactions.contains(where: { known[$0] == nil }) { throw EngineError.outdated(transaction.label) }
      let list = reactions.sorted().map(String.init).joined(separator: ",")
      try connection.run("DELETE FROM class WHERE soup = ? AND id NOT IN (SELECT class FROM lease)", soup)
      try connection.run("DELETE FROM offer WHERE class NOT IN (SELECT id FROM class)")
      // The smallest free number, so that few classes share a bell.
      try connection.run(
        """
        INSERT OR IGNORE INTO class(id, soup, reactions) VALUES(
          (SELECT min(id) FROM (SELECT 1 AS id UNION ALL SELECT id + 1 FROM class)
           WHERE id NOT IN (SELECT id FROM class)), ?, ?)
        """, soup, list)
      let offering = try connection.first(
        "SELECT id FROM class WHERE soup = ? AND reactions = ?", soup, list
      ) { $0.int(0) }!
      for reaction in reactions {
        try connection.run("INSERT OR IGNORE INTO offer VALUES(?, ?)", reaction, offering)
      }
      try noteUse(of: offering, transaction)
      // The lock is there before the row, and is released after it: a row without a lock is that of a dead process.
      // No row has its number, not even that of a dead process of another soup.
      let free = try connection.first("SELECT coalesce(max(life), 0) + 1 FROM lease") { $0.int(0) }!
      let life = try lives.begin(from: free)
      try connection.run(
        "INSERT INTO lease VALUES(?, ?, ?, ?, ?, ?)", worker, soup, offering, clock.awake.adding(lease),
        life.number, Int(processNumber()))
      try noteChange(transaction)
      return Registration(
        bell: Bell.ofClass(offering), life: life, peers: try peers(of: worker, transaction))
    }
  }

  func extend(_ worker: Int64, of soup: Int64, lease: Int64) throws -> [Peer] {
    try transact(soup) { transaction in
      let connection = transaction.connection
      try connection.run("UPDATE lease SET until = ? WHERE worker = ?", clock.awake.adding(lease), worker)
      if connection.changes == 0 { throw LeaseIsOver() }
      try connection.run("UPDATE clock SET last = ?", transaction.now)
      try sweepCalls(transaction)
      try recover(transaction)
      return try peers(of: worker, transaction)
    }
  }

  func release(_ worker: Int64, of soup: Int64) throws {
    try transact(soup) { transaction in try takeBack(from: worker, isLost: false, transaction) }
  }

  /// Notes that a worker has the reactions of the class now.
  private func noteUse(of offering: Int64, _ transaction: Transaction) throws {
    try transaction.connection.run(
      "UPDATE reaction SET seen = ? WHERE id IN (SELECT reaction FROM offer WHERE class = ?)", transaction.now,
      offering)
  }

  /// Takes the firings back from the workers whose processes have ended, and, without `onlyEnded`, from those whose
  /// leases are over.
  func recover(onlyEnded: Bool = false, _ transaction: Transaction) throws {
    let leases = try transaction.connection.all(
      "SELECT worker, until, life FROM lease WHERE soup = ?", transaction.soup
    ) { ($0.int(0), $0.int(1), $0.int(2)) }
    for (worker, until, life) in leases where try !onlyEnded && until < transaction.asked || !lives.has(life) {
      try takeBack(from: worker, isLost: true, transaction)
    }
  }

  /// Ends a lease. Firings run again, with the same ids and inputs, before new matches. States go back into their bags
  /// as they were (invariant 5).
  private func takeBack(from worker: Int64, isLost: Bool, _ transaction: Transaction) throws {
    let connection = transaction.connection
    let offering = try connection.first("SELECT class FROM lease WHERE worker = ?", worker) { $0.int(0) }
    guard let offering else { return }
    try noteUse(of: offering, transaction)
    try connection.run("DELETE FROM lease WHERE worker = ?", worker)
    let firings = try connection.all(
      "SELECT reaction, client, number, fence, failures, losses, inputs FROM firing WHERE worker = ?", worker
    ) {
      HeldFiring(
        id: ClientID(client: $0.int(1), number: $0.int(2)), reaction: $0.int(0), fence: $0.int(3),
        failures: Int($0.int(4)), losses: Int($0.int(5)) + (isLost ? 1 : 0), inputs: [Molecule](bytes: $0.bytes(6)))
    }
    try connection.run("DELETE FROM firing WHERE worker = ?", worker)
    for firing in firings {
      if let limit = transaction.chemistry.reactions[firing.reaction]?.losses, isLost && firing.losses >= limit {
        try transaction.bury(firing, "its worker was lost \(firing.losses) times")
      } else {
        try transaction.record(firing, of: 0, due: transaction.now)
      }
    }
    let states = try connection.all("SELECT name, id, value FROM taken WHERE worker = ?", worker) {
      Molecule(name: $0.int(0), key: "", id: $0.int(1), value: $0.bytes(2))
    }
    try connection.run("DELETE FROM taken WHERE worker = ?", worker)
    for state in states { try transaction.giveBack(state) }
    // Rings for these firings, and in place of a ring that the worker has not answered.
    try noteChange(transaction)
    transaction.noteProgress()
  }

  private func peers(of worker: Int64, _ transaction: Transaction) throws -> [Peer] {
    try transaction.connection.all(
      "SELECT DISTINCT process FROM lease WHERE soup = ? AND worker <> ?", transaction.soup, worker
    ) { Peer(process: Int32($0.int(0))) }
  }

  /// Tells all processes that the workers have changed: the bells of new ones, and the processes to watch.
  private func noteChange(_ transaction: Transaction) throws {
    try transaction.connection.run("UPDATE soup SET version = version + 1 WHERE id = ?", transaction.soup)
    transaction.ringEverybody()
  }

  /// Deletes outcomes that nobody has read for a day: their callers' processes have ended. Looks once an hour.
  private func sweepCalls(_ transaction: Transaction) throws {
    if transaction.now < nextSweep { return }
    nextSweep = transaction.now + 3_600_000_000_000
    try transaction.connection.run(
      "DELETE FROM call WHERE kind IS NOT NULL AND time < ?", transaction.now - 86_400_000_000_000)
  }
}
