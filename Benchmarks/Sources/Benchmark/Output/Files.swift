import Glibc

func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// The rest of a stream.
func readText(_ stream: UnsafeMutablePointer<FILE>) -> String {
  var bytes: [UInt8] = []
  var buffer = [UInt8](repeating: 0, count: 4096)
  while true {
    let count = fread(&buffer, 1, buffer.count, stream)
    if count == 0 { return String(decoding: bytes, as: UTF8.self) }
    bytes += buffer[..<count]
  }
}

/// Writes a text file, and the folder that it lies in if that is missing. False: `errno` says why.
func writeText(_ text: String, to path: String) -> Bool {
  if let slash = path.lastIndex(of: "/"), slash != path.startIndex { mkdir(String(path[..<slash]), 0o755) }
  guard let file = fopen(path, "w") else { return false }
  let written = fputs(text, file) >= 0
  return fclose(file) == 0 && written
}

func printError(_ text: String) { writeError(text + "\n") }

private func writeError(_ text: String) {
  let bytes = Array(text.utf8)
  _ = write(2, bytes, bytes.count)
}

/// What the run is doing, on standard error: one line that changes on a terminal, a line each elsewhere.
enum Progress {
  private static let isTerminal = isatty(2) != 0

  static func show(_ text: String) { writeError(isTerminal ? "\r\u{1B}[K\(text)" : "\(text)\n") }
  static func say(_ text: String) { writeError(isTerminal ? "\r\u{1B}[K\(text)\n" : "\(text)\n") }
  static func clear() { writeError(isTerminal ? "\r\u{1B}[K" : "") }
}
