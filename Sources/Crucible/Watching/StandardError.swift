import Glibc

/// Writes a line to standard error, without buffers. If standard error is closed, the line is lost.
func writeToStandardError(_ line: String) { _ = write(Array((line + "\n").utf8), to: STDERR_FILENO) }

/// Writes the bytes. Returns the error, as `errno` says it, if they were not all written.
func write(_ bytes: [UInt8], to file: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
    if written < 0 && errno != EINTR { return errno }
    rest = rest.dropFirst(max(0, written))
  }
  return nil
}
