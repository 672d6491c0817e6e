import Glibc

/// Writes a line to standard error, without buffers. If standard error is closed, the line is lost.
func writeToStandardError(_ line: String) {
  var text = Array((line + "\n").utf8)[...]
  while !text.isEmpty {
    let written = text.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if written < 0 && errno != EINTR { return }
    text = text.dropFirst(max(0, written))
  }
}
