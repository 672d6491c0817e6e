import CHarness
import Glibc

func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// Reads the rest of a stream.
func readText(_ stream: UnsafeMutablePointer<FILE>) -> String {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = fread(&buffer, 1, buffer.count, stream)
    if count == 0 { return String(decoding: bytes, as: UTF8.self) }
    bytes += buffer[..<count]
  }
}

/// Writes a text file, and makes its folder if it is missing. Returns false on an error, and leaves its number in
/// `errno`.
func writeText(_ text: String, to path: String) -> Bool {
  if let slash = path.lastIndex(of: "/"), slash != path.startIndex { mkdir(String(path[..<slash]), 0o755) }
  guard let file = fopen(path, "w") else { return false }
  let written = fputs(text, file) >= 0
  return fclose(file) == 0 && written
}

/// Writes a line to standard output, in one piece.
func printLine(_ text: String) {
  Progress.clear()
  print(text)
  fflush(nil)
}

/// Writes a line to standard error, in one piece, after the contents of standard output.
func printError(_ text: String) {
  Progress.clear()
  fflush(nil)
  writeError(text + "\n")
}

private func writeError(_ text: String) {
  let bytes = Array(text.utf8)
  _ = write(2, bytes, bytes.count)
}

/// The progress of the run, on standard error. A terminal shows one line that changes; elsewhere there is a line at
/// intervals. So a log shows that the run continues.
enum Progress {
  private static let isTerminal = isatty(2) != 0
  private nonisolated(unsafe) static var last = harness_now()  // only the main thread shows progress
  private static let interval: UInt64 = 30_000_000_000

  static func show(_ text: String) {
    if isTerminal { return writeError("\r\u{1B}[K\(text)") }
    if harness_now() < last + interval { return }
    last = harness_now()
    printError(text)
  }

  static func clear() {
    if isTerminal { writeError("\r\u{1B}[K") }
  }
}
