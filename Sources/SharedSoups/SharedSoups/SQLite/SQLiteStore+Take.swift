extension SQLiteStore {
  /// Takes up to `limit` runs: first firings that run again, then new matches, each of a random reaction.
  func take(
    _ limit: Int, for worker: Int64, offering offers: [Int64], _ ids: Numbers, _ transaction: Transaction
  ) throws -> Taken {
    var taken = Taken(version: transaction.chemistry.version)
    guard transaction.condition.fires, limit > 0 else { return taken }
    try runDue(transaction)
    var taker = Taker(
      transaction: transaction, worker: worker, ids: ids,
      reactions: offers.compactMap { transaction.chemistry.reactions[$0] })
    try taker.look()
    while taken.runs.count < limit, let run = try taker.again() { taken.runs.append(run) }
    while taken.runs.count < limit, let run = try taker.fresh(isLast: taken.runs.count == limit - 1) {
      taken.runs.append(run)
    }
    taken.isFull = taker.isFull
    if taken.runs.count == limit || taken.isFull {
      try taker.ringForTheRest()
    } else {
      taken.nextDue = try nextDue(offers, transaction)
    }
    return taken
  }

  /// Moves all that is due, so a molecule whose time is over does not react.
  private func runDue(_ transaction: Transaction) throws {
    let (connection, now) = (transaction.connection, transaction.now)
    let due = try connection.all(
      "SELECT name, key, value, lifetime, due, id FROM later WHERE soup = ? AND due <= ? ORDER BY due, id",
      transaction.soup, now
    ) {
      (Injection(name: $0.int(0), key: $0.text(1), value: $0.bytes(2), lifetime: $0.intOrNil(3)), $0.int(4), $0.int(5))
    }
    for (injection, time, id) in due {
      try connection.run("DELETE FROM later WHERE soup = ? AND due = ? AND id = ?", transaction.soup, time, id)
      try transaction.put([injection])
    }
    // A cross join keeps this order of the tables: first the names of the soup, so those of others cost nothing.
    let expired = try connection.all(
      """
      SELECT name, key, mol.id, value, client, number, expires FROM name CROSS JOIN mol ON mol.name = name.id
      WHERE soup = ? AND expires <= ? ORDER BY expires
      """, transaction.soup, now, body: Molecule.init)
    for molecule in expired {
      try transaction.remove(molecule)
      if let call = molecule.call { _ = try transaction.settle(call, .timedOut) }
      if let late = transaction.chemistry.late[molecule.name] {
        try transaction.put([Injection(name: late.name, key: "", value: molecule.value, lifetime: late.lifetime)])
      }
      transaction.noteProgress()
    }
  }

  /// Returns the time at which the next molecule or firing is due for a worker with these reactions.
  private func nextDue(_ offers: [Int64], _ transaction: Transaction) throws -> Int64? {
    let connection = transaction.connection
    var times = [
      try connection.first("SELECT min(due) FROM later WHERE soup = ?", transaction.soup) { $0.intOrNil(0) },
      try connection.first(
        """
        SELECT min((SELECT min(expires) FROM mol WHERE mol.name = name.id AND expires IS NOT NULL)) FROM name
        WHERE soup = ?
        """, transaction.soup
      ) { $0.intOrNil(0) },
    ]
    for reaction in offers {
      times.append(
        try connection.first(
          "SELECT min(due) FROM firing WHERE worker = 0 AND reaction = ? AND due > ?", reaction, transaction.now
        ) { $0.intOrNil(0) })
    }
    return times.compactMap { $0 ?? nil }.min()
  }
}

/// The steps of a take for one worker.
private struct Taker {
  let transaction: Transaction
  let worker: Int64
  let ids: Numbers
  let reactions: [StoredChemistry.Reaction]
  /// Whether the worker has firings, and whether it must take no more.
  var isBusy = false
  var isFull = false
  private var connection: Connection { transaction.connection }

  /// Looks whether the worker has firings, and one that must be alone.
  mutating func look() throws {
    try connection.each("SELECT reaction, losses FROM firing WHERE worker = ? ORDER BY losses DESC LIMIT 1", worker) {
      isBusy = true
      isFull = transaction.chemistry.reactions[$0.int(0)]?.isSuspect(losses: Int($0.int(1))) ?? false
    }
  }

  /// Takes a firing that runs again. If it must be alone, the worker has no other ones, or waits for their end.
  mutating func again() throws -> Run? {
    if isFull { return nil }
    for reaction in reactions {
      guard let state = try stateIfThere(of: reaction), let (due, firing) = try nextWaiting(of: reaction) else {
        continue
      }
      isFull = reaction.isSuspect(losses: firing.losses)
      if isFull && isBusy { return nil }
      isBusy = true
      return try run(state, take(firing, due))
    }
    return nil
  }

