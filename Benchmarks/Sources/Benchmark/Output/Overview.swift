/// The table that fits 80 columns. For each case and number of threads it has every matcher, and the best alternative.
struct Overview {
  private let rows: [Row]
  private let matchers: [Strategy]
  private let layers: [Layer]

  init(_ rows: [Row]) {
    let rows = rows.filter { $0.entrant.strategy != .compiler }
    self.rows = rows
    matchers = Strategy.matchers.map(\.strategy).filter { strategy in
      rows.contains { $0.entrant.layer != nil && $0.entrant.strategy == strategy }
    }
    layers = Layer.allCases.reversed().filter { layer in rows.contains { $0.entrant.layer == layer } }
  }

  var text: String {
    var lines = [["case, threads", ""] + matchers.map(\.name) + ["best alternative", "", ""]]
    for name in unique(rows.map(\.name)) {
      for layer in layers.isEmpty ? [nil] : layers.map(Optional.some) {
        for threads in unique(rows.filter { $0.name == name }.map(\.threads)) {
          guard let cells = cells(name, threads, layer) else { continue }
          lines.append(cells)
        }
      }
    }
    return aligned(lines)
  }

  /// The meaning of the mark beside a figure, if there is one.
  var note: String? {
    rows.contains { $0.spread != nil && $0.isOnOneProcessor }
      ? "¹: nearly all of it on one processor, though its threads could use two" : nil
  }

  /// The reasons for which rows have no figure, in lines.
  var reasons: [String] {
    let apart = rows.filter { $0.failure?.hasPrefix("no overlap") ?? false }.count
    let others = rows.filter { $0.failure != nil && !$0.failure!.hasPrefix("no overlap") }
    return others.map { "\($0.title): \($0.failure!)" }
      + (apart == 0
        ? []
        : ["no figure for \(apart) of \(rows.count): their threads did not run at once; is the machine busy?"])
  }

  /// Returns the cells; nil if no entrant did the case so.
  private func cells(_ name: String, _ threads: Int, _ layer: Layer?) -> [String]? {
    let group = rows.filter { $0.name == name && $0.threads == threads }
    let ours = matchers.map { strategy in group.first { $0.entrant == Entrant(layer: layer, strategy: strategy) } }
    let alternatives = group.filter { $0.entrant.layer == nil }
    if layer != nil && ours.allSatisfy({ $0 == nil }) { return nil }
    if layer == nil && alternatives.isEmpty { return nil }
    let measured = alternatives.filter { $0.spread != nil }.min { $0.spread!.median < $1.spread!.median }
    let best = measured ?? alternatives.filter { $0.moreThan != nil }.min { $0.moreThan! < $1.moreThan! }
    let title = layer == .c ? "\(name), layer c" : name
    return [title, String(threads)] + ours.map(Self.figure)
      + [Self.figure(best), best?.entrant.strategy.name ?? "", isLost(ours, best) ? "*" : ""]
  }

  /// Whether the first matcher of the case is slower than any other entrant of the line.
  private func isLost(_ ours: [Row?], _ best: Row?) -> Bool {
    let others = ours.compactMap(\.self).dropFirst() + (best.map { [$0] } ?? [])
    guard let first = ours.compactMap(\.self).first?.spread?.median else { return false }
    return others.contains { ($0.spread?.median ?? .infinity) < first }
  }

  private static func figure(_ row: Row?) -> String {
    guard let row else { return "–" }
    if let spread = row.spread { return nanoseconds(spread.median) + (row.isOnOneProcessor ? "¹" : "") }
    return row.moreThan.map { ">" + nanoseconds($0) } ?? "–"
  }

  /// Aligns the lines. It prints the case's name once, and the heading of the last columns over their figures and
  /// names. The marks of rows that are slower follow the longest name among these rows.
  private func aligned(_ lines: [[String]]) -> String {
    let figures = 2 + matchers.count
    let body = lines.dropFirst()
    let widths = lines[0].indices.map { column in
      let rows = column == figures + 1 ? body.filter { $0.last == "*" } : Array(body)
      return max(column < figures ? lines[0][column].count : 0, rows.map { $0[column].count }.max() ?? 0)
    }
    var previous = ""
    return lines.enumerated().map { number, cells in
      var cells = cells
      if number > 0 {
        let name = cells[0]
        if name == previous { cells[0] = "" }
        previous = name
      }
      var line = ""
      for (column, cell) in cells.enumerated() {
        if number == 0 && column >= figures {
          if column == figures { line += "  " + cell }
          continue
        }
        let padding = String(repeating: " ", count: max(0, widths[column] - cell.count))
        let isLeft = column == 0 || column > figures
        line += column == 0 ? "" : column == 1 || column > figures ? " " : "  "
        line += isLeft ? cell + padding : padding + cell
      }
      while line.last == " " { line.removeLast() }
      return line
    }.joined(separator: "\n")
  }

  private func unique<T: Hashable>(_ values: [T]) -> [T] {
    var seen = Set<T>()
    return values.filter { seen.insert($0).inserted }
  }
}

/// Returns the number with one digit after the point below 100, and with commas between thousands.
func nanoseconds(_ value: Double) -> String {
  if value < 100 { return fixed(value, 1) }
  var digits = fixed(value, 0)[...]
  var groups: [Substring] = []
  while digits.count > 3 {
    groups.insert(digits.suffix(3), at: 0)
    digits = digits.dropLast(3)
  }
  return ([digits] + groups).joined(separator: ",")
}
