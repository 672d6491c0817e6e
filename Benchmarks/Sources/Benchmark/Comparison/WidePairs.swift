import CCases
import CHarness
import Crucible

// join2 in one component with more names than fit into one word of the matcher `word`. Ten names are a row. They are in
// one word because a reaction over all of them requires it. Two names of one row react, or two of different rows. Some
// matchers serve fewer names than that.

extension Case {
  static let wide = [64, 128, 256].flatMap { names in
    [
      Case(
        "wide-within-\(names)", "a pair in a component of \(names) names, within one word", .inline, timesCalls: true,
        widePair(names, isAcross: false)),
      Case(
        "wide-across-\(names)", "the same over two words", .inline, timesCalls: true, widePair(names, isAcross: true)),
    ]
  }
}

private let rowLength = 10

private func widePair(_ count: Int, isAcross: Bool) -> Opening {
  { (setting) throws(Wrong) in
    let most = cases_most_names(setting.strategy.name)
    guard count <= most else {
      throw Wrong("\(setting.strategy.name) serves at most \(most) names that are connected", isNotServed: true)
    }
    let (a, b, control) = Soup.define(
      "wide", with: .init(matcher: setting.matcher, allowing: [.shadowed, .neverFires])
    ) { soup in
      let names = soup.slow("name", of: Int.self, count: count)
      let rows = stride(from: 0, to: count, by: rowLength).map { Array(names[$0..<min($0 + rowLength, count)]) }
      for row in rows { soup.react(row, on: .inline) { _ in neverEnabled() } }
      for (row, next) in zip(rows, rows.dropFirst()) {
        soup.react(row[0], next[0], on: .inline) { _, _ in neverEnabled() }
      }
      let (a, b) = (rows[0][1], isAcross ? rows[1][1] : rows[0][2])
      soup.react(a, b, on: .inline) { a, b in tally(a &+ b) }
      return (a, b, soup.control)
    }
    return inline(setting, Job(Join2(a: a, b: b)), control, valuesPerRound: 2)
  }
}
