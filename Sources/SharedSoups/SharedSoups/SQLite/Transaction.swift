/// One transaction about one soup: the steps that operations share.
///
/// Keeps invariant 4 of `Store`: whatever adds a molecule or a state goes through `add`, which notes the reactions that
/// can fire now in `ready`, and rings for them. A taker rings again while something stays ready.
final class Transaction {
  struct Ring: Hashable {
    let bell: Int
    let isForAll: Bool
  }

  let connection: Connection
  let soup: Int64
  let now: Int64
  /// When the operation began to wait for the turn, by the clock of leases. A lease that was not over by then counts:
  /// its worker may wait for the turn as well, to extend it.
  let asked: Int64
  let store: SQLiteStore
  var chemistry: StoredChemistry
  let label: String
  var condition: Condition
  private(set) var rings: Set<Ring> = []
  private var next: Int64
  private let firstNext: Int64
  private var consumed: Int64 = 0

  init(
    _ connection: Connection, _ soup: Int64, _ known: StoredChemistry, _ now: Int64, _ asked: Int64,
    _ store: SQLiteStore
  ) throws {
    (self.connection, self.soup, self.now, self.asked, self.store) = (connection, soup, now, asked, store)
    let row = try connection.first("SELECT label, condition, version, next FROM soup WHERE id = ?", soup) {
      ($0.text(0), Condition(rawValue: $0.int(1)) ?? .stopped, $0.int(2), $0.int(3))
    }
    guard let row else { throw EngineError.destroyed }
    (label, condition, next) = (row.0, row.1, row.3)
    firstNext = next
    chemistry = known.version == row.2 ? known : try StoredChemistry(of: soup, version: row.2, connection)
  }

  func end() throws {
    if next != firstNext || consumed > 0 {
      try connection.run("UPDATE soup SET next = ?, consumed = consumed + ? WHERE id = ?", next, consumed, soup)
    }
  }

  func ring(_ bell: Int, all: Bool = false) { rings.insert(Ring(bell: bell, isForAll: all)) }

  func ringWorkers(of reaction: Int64) { for bell in chemistry.bells[reaction] ?? [] { ring(bell) } }

  func ringEverybody() {
    for bell in Set(chemistry.bells.values.joined()) { ring(bell, all: true) }
    ring(Bell.ofControl, all: true)
  }

  func nextID() -> Int64 {
    next += 1
    return next
  }

  func consume(_ count: Int) { consumed += Int64(count) }

  /// Puts molecules into their bags, or where they are due later.
  func put(_ injections: [Injection]) throws {
    for new in injections {
      if new.delay > 0 {
        try connection.run(
          "INSERT INTO later VALUES(?, ?, ?, ?, ?, ?, ?)", soup, now.adding(new.delay), nextID(), new.name, new.key,
          new.value, new.lifetime)
        // A worker that sleeps must learn of the time at which it is due.
        for reaction in chemistry.consumers[new.name] ?? [] { ringWorkers(of: reaction) }
      } else {
        let molecule = Molecule(
          name: new.name, key: new.key, id: nextID(), value: new.value, call: new.call,
          expires: new.lifetime.map(now.adding))
        if let call = new.call {
          try connection.run(
            "INSERT INTO call(client, number, soup, name, key, mol) VALUES(?, ?, ?, ?, ?, ?)", call.client,
            call.number, soup, molecule.name, molecule.key, molecule.id)
        }
        try add(molecule)
      }
    }
  }

  /// Puts a molecule into its bag, at the place of its id.
  func add(_ molecule: Molecule) throws {
    try connection.run(
      "INSERT INTO mol VALUES(?, ?, ?, ?, ?, ?, ?)", molecule.name, molecule.key, molecule.id, molecule.value,
      molecule.call?.client, molecule.call?.number, molecule.expires)
    for reaction in chemistry.consumers[molecule.name] ?? [] {
      try noteIfReady(reaction, molecule.key)
      if molecule.expires != nil { ringWorkers(of: reaction) }
    }
  }

  /// Puts a state back into its bag. Firings that run again over it need a worker, too.
  func giveBack(_ state: Molecule) throws {
    try add(state)
    for reaction in chemistry.consumers[state.name] ?? []
    where try connection.exists("SELECT 1 FROM firing WHERE worker = 0 AND reaction = ? LIMIT 1", reaction) {
      ringWorkers(of: reaction)
    }
  }

  /// Notes that the reaction can fire with molecules of the key, if it can, and rings.
  func noteIfReady(_ reaction: Int64, _ key: String) throws {
    guard try !connection.exists("SELECT 1 FROM ready WHERE reaction = ? AND key = ?", reaction, key),
      try isEnabled(reaction, key)
    else { return }
    try connection.run("INSERT INTO ready VALUES(?, ?, ?)", reaction, key, nextID())
    ringWorkers(of: reaction)
  }

