import CCrucible
import Glibc

/// Finds names of one soup that have the same label.
///
/// A table of names by a hash of their labels, with open addressing. It is on the stack, because most definitions have
/// no such names.
struct LabelSearch {
  /// Two names by their numbers.
  typealias Pair = (name: Int, first: Int)

  let core: OpaquePointer

  /// The second name of each label that several names have, with the first one.
  ///
  /// - Complexity: O(length of all labels).
  func repeated() -> [Pair] {
    let count = crucible_soup_name_count(core)
    if count < 2 { return [] }
    let mask = 4 << (Int.bitWidth - (count - 1).leadingZeroBitCount - 1) - 1
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: mask + 1) { table in
      table.initialize(repeating: 0)
      var found: [Pair] = []
      for index in 0..<count {
        let label = crucible_name_label(crucible_soup_name(core, index))
        var place = hash(label) & mask
        while table[place] != 0 && !isEqual(label, Int(abs(table[place])) - 1) { place = (place + 1) & mask }
        if table[place] == 0 {
          table[place] = Int32(index + 1)
        } else if table[place] > 0 {
          found.append((index, Int(table[place]) - 1))
          table[place] = -table[place]  // a third one adds no information
        }
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
