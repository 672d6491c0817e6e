/// When the machine gave its best: what runs beside the samples tells it, never the samples themselves.
///
/// A virtual processor that shares a real one, or that its host has moved away from the other one, makes everything
/// slower for a while. A sample counts as taken at the machine's best when 100 simple instructions took at most 15 %
/// longer beside it than they ever did in the run, and, where threads share lines, a line at most twice as long as it
/// ever did.
struct Conditions {
  private let pace: Double
  private let line: Double

  init(_ rows: [Row]) {
    pace = 1.15 * (rows.flatMap(\.paces).min() ?? 0)
    line = 2 * (rows.flatMap(\.transfers).filter { $0 > 0 }.min() ?? 0)
  }

  /// The median of the samples that were taken so.
  func best(of row: Row) -> Best? {
    guard row.failure == nil, row.times.count == row.paces.count else { return nil }
    let times = row.times.indices.filter { index in
      row.paces[index] <= pace && (row.transfers.isEmpty || (1...Int(line)).contains(Int(row.transfers[index])))
    }.map { row.times[$0] }
    return Spread(times).map { Best(median: $0.median, samples: times.count) }
  }
}

struct Best {
  let median: Double
  let samples: Int
}
