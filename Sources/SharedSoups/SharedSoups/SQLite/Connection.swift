import CKernel
import CSQLite

/// A connection to a database, with its prepared statements. Requires: one thread uses it at a time.
final class Connection {
  private let handle: OpaquePointer
  /// The file, without symbolic links: the other files are beside it.
  let path: String
  private var statements: [String: OpaquePointer] = [:]

  init(path: String) throws {
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
    let status = sqlite3_open_v2(path, &handle, flags, nil)
    guard status == SQLITE_OK, let handle else {
      defer { sqlite3_close_v2(handle) }
      throw EngineError(.system, "opening \(path): \(String(cString: sqlite3_errstr(status)))")
    }
    self.handle = handle
    let name = sqlite3_db_filename(handle, "main").map { String(cString: $0) } ?? ""
    if name.isEmpty {
      sqlite3_close_v2(handle)
      throw EngineError(.system, "'\(path)' is not the path of a file")
    }
    self.path = name
    sqlite3_extended_result_codes(handle, 1)
    // The turn (`Turn`) keeps writers apart. This is for the programs of others, such as a backup.
    sqlite3_busy_timeout(handle, 60_000)
  }

  deinit {
    for statement in statements.values { sqlite3_finalize(statement) }
    sqlite3_close_v2(handle)
  }

  /// The number of rows that the last statement has changed.
  var changes: Int { Int(sqlite3_changes(handle)) }

  /// The steps that all statements have taken: what a test compares instead of time.
  var steps: Int {
    statements.values.reduce(0) { $0 + Int(sqlite3_stmt_status($1, SQLITE_STMTSTATUS_VM_STEP, 0)) }
  }

  /// Runs SQL without arguments, of several statements.
  func script(_ sql: String) throws {
    let status = sqlite3_exec(handle, sql, nil, nil, nil)
    if status != SQLITE_OK { throw error(status) }
  }

  func run(_ sql: StaticString, _ values: any Bindable...) throws { try query("\(sql)", values) { _ in } }

  /// Passes each row to `body`, while the statement is open.
  func each(_ sql: StaticString, _ values: any Bindable..., body: (Row) throws -> Void) throws {
    try query("\(sql)", values, body)
  }

  func all<Result>(
    _ sql: StaticString, _ values: any Bindable..., body: (Row) throws -> Result
  ) throws -> [Result] {
    var results: [Result] = []
    try query("\(sql)", values) { results.append(try body($0)) }
    return results
  }

  func first<Result>(
    _ sql: StaticString, _ values: any Bindable..., body: (Row) throws -> Result
  ) throws -> Result? {
    var result: Result?
    try query("\(sql)", values) { if result == nil { result = try body($0) } }
    return result
  }

  func exists(_ sql: StaticString, _ values: any Bindable...) throws -> Bool {
    var exists = false
    try query("\(sql)", values) { _ in exists = true }
    return exists
  }

  private func query(_ sql: String, _ values: [any Bindable], _ body: (Row) throws -> Void) throws {
    let statement = try prepare(sql)
    defer {
      sqlite3_reset(statement)
      sqlite3_clear_bindings(statement)
    }
    for (index, value) in values.enumerated() {
      let status = value.bind(to: statement, Int32(index + 1))
      if status != SQLITE_OK { throw error(status) }
    }
    while true {
      let status = sqlite3_step(statement)
      if status == SQLITE_DONE { return }
      guard status == SQLITE_ROW else { throw error(status) }
      try body(Row(statement: statement))
    }
  }

  private func prepare(_ sql: String) throws -> OpaquePointer {
    if let statement = statements[sql] { return statement }
    var statement: OpaquePointer?
    let status = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
    guard status == SQLITE_OK, let statement else { throw error(status) }
    statements[sql] = statement
    return statement
  }

  private func error(_ status: Int32) -> EngineError {
    EngineError(.system, "the database \(path): \(String(cString: sqlite3_errmsg(handle))) (\(status))")
  }

  /// The current row of a statement. Columns are numbered from 0.
  struct Row {
    let statement: OpaquePointer

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
    func intOrNil(_ column: Int32) -> Int64? {
      sqlite3_column_type(statement, column) == SQLITE_NULL ? nil : int(column)
    }
    func text(_ column: Int32) -> String {
      // A key may contain a NUL, so the size counts.
      guard let text = sqlite3_column_text(statement, column) else { return "" }
      let count = Int(sqlite3_column_bytes(statement, column))
      return String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self)
    }
    func bytes(_ column: Int32) -> [UInt8] {
      let count = Int(sqlite3_column_bytes(statement, column))
      guard count > 0, let bytes = sqlite3_column_blob(statement, column) else { return [] }
      return [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
    }
  }
}

/// A value for a parameter of a statement.
protocol Bindable {
  func bind(to statement: OpaquePointer, _ index: Int32) -> Int32
}

extension Int64: Bindable {
  func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 { sqlite3_bind_int64(statement, index, self) }
}
extension Int: Bindable {
  func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 { Int64(self).bind(to: statement, index) }
}
extension String: Bindable {
  func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
    // A key may contain a NUL, so the size is passed.
    var text = self
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        shared_bind_text(statement, index, $0.baseAddress ?? UnsafePointer(bitPattern: 1)!, Int32(bytes.count))
      }
    }
  }
}
extension [UInt8]: Bindable {
  func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
    withUnsafeBytes { shared_bind_blob(statement, index, $0.baseAddress, Int32($0.count)) }
  }
}
extension Optional: Bindable where Wrapped: Bindable {
  func bind(to statement: OpaquePointer, _ index: Int32) -> Int32 {
    self?.bind(to: statement, index) ?? sqlite3_bind_null(statement, index)
  }
}

/// The turn to write, over all processes: the lock of a file. A process waits for it in the kernel, where SQLite's own
/// busy timeout would sleep and look again. The kernel takes it from a process that is killed.
final class Turn {
  private let file: OpenFile
  private let path: String

  init(of database: String) throws {
    path = database + "-turn"
    file = try OpenFile(path, of: database)
  }

  func take<Result>(_ body: () throws -> Result) throws -> Result {
    if shared_file_lock(file.number) != 0 { throw EngineError("locking \(path)") }
    defer { _ = shared_file_unlock(file.number) }
    return try body()
  }
}
