/// An engine in a file of SQLite, for the processes of one machine.
///
/// Each operation is one transaction by `BEGIN IMMEDIATE`: a read that becomes a write would fail at once if another
/// process has written meanwhile. Before it the process takes its turn (`Turn`). Bells ring after the commit.
///
/// Beside the database are five files: those of SQLite's log (`-wal`, `-shm`), `-turn` for the turn, `-lives` for the
/// locks of workers, and `-bell` for the bells. Only local file systems have such locks and such memory.
final class SQLiteStore: Store, @unchecked Sendable {
  let bell: Bell
  let clock = SoupClock()
  let lives: Lives

  // One thread has these at a time: the one with the lock.
  private let lock = Lock()
  let connection: Connection
  private let turn: Turn
  var nextSweep: Int64 = 0
  private var chemistries: [Int64: StoredChemistry] = [:]

  init(path: String, durability: Engine.Durability) throws {
    let connection = try Connection(path: path)
    let path = connection.path
    let turn = try Turn(of: path)
    (bell, lives) = (try Bell(of: path), try Lives(of: path))
    let machine = try SoupClock.Machine.now()
    let clock = clock
    try turn.take {
      guard try connection.first("PRAGMA journal_mode = WAL", body: { $0.text(0) }) == "wal" else {
        throw EngineError(.system, "\(path) is on a file system without shared memory")
      }
      try connection.script("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
      try connection.script("BEGIN IMMEDIATE")
      let version = try connection.first("PRAGMA user_version") { $0.int(0) } ?? 0
      if version != 0 && version != schemaVersion {
        throw EngineError(.differs, "\(path) has tables of version \(version), and this program knows \(schemaVersion)")
      }
      try connection.script(schema + "PRAGMA user_version = \(schemaVersion)")
      let stored = try connection.first("SELECT boot, offset, last FROM clock") { ($0.text(0), $0.int(1), $0.int(2)) }
      let offset = clock.begin(machine, stored: stored)
      try connection.run(
        "INSERT OR REPLACE INTO clock VALUES(1, ?, ?, ?)", machine.boot, offset, max(clock.now, stored?.2 ?? 0))
      try connection.script("COMMIT")
    }
    (self.connection, self.turn) = (connection, turn)
  }

  /// Reads, beside transactions of others.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.with { try body(connection) }
  }

  private func write<Result>(_ body: () throws -> Result) throws -> Result {
    try turn.take {
      try connection.run("BEGIN IMMEDIATE")
      do {
        let result = try body()
        try connection.run("COMMIT")
        return result
      } catch {
        // After a full disk, for example, SQLite has rolled back already, and has no transaction to end.
        try? connection.run("ROLLBACK")
        throw error
      }
    }
  }

  /// Runs a transaction about a soup, then rings.
  func transact<Result>(_ soup: Int64, _ body: (Transaction) throws -> Result) throws -> Result {
    try transact({ _ in soup }, body)
  }

  /// Runs a transaction that finds or makes the soup first.
  func transact<Result>(
    _ find: (Connection) throws -> Int64, _ body: (Transaction) throws -> Result
  ) throws -> Result {
    var rings: Set<Transaction.Ring> = []
    let asked = clock.awake
    let result = try lock.with {
      let (result, transaction) = try write {
        let soup = try find(connection)
        // A chemistry that a failed transaction has read may never have been, so it is kept after the commit only.
        let known = chemistries.removeValue(forKey: soup) ?? StoredChemistry()
        let transaction = try Transaction(connection, soup, known, clock.now, asked, self)
        let result = try body(transaction)
        try transaction.end()
        return (result, transaction)
      }
      chemistries[transaction.soup] = transaction.chemistry
      rings = transaction.rings
      return result
    }
    for ring in rings { bell.ring(ring.bell, ring.isForAll ? Bell.everybody : Bell.molecules, all: ring.isForAll) }
    return result
  }
}
