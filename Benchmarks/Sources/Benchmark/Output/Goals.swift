import Glibc

/// The makers' goals, from `goals.tsv`, which describes its own format. `--explain` shows them.
struct Goals {
  private struct Goal {
    let name: String
    let layer: String
    let threads: Int
    let figure: String
    let limit: Double
  }

  private let goals: [Goal]
  /// The obstacles to goals, by case.
  private let why: [String: String]

  init(path: String) throws(Wrong) {
    guard let file = fopen(path, "r") else { throw Wrong("\(path): \(String(cString: strerror(errno)))") }
    defer { fclose(file) }
    var goals: [Goal] = []
    var why: [String: String] = [:]
    for line in readText(file).split(separator: "\n") where !line.hasPrefix("#") {
      let cells = line.split(separator: "\t").map(String.init)
      if cells.count == 3, cells[0] == "why" {
        why[cells[1]] = cells[2]
        continue
      }
      guard cells.count == 6, cells[0] == "goal", let threads = Int(cells[3]), let limit = Double(cells[5]) else {
        throw Wrong("\(path): neither a goal nor a reason: \(line)")
      }
      goals.append(Goal(name: cells[1], layer: cells[2], threads: threads, figure: cells[4], limit: limit))
    }
    self.goals = goals
    self.why = why
  }

  /// Returns the obstacles to the goals that the rows miss, a line a case.
  func reasons(among rows: [Row]) -> [String] {
    var names: [String] = []
    for row in rows where !names.contains(row.name) && judge(row, among: rows).contains(where: { !$0.isMet }) {
      names.append(row.name)
    }
    return names.compactMap { name in why[name].map { "\(name): \($0)" } }
  }

  /// Returns the target of each goal of a row, and whether it is met. A time is compared at the machine's best, if
  /// there were such samples.
  func judge(_ row: Row, among rows: [Row]) -> [(limit: Double, isMet: Bool)] {
    let compound = Case.all.first { $0.name == row.name }?.matcher
    guard row.entrant.strategy == compound ?? .word else { return [] }
    return goals.compactMap { goal in
      guard goal.name == row.name, goal.layer == row.entrant.layerName, goal.threads == row.threads,
        let value = value(goal.figure, of: row, among: rows)
      else { return nil }
      // The heap's blocks need up to a twentieth more than their contents.
      let limit = goal.figure == "bytes" ? goal.limit * 1.05 : goal.limit
      return (goal.limit, goal.figure == "speedup" ? value >= limit : value <= limit + 0.005)
    }
  }

  private func value(_ figure: String, of row: Row, among rows: [Row]) -> Double? {
    switch figure {
    case "ns": return row.best?.median ?? row.spread?.median
    case "bytes": return row.bytes
    case "speedup": return row.timesLocked
    default:
      let words = figure.split(separator: " ")
      if words.count == 2 { return self.row(row, over: String(words[1]), among: rows) }
      guard words.count == 3, words[0] == "over", let threads = Int(words[2]) else { return nil }
      let other = rows.first {
        $0.name == words[1] && $0.threads == threads && $0.entrant == row.entrant && $0.spread != nil
      }
      guard let other, let spread = row.spread else { return nil }
      return spread.median / other.spread!.median
    }
  }

  /// Compares with the best alternative (`best`), or with the one of that name. If an alternative ran out of time, its
  /// figure is a lower bound, and the ratio is an upper bound.
  private func row(_ row: Row, over alternative: String, among rows: [Row]) -> Double? {
    let others = rows.filter {
      $0.name == row.name && $0.threads == row.threads && $0.entrant.layer == nil
        && (alternative == "best" || alternative == $0.entrant.layerName)
    }
    guard let own = row.spread?.median, let least = others.compactMap({ $0.spread?.median ?? $0.moreThan }).min()
    else { return nil }
    return own / least
  }
}
