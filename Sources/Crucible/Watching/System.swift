// What this module needs of the C library. No other file of it imports that library, whose name depends on the system.

#if canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Writes a line to standard error, without buffers. If standard error is closed, the line is lost.
func writeToStandardError(_ line: String) { _ = writeAll(Array((line + "\n").utf8), to: STDERR_FILENO) }

/// Writes the bytes. Returns the error, as `errno` says it, if they were not all written.
package func writeAll(_ bytes: [UInt8], to file: Int32) -> Int32? {
  var rest = bytes[...]
  while !rest.isEmpty {
    let written = rest.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    if written < 0 && errno != EINTR { return errno }
    rest = rest.dropFirst(max(0, written))
  }
  return nil
}

/// Opens a file for writing, which it makes or empties. If it cannot, the error is not nil.
package func createFile(_ path: String) -> (file: Int32, error: Int32?) {
  let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
  return (file, file < 0 ? errno : nil)
}

package func closeFile(_ file: Int32) -> Int32? { close(file) == 0 ? nil : errno }

package func describe(_ error: Int32) -> String { String(cString: strerror(error)) }

func processNumber() -> Int { Int(getpid()) }

/// The nanoseconds of the monotonic clock.
func nanosecondsNow() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func areEqual(_ one: UnsafePointer<CChar>, _ other: UnsafePointer<CChar>) -> Bool { strcmp(one, other) == 0 }