  /// Takes a new match. After the last run that it may take, it notes whether the reaction can fire once more.
  func fresh(isLast: Bool) throws -> Run? {
    if isFull { return nil }
    for reaction in reactions.shuffled() {
      while let key = try connection.first(
        "SELECT key FROM ready WHERE reaction = ? ORDER BY turn LIMIT 1", reaction.id, body: { $0.text(0) })
      {
        if let state = try stateIfThere(of: reaction), let firing = try match(reaction, key) {
          if isLast || !key.isEmpty {
            // The key goes behind the other ones.
            try forgetReady(reaction.id, key)
            try transaction.noteIfReady(reaction.id, key)
          }
          return try run(state, firing)
        }
        try forgetReady(reaction.id, key)
      }
    }
    return nil
  }

  /// Rings for what this take has left, so one molecule wakes one worker, and that one the next.
  func ringForTheRest() throws {
    for reaction in reactions
    where try connection.exists("SELECT 1 FROM ready WHERE reaction = ? LIMIT 1", reaction.id)
      || connection.exists(
        "SELECT 1 FROM firing WHERE worker = 0 AND reaction = ? AND due <= ? LIMIT 1", reaction.id, transaction.now)
    {
      transaction.ringWorkers(of: reaction.id)
    }
  }

  /// The state of the reaction if it is in its bag, `.some(nil)` if the reaction has none.
  private func stateIfThere(of reaction: StoredChemistry.Reaction) throws -> Molecule?? {
    guard let name = reaction.state else { return .some(nil) }
    return try transaction.oldest(name, "", 1).first.map { .some($0) }
  }

  /// Takes the state, and fills the run with further firings over it, oldest first of each reaction.
  private func run(_ state: Molecule?, _ first: HeldFiring) throws -> Run {
    guard let state else { return Run(firings: [first]) }
    try transaction.remove(state)
    try connection.run("INSERT INTO taken VALUES(?, ?, ?, ?)", worker, state.name, state.id, state.value)
    for reaction in transaction.chemistry.consumers[state.name] ?? [] { try forgetReady(reaction, "") }
    var run = Run(state: state, firings: [first])
    if first.losses > 0 { return run }
    let partners = reactions.filter { $0.state == state.name }
    var hasMore = true
    while hasMore && run.firings.count < longestRun {
      hasMore = false
      for reaction in partners where run.firings.count < longestRun {
        let waiting = try nextWaiting(of: reaction, isPartner: true).map { due, firing in try take(firing, due) }
        guard let firing = try waiting ?? match(reaction, "") else { continue }
        run.firings.append(firing)
        hasMore = true
      }
    }
    return run
  }

  private func match(_ reaction: StoredChemistry.Reaction, _ key: String) throws -> HeldFiring? {
    guard let inputs = try transaction.pull(reaction, key) else { return nil }
    let firing = HeldFiring(id: ids.next(), reaction: reaction.id, fence: 1, failures: 0, losses: 0, inputs: inputs)
    try transaction.record(firing, of: worker)
    return firing
  }

  /// The next firing of the reaction that runs again, with its place in the table.
  private func nextWaiting(
    of reaction: StoredChemistry.Reaction, isPartner: Bool = false
  ) throws -> (due: Int64, HeldFiring)? {
    try connection.first(
      """
      SELECT due, client, number, fence, failures, losses, inputs FROM firing
      WHERE worker = 0 AND reaction = ? AND due <= ? AND (losses = 0 OR NOT ?) ORDER BY due LIMIT 1
      """, reaction.id, transaction.now, isPartner ? 1 : 0
    ) { row in
      let firing = HeldFiring(
        id: ClientID(client: row.int(1), number: row.int(2)), reaction: reaction.id, fence: row.int(3) + 1,
        failures: Int(row.int(4)), losses: Int(row.int(5)), inputs: [Molecule](bytes: row.bytes(6)))
      return (row.int(0), firing)
    }
  }

  private func take(_ firing: HeldFiring, _ due: Int64) throws -> HeldFiring {
    try connection.run(
      "DELETE FROM firing WHERE worker = 0 AND reaction = ? AND due = ? AND client = ? AND number = ?",
      firing.reaction, due, firing.id.client, firing.id.number)
    try transaction.record(firing, of: worker)
    return firing
  }

  private func forgetReady(_ reaction: Int64, _ key: String) throws {
    try connection.run("DELETE FROM ready WHERE reaction = ? AND key = ?", reaction, key)
  }
}

extension Transaction {
  /// Writes the record of a firing: of a worker, or of worker 0 for one that runs again from `due` on. Calls do not
  /// wait for that in a soup that is stopped.
  func record(_ firing: HeldFiring, of worker: Int64, due: Int64 = 0) throws {
    try connection.run(
      "INSERT INTO firing VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", worker, firing.reaction, due, firing.id.client,
      firing.id.number, firing.fence, firing.failures, firing.losses, firing.inputs.bytes)
    if worker == 0 && condition == .stopped { try stopCalls(of: firing.inputs) }
  }
}
