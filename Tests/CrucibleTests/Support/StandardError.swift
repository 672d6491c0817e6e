import Glibc

/// Reads the standard error of this process line by line, from now on.
final class StandardError: Sendable {
  private let reader: Int32

  init() {
    var ends: [Int32] = [0, 0]
    precondition(pipe(&ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0)
    close(ends[1])
    reader = ends[0]
  }

  /// Blocks until the next line is complete, and returns it with its end.
  @available(*, noasync)
  func line() -> String {
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.last != UInt8(ascii: "\n"), read(reader, &byte, 1) == 1 { bytes.append(byte) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
