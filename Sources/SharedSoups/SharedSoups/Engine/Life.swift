import CKernel

/// A lock that lasts as long as the process: on one byte of a file. The kernel releases it when the process ends, in
/// whatever way, so other processes see at once that a worker is gone.
///
/// The lock belongs to the open file, so it tells apart two workers of one process, too.
final class Life: Sendable {
  let number: Int64
  private let file: OpenFile?

  /// Locks the first byte from `number` on that no other worker has.
  fileprivate init(path: String, from number: Int64) throws {
    let file = try OpenFile(path)
    var number = number
    while try !file.lock(byte: number, of: path) { number += 1 }
    self.file = file
    self.number = number
  }

  /// A life of no file, for an engine in memory.
  init(number: Int64) {
    self.number = number
    file = nil
  }
}

/// The file with the locks of all workers. It has none itself, for it would not see its own.
final class Lives: Sendable {
  private let path: String
  private let file: OpenFile

  init(of database: String) throws {
    path = database + "-lives"
    file = try OpenFile(path, of: database)
  }

  /// Begins a life with the first number from `number` on that no worker has.
  func begin(from number: Int64) throws -> Life { try Life(path: path, from: number) }

  /// Whether a worker has the lock of the number.
  func has(_ number: Int64) throws -> Bool {
    let answer = shared_byte_is_locked(file.number, number)
    if answer < 0 { throw EngineError("looking at the locks of workers") }
    return answer == 1
  }
}
