import CKernel
import Glibc

/// An engine in a file of SQLite, for the processes of one machine.
///
/// Each operation is one transaction by `BEGIN IMMEDIATE`: a read that becomes a write would fail at once if another
/// process has written meanwhile. Before it the process takes its turn (`Turn`). Bells ring after the commit.
///
/// Beside the database are four files: those of SQLite's log (`-wal`, `-shm`), `-turn` for the turn and the locks of
/// workers, and `-bell` for the bells. Only local file systems have such locks and such memory.
final class SQLiteStore: Store, @unchecked Sendable {
  let bell: Bell
  let clock = SoupClock()
  let livesPath: String
  /// Sees the locks of workers. Its own locks it would not see, so it has none.
  let livesFile: Int32

  // One thread has these at a time: the one with the lock.
  private let lock = Lock()
  private let connection: Connection
  private let turn: Turn
  private var chemistries: [Int64: StoredChemistry] = [:]

  init(path: String, durability: Engine.Durability) throws {
    bell = try Bell(path: path + "-bell")
    livesPath = path + "-lives"
    livesFile = shared_open(livesPath)
    if livesFile < 0 { throw EngineError("opening \(livesPath)", errno: errno) }
    let turn = try Turn(path: path + "-turn")
    let machine = try SoupClock.Machine.now()
    let clock = clock
    connection = try turn.take {
      let connection = try Connection(path: path)
      try connection.script("PRAGMA journal_mode = WAL")
      try connection.script("PRAGMA synchronous = \(durability == .full ? "FULL" : "NORMAL")")
      try connection.script("BEGIN IMMEDIATE;" + schema)
      let stored = try connection.first("SELECT boot, offset, last FROM clock") { ($0.text(0), $0.int(1), $0.int(2)) }
      let offset = clock.begin(machine, stored: stored)
      try connection.run(
        "INSERT OR REPLACE INTO clock VALUES(1, ?, ?, ?)", machine.boot, offset, max(clock.now, stored?.2 ?? 0))
      try connection.script("COMMIT")
      return connection
    }
    self.turn = turn
  }

  deinit { close(livesFile) }

  /// Reads, beside transactions of others.
  func read<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.with { try body(connection) }
  }

  /// Runs a transaction that is not about one soup.
  func write<Result>(_ body: (Connection) throws -> Result) throws -> Result {
    try lock.with {
      try turn.take {
        try connection.script("BEGIN IMMEDIATE")
        do {
          let result = try body(connection)
          try connection.script("COMMIT")
          return result
        } catch {
          // After a full disk, for example, SQLite has rolled back already, and has no transaction to end.
          try? connection.script("ROLLBACK")
          throw error
        }
      }
    }
  }

  /// Runs a transaction about a soup, then rings.
  func transact<Result>(_ soup: Int64, _ body: (Transaction) throws -> Result) throws -> Result {
    var rings: Set<Transaction.Ring> = []
    let result = try lock.with {
      // A chemistry that a failed transaction has read may never have been.
      let known = chemistries.removeValue(forKey: soup)
      let (result, transaction) = try write { connection in
        let transaction = try Transaction(connection, soup, known ?? StoredChemistry(), clock.now, self)
        let result = try body(transaction)
        try transaction.end()
        return (result, transaction)
      }
      chemistries[soup] = transaction.chemistry
      rings = transaction.rings
      return result
    }
    for ring in rings { bell.ring(ring.bell, ring.isForAll ? Bell.everybody : Bell.molecules, all: ring.isForAll) }
    return result
  }
}
