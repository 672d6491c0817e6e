extension SQLiteStore {
  func inject(
    _ injections: [Injection], into soup: Int64, _ repetition: Repetition?, forgetting calls: [ClientID]
  ) throws -> Bool {
    try transact(soup) { transaction in
      for call in calls { _ = try withdraw(call, transaction) }
      guard transaction.condition.accepts else { throw EngineError.stopped(transaction.label) }
      guard try isFirst(repetition, transaction) else { return false }
      try transaction.put(injections)
      return true
    }
  }

  private func isFirst(_ repetition: Repetition?, _ transaction: Transaction) throws -> Bool {
    let connection = transaction.connection
    switch repetition {
    case nil: return true
    case .once(let tag):
      try connection.run("INSERT OR IGNORE INTO once VALUES(?, ?)", transaction.soup, tag)
    case .numbered(let producer, let number):
      try connection.run(
        """
        INSERT INTO producer VALUES(?, ?, ?)
        ON CONFLICT DO UPDATE SET number = excluded.number WHERE excluded.number > number
        """, transaction.soup, producer, number)
    }
    return connection.changes > 0
  }

  func outcomes(of client: Int64, in soup: Int64) throws -> [Int64: CallOutcome] {
    try read { connection in
      let outcomes = try connection.all(
        "SELECT number, kind, value FROM call INDEXED BY answered WHERE client = ? AND kind IS NOT NULL", client
      ) { ($0.int(0), CallOutcome(kind: $0.int(1), value: $0.bytes(2))) }
      return Dictionary(uniqueKeysWithValues: outcomes)
    }
  }

  func withdraw(_ calls: [ClientID], from soup: Int64) throws -> [CallOutcome?] {
    try transact(soup) { transaction in try calls.map { try withdraw($0, transaction) } }
  }

  private func withdraw(_ call: ClientID, _ transaction: Transaction) throws -> CallOutcome? {
    let connection = transaction.connection
    let row = try connection.first(
      "SELECT name, key, mol, kind, value FROM call WHERE client = ? AND number = ?", call.client, call.number
    ) { ($0.int(0), $0.text(1), $0.int(2), $0.intOrNil(3), $0.bytes(4)) }
    guard let (name, key, molecule, kind, value) = row else { return nil }
    // The row goes, so a reply that comes later finds none (invariant 6).
    try connection.run("DELETE FROM call WHERE client = ? AND number = ?", call.client, call.number)
    if let kind { return CallOutcome(kind: kind, value: value) }
    try connection.run("DELETE FROM mol WHERE name = ? AND key = ? AND id = ?", name, key, molecule)
    transaction.noteProgress()
    return nil
  }

  /// Ends the calls whose molecules wait, in bags or in firings that run again. With `all` it also ends those that
  /// workers have.
  func stopCalls(all: Bool = false, _ transaction: Transaction) throws {
    let connection = transaction.connection
    let calls = try connection.all(
      "SELECT client, number, name, key, mol FROM call WHERE soup = ? AND kind IS NULL", transaction.soup
    ) { (ClientID(client: $0.int(0), number: $0.int(1)), $0.int(2), $0.text(3), $0.int(4)) }
    for (call, name, key, molecule) in calls {
      try connection.run("DELETE FROM mol WHERE name = ? AND key = ? AND id = ?", name, key, molecule)
      if connection.changes > 0 || all { _ = try transaction.settle(call, .stopped) }
    }
    let waiting = try connection.all(
      "SELECT inputs FROM firing WHERE worker = 0 AND reaction IN (SELECT id FROM reaction WHERE soup = ?)",
      transaction.soup
    ) { [Molecule](bytes: $0.bytes(0)) }
    for inputs in waiting { try transaction.stopCalls(of: inputs) }
  }
}

extension Transaction {
  func stopCalls(of inputs: [Molecule]) throws {
    for case let call? in inputs.map(\.call) { _ = try settle(call, .stopped) }
  }
}
