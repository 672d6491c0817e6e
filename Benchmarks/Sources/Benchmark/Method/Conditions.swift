/// The conditions under which the machine was at its best. Measurements next to the samples show them, never the
/// samples themselves.
///
/// A virtual processor slows down for a while if it shares a real one, or if its host moves it away from the other one.
/// A sample counts as taken at the machine's best under two conditions. At its time, 100 simple instructions took at
/// most 15 % longer than their minimum in the run. If threads share lines, the transfer of a line took at most twice
/// its minimum.
struct Conditions {
  private let pace: Double
  private let line: Double

  init(_ rows: [Row]) {
    pace = 1.15 * (rows.flatMap(\.paces).min() ?? 0)
    line = 2 * (rows.flatMap(\.transfers).filter { $0 > 0 }.min() ?? 0)
  }

  /// Returns how much slower the machine was beside these rows than at its best permits. At most 1: it was at its best
  /// beside half of the samples of each row.
  func slowness(of rows: [Row]) -> Double {
    let figures = rows.flatMap { [$0.pace.map { $0.median / pace }, $0.transfer.map { $0.median / line }] }
    return figures.compactMap(\.self).max() ?? 0
  }

  /// A transfer of 0 was not measured.
  private func isShort(_ transfer: Double) -> Bool { transfer > 0 && transfer <= line }

  /// The median of the samples that were taken under these conditions.
  func best(of row: Row) -> Best? {
    guard row.failure == nil, row.times.count == row.paces.count else { return nil }
    let times = row.times.indices.filter { index in
      row.paces[index] <= pace && (row.transfers.isEmpty || isShort(row.transfers[index]))
    }.map { row.times[$0] }
    return Spread(times).map { Best(median: $0.median, samples: times.count) }
  }
}

struct Best {
  let median: Double
  let samples: Int
}