  /// Whether the bags have what one firing with the key needs.
  func isEnabled(_ reaction: Int64, _ key: String) throws -> Bool {
    guard let needs = chemistry.reactions[reaction]?.needs else { return false }
    return try needs.allSatisfy { name, count in
      let found = try connection.first(
        "SELECT count(*) FROM (SELECT 1 FROM mol WHERE name = ? AND key = ? LIMIT ?)", name, key, count
      ) { $0.int(0) }
      return found == Int64(count)
    }
  }

  /// Takes the inputs of one firing out of their bags, the oldest of each name. Nil if there are too few.
  func pull(_ reaction: StoredChemistry.Reaction, _ key: String) throws -> [Molecule]? {
    var found: [Int64: [Molecule]] = [:]
    for (name, count) in reaction.needs where name != reaction.state {
      let molecules = try oldest(name, key, count)
      if molecules.count < count { return nil }
      found[name] = molecules
    }
    let inputs = reaction.inputs.map { found[$0]!.removeFirst() }
    for input in inputs { try remove(input) }
    return inputs
  }

  func oldest(_ name: Int64, _ key: String, _ count: Int) throws -> [Molecule] {
    try connection.all(
      "SELECT name, key, id, value, client, number, expires FROM mol WHERE name = ? AND key = ? ORDER BY id LIMIT ?",
      name, key, count, body: Molecule.init)
  }

  func remove(_ molecule: Molecule) throws {
    try connection.run(
      "DELETE FROM mol WHERE name = ? AND key = ? AND id = ?", molecule.name, molecule.key, molecule.id)
  }

  /// Gives a call its outcome, if it has none. Returns false if the caller has given up.
  func settle(_ call: ClientID, _ outcome: CallOutcome) throws -> Bool {
    let (kind, value) = outcome.stored
    try connection.run(
      "UPDATE call SET kind = ?, value = ?, time = ? WHERE client = ? AND number = ? AND kind IS NULL", kind, value,
      now, call.client, call.number)
    if connection.changes == 0 { return false }
    ring(Bell.ofClient(call.client), all: true)
    return true
  }

  /// Rings what waits for the end of a drain.
  func noteProgress() { if condition == .draining { ring(Bell.ofControl, all: true) } }
}

extension Molecule {
  init(_ row: Connection.Row) {
    self.init(
      name: row.int(0), key: row.text(1), id: row.int(2), value: row.bytes(3),
      call: row.intOrNil(4).map { ClientID(client: $0, number: row.int(5)) }, expires: row.intOrNil(6))
  }
}

extension CallOutcome {
  var stored: (kind: Int64, value: [UInt8]) {
    switch self {
    case .replied(let value): (0, value)
    case .failed(let error): (1, [UInt8](error.utf8))
    case .neverReplied: (2, [])
    case .stopped: (3, [])
    case .timedOut: (4, [])
    }
  }

  init(kind: Int64, value: [UInt8]) {
    switch kind {
    case 0: self = .replied(value)
    case 1: self = .failed(String(decoding: value, as: UTF8.self))
    case 2: self = .neverReplied
    case 3: self = .stopped
    default: self = .timedOut
    }
  }
}

extension StoredChemistry {
  init(of soup: Int64, version: Int64, _ connection: Connection) throws {
    self.version = version
    try connection.each("SELECT id, label, state, losses FROM reaction WHERE soup = ?", soup) {
      reactions[$0.int(0)] = Reaction(
        id: $0.int(0), label: $0.text(1), state: $0.intOrNil(2), inputs: [], losses: Int($0.int(3)))
    }
    for id in reactions.keys {
      reactions[id]!.inputs = try connection.all(
        "SELECT name FROM input WHERE reaction = ? ORDER BY position", id
      ) { $0.int(0) }
      for need in reactions[id]!.needs { consumers[need.name, default: []].append(id) }
      for offering in try connection.all("SELECT class FROM offer WHERE reaction = ?", id, body: { $0.int(0) }) {
        bells[id, default: []].append(Bell.ofClass(offering))
        offers[offering, default: []].append(id)
      }
    }
    try connection.each(
      "SELECT name.id, late.id, late.lifetime FROM name JOIN name AS late ON late.id = name.late WHERE name.soup = ?",
      soup
    ) { late[$0.int(0)] = ($0.int(1), $0.intOrNil(2)) }
  }
}

extension Int64 {
  /// The sum, or the greatest number if it is greater.
  func adding(_ other: Int64) -> Int64 {
    let (sum, overflows) = addingReportingOverflow(other)
    return overflows ? Int64.max : sum
  }
}
