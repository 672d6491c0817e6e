import Glibc

/// Writes a line to standard error, past all buffers. It may be closed, and then there is nobody else to be told.
func writeToStandardError(_ line: String) {
  var text = Array((line + "\n").utf8)[...]
  while !text.isEmpty {
    let written = text.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if written < 0 && errno != EINTR { return }
    text = text.dropFirst(max(0, written))
  }
}
