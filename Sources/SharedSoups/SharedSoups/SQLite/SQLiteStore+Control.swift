extension SQLiteStore {
  func setCondition(_ condition: Condition, of soup: Int64) throws {
    try transact(soup) { try set(condition, $0) }
  }

  private func set(_ condition: Condition, _ transaction: Transaction) throws {
    let (connection, soup) = (transaction.connection, transaction.soup)
    try connection.run("UPDATE soup SET condition = ? WHERE id = ?", condition.rawValue, soup)
    transaction.condition = condition
    if condition == .stopped { try stopCalls(transaction) }
    transaction.ringEverybody()
  }

  func contents(of soup: Int64) throws -> Contents { try transact(soup, contents) }

  func endDrain(of soup: Int64, inAnyCase: Bool) throws -> Contents? {
    try transact(soup) { transaction in
      if transaction.condition == .draining {
        if try !inAnyCase && isBusy(transaction) { return nil }
        try set(.stopped, transaction)
      }
      return try contents(transaction)
    }
  }

  private func contents(_ transaction: Transaction) throws -> Contents {
    // The contents do not count workers whose processes have ended.
    try recover(onlyEnded: true, transaction)
    let (connection, soup) = (transaction.connection, transaction.soup)
    func counts(_ sql: StaticString) throws -> [Int64: Int] {
      let counts = try connection.all(sql, soup) { ($0.int(0), Int($0.int(1))) }
      return Dictionary(uniqueKeysWithValues: counts)
    }
    var contents = Contents()
    contents.condition = transaction.condition
    contents.waiting = try counts(
      """
      SELECT name.id, count(mol.id) FROM name LEFT JOIN mol ON mol.name = name.id WHERE soup = ? GROUP BY name.id
      """)
    contents.later = try counts("SELECT name, count(*) FROM later WHERE soup = ? GROUP BY name")
    contents.retries = try counts(
      """
      SELECT reaction, count(*) FROM firing WHERE worker = 0
        AND reaction IN (SELECT id FROM reaction WHERE soup = ?) GROUP BY reaction
      """)
    contents.running = try counts(
      """
      SELECT reaction, count(*) FROM firing WHERE worker <> 0
        AND reaction IN (SELECT id FROM reaction WHERE soup = ?) GROUP BY reaction
      """)
    contents.dead = Int(try connection.first("SELECT count(*) FROM dead WHERE soup = ?", soup) { $0.int(0) } ?? 0)
    contents.calls = Int(
      try connection.first("SELECT count(*) FROM call WHERE soup = ? AND kind IS NULL", soup) { $0.int(0) } ?? 0)
    contents.consumed = try connection.first("SELECT consumed FROM soup WHERE id = ?", soup) { $0.int(0) } ?? 0
    contents.workers = try connection.all(
      """
      SELECT class, process, (SELECT count(*) FROM firing WHERE firing.worker = lease.worker) FROM lease
      WHERE soup = ?
      """, soup
    ) {
      Contents.Worker(
        reactions: Set(transaction.chemistry.offers[$0.int(0)] ?? []), firings: Int($0.int(2)),
        process: Int32($0.int(1)))
    }
    contents.isBusy = try isBusy(transaction)
    return contents
  }

  func isBusy(_ transaction: Transaction) throws -> Bool {
    let connection = transaction.connection
    for reaction in transaction.chemistry.reactions.keys {
      // Rows of `ready` may be outdated.
      while let key = try connection.first(
        "SELECT key FROM ready WHERE reaction = ? ORDER BY turn LIMIT 1", reaction, body: { $0.text(0) })
      {
        if try transaction.isEnabled(reaction, key) { return true }
        try connection.run("DELETE FROM ready WHERE reaction = ? AND key = ?", reaction, key)
      }
    }
    return try connection.exists(
      "SELECT 1 FROM firing WHERE reaction IN (SELECT id FROM reaction WHERE soup = ?) LIMIT 1", transaction.soup)
  }

  func molecules(of name: Int64, in soup: Int64, limit: Int) throws -> [Molecule] {
    try read { connection in
      // Without keys they are in their order already.
      let hasKeys = try connection.exists("SELECT 1 FROM mol WHERE name = ? AND key > '' LIMIT 1", name)
      return try connection.all(
        hasKeys
          ? "SELECT name, key, id, value, client, number, expires FROM mol WHERE name = ? ORDER BY id LIMIT ?"
          : """
          SELECT name, key, id, value, client, number, expires FROM mol WHERE name = ? AND key = '' ORDER BY id LIMIT ?
          """, name, limit, body: Molecule.init)
    }
  }

  func deadFirings(of soup: Int64) throws -> [DeadFiring] {
    try read { connection in
      try connection.all(
        "SELECT client, number, reaction, failures, losses, error, inputs FROM dead WHERE soup = ?", soup
      ) {
        DeadFiring(
          id: ClientID(client: $0.int(0), number: $0.int(1)), reaction: $0.int(2), failures: Int($0.int(3)),
          losses: Int($0.int(4)), error: $0.text(5), inputs: [Molecule](bytes: $0.bytes(6)))
      }
    }
  }

  func settleDead(_ id: ClientID, of soup: Int64, retry: Bool) throws -> Bool {
    try transact(soup) { transaction in
      let connection = transaction.connection
      let found = try connection.first(
        "SELECT reaction, fence, inputs FROM dead WHERE soup = ? AND client = ? AND number = ?", soup, id.client,
        id.number
      ) { ($0.int(0), $0.int(1), [Molecule](bytes: $0.bytes(2))) }
      guard let (reaction, fence, inputs) = found else { return false }
      try connection.run("DELETE FROM dead WHERE soup = ? AND client = ? AND number = ?", soup, id.client, id.number)
      if retry && transaction.chemistry.reactions[reaction] == nil {
        // An upgrade has removed the reaction.
        for input in inputs { try transaction.add(input) }
      } else if retry {
        try transaction.record(
          HeldFiring(id: id, reaction: reaction, fence: fence, failures: 0, losses: 0, inputs: inputs), of: 0,
          due: transaction.now)
        transaction.ringWorkers(of: reaction)
      }
      return true
    }
  }
}
