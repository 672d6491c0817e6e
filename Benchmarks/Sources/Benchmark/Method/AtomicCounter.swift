/// The program that counts the core's atomic operations (`Counting/main.c`), built from the same sources as layer `c`.
struct AtomicCounter {
  private let program: String
  private let input: String

  /// Nil: there is no such program, and nothing is counted.
  init?(program: String?, input: String) {
    guard let program else { return nil }
    self.program = program
    self.input = input
  }

  /// Atomic operations per reaction of each matcher.
  func count(_ one: Case, threads: Int, poolWorkers: Int) throws(Wrong) -> [String: Double] {
    let isOnPool = one.place == .pool
    let arguments = [
      program, one.name, String(isOnPool ? 1 : threads), String(isOnPool ? threads : poolWorkers), input,
    ]
    guard let text = output(of: arguments) else { throw Wrong("the build that counts atomic operations failed") }
    var counts: [String: Double] = [:]
    for line in text.split(separator: "\n") {
      let parts = line.split(separator: "\t")
      if parts.count == 2 { counts[String(parts[0])] = Double(parts[1]) }
    }
    return counts
  }
}
