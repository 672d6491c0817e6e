import CCrucible
import Glibc

/// Finds names of one soup that have the same label. Most definitions have none, so it compares hashes on the stack.
struct LabelSearch {
  /// Two names by their numbers.
  typealias Pair = (name: Int, first: Int)

  let core: OpaquePointer

  /// The second name of each label that several names have, with the first one.
  ///
  /// - Complexity: O(names² + length of all labels).
  func repeated() -> [Pair] {
    let count = crucible_soup_name_count(core)
    return withUnsafeTemporaryAllocation(of: Int.self, capacity: count) { hashes in
      var found: [Pair] = []
      for index in 0..<count {
        let label = crucible_name_label(crucible_soup_name(core, index))
        let hash = hash(label)
        hashes.initializeElement(at: index, to: hash)
        guard let first = (0..<index).first(where: { hashes[$0] == hash && isEqual(label, $0) }) else { continue }
        if !found.contains(where: { $0.first == first }) { found.append((index, first)) }
      }
      return found
    }
  }

  private func isEqual(_ label: UnsafePointer<CChar>, _ other: Int) -> Bool {
    strcmp(label, crucible_name_label(crucible_soup_name(core, other))) == 0
  }

  /// Hashes the length and the last four bytes: of `fork[12]` the number.
  private func hash(_ label: UnsafePointer<CChar>) -> Int {
    let length = strlen(label)
    var hash = length
    for index in max(0, length - 4)..<length { hash = hash &* 31 &+ Int(label[index]) }
    return hash
  }
}
