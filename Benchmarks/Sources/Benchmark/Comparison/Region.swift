/// A dimension along which --compare measures the matchers. The rest of the case stays as it is in a base.
struct Region: Sendable {
  /// The figure that is compared.
  enum Figure: String {
    /// ns per reaction.
    case time = "ns"
    /// ns that 99.9 % of the injections did not exceed.
    case latency = "p999"
    case bytes
  }

  /// A case at one number of threads.
  struct Cell: Sendable {
    /// The place of the cell in its dimension.
    let at: Int
    let name: String
    let threads: Int
    /// The definition that is measured. Cells of one chemistry differ in threads, bodies or waiting molecules.
    let chemistry: String
  }

  let name: String
  /// The quantity that grows.
  let of: String
  var figure = Figure.time
  let cells: [Cell]

  var json: JSON {
    .object([
      ("region", .string(name)), ("of", .string(of)), ("figure", .string(figure.rawValue)),
      (
        "cells",
        .array(
          cells.map { cell in
            .object([
              ("at", .int(cell.at)), ("case", .string(cell.name)), ("threads", .int(cell.threads)),
              ("chemistry", .string(cell.chemistry)),
            ])
          })
      ),
    ])
  }
}

extension Region {
  /// All regions, with at most 60 cells together. The base is two names and one reaction over both, with an empty body
  /// and without waiting molecules.
  static let all: [Region] =
    [1, 2].flatMap { threads in
      [
        growing("inputs", [1, 2, 3, 4, 6, 8], threads),
        growing("names", [2, 8, 31, 64], threads),
      ]
    } + [
      over("shared names", "join2", everyCount),
      over("a state", "counter-state", everyCount),
      over("a plain molecule as a counter", "counter", [1, 2]),
      over("a state that replies", "counter-value", [1, 2]),
      over("8 pairs, components of their own", "pairs-apart", [1, 2, 8]),
      over("8 pairs, one component", "pairs-joined", [1, 2, 8]),
      over("64 names, within a word", "wide-within-64", [2]),
      over("64 names, over two words", "wide-across-64", [2]),
      connected("128 and 256 names, within a word", "wide-within", [128, 256]),
      connected("128 and 256 names, over two words", "wide-across", [128, 256]),
      over("8 reactions that share a name", "fan-in", [1, 2, 8]),
      over("philosophers, on the pool", "philosophers", [1, 2]),
      over("bodies of 1 µs", "join2-work", [1, 2, 8], chemistry: "join2"),
      backlog(1), backlog(2),
      over("latency p99.9, shared names", "join2", everyCount, .latency),
      over("latency p99.9, a state", "counter-state", everyCount, .latency),
      Region(
        name: "bytes of a soup", of: "soups", figure: .bytes,
        cells: [100, 10_000].map { count in
          Cell(at: count, name: "slope-soups-\(count)", threads: 1, chemistry: "counter-state")
        }),
    ]

  private static let everyCount = [1, 2, 4, 8, 64]

  /// All cases of the regions, each once.
  static let cases: [Case] = {
    let cells = Set(all.flatMap(\.cells).map { "\($0.name) \($0.threads)" })
    precondition(cells.count <= 60, "\(cells.count) cells take longer than ten minutes")
    let names = Set(all.flatMap(\.cells).map(\.name))
    return (Case.all + Case.slopes + Case.compared).filter { names.contains($0.name) }
  }()

  /// The numbers of threads with which the regions have a case.
  static func threads(for name: String, in regions: [Region] = all) -> [Int] {
    Set(regions.flatMap(\.cells).filter { $0.name == name }.map(\.threads)).sorted()
  }

  /// Makes a series over its case's size.
  private static func growing(_ series: String, _ sizes: [Int], _ threads: Int) -> Region {
    Region(
      name: "\(series), \(inWords(threads))", of: series,
      cells: sizes.map { size in
        let name = "slope-\(series)-\(size)"
        return Cell(at: size, name: name, threads: threads, chemistry: "\(series)-\(size)")
      })
  }

  /// Makes a case with two threads, and so many names of one component.
  private static func connected(_ name: String, _ series: String, _ sizes: [Int]) -> Region {
    Region(
      name: name, of: "names",
      cells: sizes.map { Cell(at: $0, name: "\(series)-\($0)", threads: 2, chemistry: "\(series)-\($0)") })
  }

  private static func over(
    _ name: String, _ one: String, _ counts: [Int], _ figure: Figure = .time, chemistry: String? = nil
  ) -> Region {
    Region(
      name: name, of: "threads", figure: figure,
      cells: counts.map { Cell(at: $0, name: one, threads: $0, chemistry: chemistry ?? one) })
  }

  private static func backlog(_ threads: Int) -> Region {
    Region(
      name: "backlog, \(inWords(threads))", of: "molecules",
      cells: [(0, "join2"), (100_000, "backlog-100000")].map { size, name in
        Cell(at: size, name: name, threads: threads, chemistry: "join2")
      })
  }
}
