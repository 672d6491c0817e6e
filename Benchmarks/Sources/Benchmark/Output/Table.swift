/// The table with a column for each measured quantity.
struct Table {
  private static let headings = [
    "case", "layer", "threads", "place", "by", "ns/reaction", "min – max", "at best", "× locked", "× baseline",
    "allocs", "bytes", "overlap", "cpus", "pace", "line",
  ]
  private static let leftAligned: Set = [0, 1, 3, 4]

  private let rows: [[String]]

  init(_ rows: [Row]) { self.rows = rows.map(Self.cells) }

  static let legend = """
    ns/reaction: median, wall time over reactions. × locked: how many times as fast as the matcher locked of the same
    layer; × baseline: as the fastest of the case's baselines. allocs, bytes of the heap: per reaction. overlap:
    threads that took part, and for how much of the longest one's time all ran, the least of all samples. cpus:
    processors kept busy. Beside the samples, median (least – most): pace, ns for 100 simple instructions, which take
    twice as long while a virtual processor shares a real one; line, ns for a cache line from one processor to another,
    which takes several times as long while the host has moved them apart. at best: the median of those samples beside
    which instructions took at most 15 % longer, and lines at most twice as long, than they ever did in the run (how
    many). Benchmarks/costs counts atomic operations and instructions.
    """

  var text: String { aligned([Self.headings] + rows, left: Self.leftAligned) }

  /// A row without a figure ends with the reason.
  private static func cells(_ row: Row) -> [String] {
    let start = [
      row.name, row.entrant.layer?.rawValue ?? "–", String(row.threads), row.placement ?? "–",
      row.entrant.strategy.name,
    ]
    guard let spread = row.spread else { return start + ["–  " + (row.failure ?? "not measured")] }
    return start + [
      nanoseconds(spread.median),
      "\(nanoseconds(spread.min)) – \(nanoseconds(spread.max))",
      row.best.map { "\(nanoseconds($0.median)) (\($0.samples))" } ?? "–",
      row.timesLocked.map { fixed($0, 2) } ?? "–",
      row.timesBaseline.map { fixed($0, 2) } ?? "–",
      row.allocations.map(perReaction) ?? "–",
      row.bytes.map { fixed($0, 1) } ?? "–",
      overlap(of: row),
      Spread(row.busy).map { fixed($0.median, 1) } ?? "–",
      row.pace.map { "\(fixed($0.median, 1)) (\(fixed($0.min, 1)) – \(fixed($0.max, 1)))" } ?? "–",
      row.transfer.map { "\(fixed($0.median, 0)) (\(fixed($0.min, 0)) – \(fixed($0.max, 0)))" } ?? "–",
    ]
  }

  private static func perReaction(_ value: Double) -> String {
    value == 0 ? "0" : value < 0.001 ? "<0.001" : fixed(value, value < 1 ? 3 : 2)
  }

  /// Returns the overlap. "2: 97 %" means that two threads took part, and both ran for 97 % of the longer one's time.
  private static func overlap(of row: Row) -> String {
    guard let overlap = row.overlap else { return "–" }
    return row.threadsSeen > 1 ? "\(row.threadsSeen): \(fixed(overlap * 100, 0)) %" : "\(row.threadsSeen)"
  }
}

/// Returns the lines as a table. `left` has the columns that begin at the left. A line that is shorter than the first
/// one ends with a text of any width.
func aligned(_ lines: [[String]], left: Set<Int>) -> String {
  let complete = lines.filter { $0.count == lines[0].count }
  let widths = lines[0].indices.map { column in complete.map { $0[column].count }.max()! }
  return lines.map { line in
    line.enumerated().map { column, cell in
      let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
      let isText = line.count < widths.count && column == line.count - 1
      return left.contains(column) || isText ? cell + padding : padding + cell
    }.joined(separator: "  ")
  }.joined(separator: "\n")
}
