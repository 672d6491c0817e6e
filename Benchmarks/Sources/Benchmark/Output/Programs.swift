import Glibc

/// Runs a program, and returns its standard output, or nil if it failed. The first argument is its name.
func output(of arguments: [String]) -> String? {
  guard let stream = popen(line(arguments), "r") else { return nil }
  let text = readText(stream)
  return pclose(stream) == 0 ? text : nil
}

private func line(_ arguments: [String]) -> String { arguments.map(quoted).joined(separator: " ") }

private func quoted(_ argument: String) -> String {
  "'" + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
