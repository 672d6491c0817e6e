extension SQLiteStore {
  func commit(
    _ settlements: [Settlement], of worker: Int64, in soup: Int64, taking limit: Int, _ ids: Numbers
  ) throws -> (accepted: [Bool], Taken) {
    try transact(soup) { transaction in
      let offering = try transaction.connection.first("SELECT class FROM lease WHERE worker = ?", worker) { $0.int(0) }
      guard let offering else { throw LeaseIsOver() }
      let accepted = try settlements.map { try settle($0, of: worker, transaction) }
      let offers = transaction.chemistry.offers[offering] ?? []
      return (accepted, try take(limit, for: worker, offering: offers, ids, transaction))
    }
  }

  /// Accepts a settlement if the worker still has all of its firings (invariant 2).
  private func settle(_ settlement: Settlement, of worker: Int64, _ transaction: Transaction) throws -> Bool {
    let connection = transaction.connection
    for (firing, _) in settlement.firings {
      let isHeld = try connection.exists(
        """
        SELECT 1 FROM firing
        WHERE worker = ? AND reaction = ? AND due = 0 AND client = ? AND number = ? AND fence = ?
        """, worker, firing.reaction, firing.id.client, firing.id.number, firing.fence)
      if !isHeld { return false }
    }
    for (firing, end) in settlement.firings {
      try connection.run(
        "DELETE FROM firing WHERE worker = ? AND reaction = ? AND due = 0 AND client = ? AND number = ?", worker,
        firing.reaction, firing.id.client, firing.id.number)
      switch end {
      case .done(let outputs, let replies):
        transaction.consume(firing.inputs.count)
        try transaction.put(outputs)
        for reply in replies where try !transaction.settle(reply.call, reply.outcome) {
          try transaction.put(reply.otherwise)
        }
      case .failed(let error, let retryAfter):
        let again = HeldFiring(
          id: firing.id, reaction: firing.reaction, fence: firing.fence, failures: firing.failures + 1,
          losses: firing.losses, inputs: firing.inputs)
        if let retryAfter {
          try transaction.record(again, of: 0, due: transaction.now.adding(retryAfter))
          transaction.ringWorkers(of: firing.reaction)
        } else {
          try transaction.bury(again, error)
        }
      }
    }
    if let state = settlement.state {
      try connection.run("DELETE FROM taken WHERE worker = ? AND name = ?", worker, state.name)
      try transaction.giveBack(state)
    }
    transaction.noteProgress()
    return true
  }
}

extension Transaction {
  /// Makes a dead letter of a firing, and ends the calls among its inputs.
  func bury(_ firing: HeldFiring, _ error: String) throws {
    try connection.run(
      "INSERT INTO dead VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)", soup, firing.id.client, firing.id.number, firing.reaction,
      firing.fence, firing.failures, firing.losses, error, firing.inputs.bytes)
    for case let call? in firing.inputs.map(\.call) { _ = try settle(call, .failed(error)) }
  }
}
