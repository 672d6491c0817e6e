import Glibc

/// Runs a program, and waits for it. The first argument is its name. Returns false if it failed; then it has reported
/// the error.
func execute(_ arguments: [String]) -> Bool { system(line(arguments)) == 0 }

/// Runs a program, and returns its standard output, or nil if it failed.
func output(of arguments: [String]) -> String? {
  guard let stream = popen(line(arguments), "r") else { return nil }
  let text = readText(stream)
  return pclose(stream) == 0 ? text : nil
}

private func line(_ arguments: [String]) -> String { arguments.map(quoted).joined(separator: " ") }

private func quoted(_ argument: String) -> String {
  "'" + argument.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}
