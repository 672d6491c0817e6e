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
    let name: String
    let threads: Int
  }

  let name: String
  var figure = Figure.time
  let cells: [Cell]

  var json: JSON {
    .object([
      ("region", .string(name)), ("figure", .string(figure.rawValue)),
      ("cells", .array(cells.map { .object([("case", .string($0.name)), ("threads", .int($0.threads))]) })),
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
      over("bodies of 1 µs", "join2-work", [1, 2, 8]),
      backlog(1), backlog(2),
      over("latency p99.9, shared names", "join2", everyCount, .latency),
      over("latency p99.9, a state", "counter-state", everyCount, .latency),
      Region(
        name: "bytes of a soup", figure: .bytes,
        cells: [100, 10_000].map { Cell(name: "slope-soups-\($0)", threads: 1) }),
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
      name: "\(series), \(inWords(threads))",
      cells: sizes.map { Cell(name: "slope-\(series)-\($0)", threads: threads) })
  }

  /// Makes a case with two threads, and so many names of one component.
  private static func connected(_ name: String, _ series: String, _ sizes: [Int]) -> Region {
    Region(name: name, cells: sizes.map { Cell(name: "\(series)-\($0)", threads: 2) })
  }

  private static func over(_ name: String, _ one: String, _ counts: [Int], _ figure: Figure = .time) -> Region {
    Region(name: name, figure: figure, cells: counts.map { Cell(name: one, threads: $0) })
  }

  private static func backlog(_ threads: Int) -> Region {
    Region(
      name: "backlog, \(inWords(threads))",
      cells: ["join2", "backlog-100000"].map { Cell(name: $0, threads: threads) })
  }
}
