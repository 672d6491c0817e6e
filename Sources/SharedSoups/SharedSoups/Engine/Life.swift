import CKernel
import Glibc

/// A lock that lasts as long as the process: on one byte of a file. The kernel releases it when the process ends, in
/// whatever way, so other processes see at once that a worker is gone.
///
/// The lock belongs to the open file, so it tells apart two workers of one process, too.
final class Life: @unchecked Sendable {
  let number: Int64
  private let file: Int32

  /// Locks the first byte from `number` on that no other worker has.
  fileprivate init(path: String, from number: Int64) throws {
    file = try openFile(path)
    var number = number
    while shared_byte_lock(file, number) != 0 {
      guard errno == EAGAIN || errno == EACCES else {
        let error = EngineError("locking \(path)", errno: errno)
        close(file)
        throw error
      }
      number += 1
    }
    self.number = number
  }

  /// A life of no file, for an engine in memory.
  init(number: Int64) {
    self.number = number
    file = -1
  }

  deinit { if file >= 0 { close(file) } }
}

/// The file with the locks of all workers. It has none itself, for it would not see its own.
final class Lives: @unchecked Sendable {
  private let path: String
  private let file: Int32

  init(of database: String) throws {
    path = database + "-lives"
    file = try openFile(path, of: database)
  }

  deinit { close(file) }

  /// Begins a life with the first number from `number` on that no worker has.
  func begin(from number: Int64) throws -> Life { try Life(path: path, from: number) }

  /// Whether a worker has the lock of the number.
  func has(_ number: Int64) throws -> Bool {
    let answer = shared_byte_is_locked(file, number)
    if answer < 0 { throw EngineError("looking at the locks of workers", errno: errno) }
    return answer == 1
  }
}

/// Opens a file that is no link, or creates it with the mode and the owner of `database`.
func openFile(_ path: String, of database: String? = nil) throws -> Int32 {
  let file = shared_open(path, database)
  if file < 0 { throw EngineError("opening \(path)", errno: errno) }
  return file
}
