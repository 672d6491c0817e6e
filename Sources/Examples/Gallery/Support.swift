// Helpers that the drivers of the problems share. Their chemistry does not use them.

import Crucible

extension Soup.Control {
  /// Waits until the soup is quiet. Returns how many molecules still wait, by label; a state is no leftover.
  ///
  /// Throws ``Unrest`` if the soup is not quiet within a minute.
  func leftovers() async throws -> [String: Int] {
    guard await quiet(within: .seconds(60)) else { throw Unrest(explanation: explain().description) }
    let counts = zip(graph.names, snapshot().counts).filter { $0.kind != .state && $1.molecules > 0 }
    return Dictionary(counts.map { ($1.label, $1.molecules) }, uniquingKeysWith: +)
  }
}

/// A soup was not quiet in time.
struct Unrest: Error {
  let explanation: String
}

/// Runs `work` in `count` tasks. Returns their results by number.
func together<Value: Sendable>(
  _ count: Int, _ work: @escaping @Sendable (Int) async throws -> Value
) async throws -> [Value] {
  try await withThrowingTaskGroup(of: (Int, Value).self) { group in
    for number in 0..<count { group.addTask { (number, try await work(number)) } }
    var values: [Int: Value] = [:]
    for try await (number, value) in group { values[number] = value }
    return (0..<count).map { values[$0]! }
  }
}
