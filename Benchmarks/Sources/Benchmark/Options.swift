import CHarness
import Soups

/// The requests of the command line.
struct Options {
  /// The extent of a run.
  enum Extent {
    /// The main cases for users, within three minutes.
    case overview
    /// All cases, with a few short samples: checks that all results are right.
    case quick
    /// Every case.
    case full
    /// The matchers against each other, within ten minutes.
    case compare
  }

  private(set) var extent = Extent.overview
  private(set) var cases: [Case] = []
  private(set) var strategies: [Strategy]
  private(set) var layers: [Layer] = []
  private var threads: [Int] = []
  private var samples: Int?
  private var seconds: Double?
  private(set) var json: String?
  /// Whether the run has the peers: by --peers, or by the name of one of them.
  private(set) var hasPeers = false
  /// The alternatives that the command line names.
  private(set) var namedAlternatives: [Strategy] = []
  /// Whether to measure the time that reactions cost the compiler.
  private(set) var asksCompiler = false
  /// Whether the table has all columns.
  private(set) var explains = false
  /// Whether series are shown.
  private(set) var showsSlopes = false
  /// The chemistry that --compare measures instead of its own regions.
  private var soup: Chemistry?
  /// Whether only to run the cases, so that a tool can count their instructions.
  private(set) var countsCosts = false
  private(set) var isList = false
  private(set) var isHelp = false

  struct Mistake: Error {
    let message: String
  }

  var namesThreads: Bool { !threads.isEmpty }
  /// The numbers of threads for every case that supports them.
  var threadCounts: [Int] { threads.isEmpty ? Self.threads(extent) : threads }
  var sampleCount: Int { samples ?? (extent == .full ? 11 : extent == .quick ? 3 : 7) }
  /// The minimum time of a sample, in ns.
  var sampleTime: Double { extent == .quick ? 6e6 : extent == .compare ? 10e6 : 20e6 }
  /// Returns the limit for all samples of a row together, in ns. A row that has fewer than `leastSamples` by then has
  /// no figure. If samples must be long because threads share processors, the limit suffices for ten of them.
  func rowTime(sample: Double) -> Double {
    if let seconds { return 1e9 * seconds }
    return max(extent == .full ? 20e9 : extent == .compare ? 1.7e9 : 1e9, 10 * sample)
  }
  /// The limit of a run, in ns. After it the run omits the remaining cases.
  var runTime: Double { extent == .compare ? 570e9 : .infinity }
  /// The time of a run after which no case is measured again, in ns.
  var repeatTime: Double { extent == .overview ? 100e9 : extent == .full ? .infinity : 0 }
  static let leastSamples = 3
  /// The regions of the comparison from which the run has cases. Empty in other runs.
  var regions: [Region] {
    if let soup { return [Region(soup, threads: threads.isEmpty ? [1, 2] : threads)] }
    let names = Set(cases.map(\.name))
    return extent != .compare ? [] : Region.all.filter { $0.cells.contains { names.contains($0.name) } }
  }
  /// Whether allocations are counted and single calls timed, in separate passes.
  var hasPasses: Bool { extent != .overview || explains }

  private static func threads(_ extent: Extent) -> [Int] {
    let cores = min(harness_cores(), Int(HARNESS_MAX_THREADS))
    return switch extent {
    case .overview: [1, max(2, cores)]
    case .quick: [1, 2]
    case .full, .compare: Set([1, 2, 8, cores]).sorted()
    }
  }

  init(_ arguments: [String]) throws(Mistake) {
    var rest = arguments[...]
    var names: [String]?
    var chosen: [Strategy]?
    var hasSlopes = false
    while let option = rest.popFirst() {
      switch option {
      case "--quick": extent = .quick
      case "--full":
        extent = .full
        explains = true
      case "--compare": extent = .compare
      case "--explain": explains = true
      case "--case": names = try Self.list(option, &rest)
      case "--matcher":
        chosen = try Self.choices(option, &rest, of: Strategy.all.map { ($0.name, $0) })
      case "--layer": layers = try Self.choices(option, &rest, of: Layer.allCases.map { ($0.rawValue, $0) })
      case "--threads": threads = try Self.numbers(option, &rest, in: 1...Int(HARNESS_MAX_THREADS))
      case "--samples": samples = try Self.numbers(option, &rest, in: 1...1000)[0]
      case "--seconds":
        let text = try Self.value(option, &rest)
        guard let number = Double(text), number > 0, number <= 3600 else {
          throw Mistake(message: "--seconds takes a number up to 3600, not \(text)")
        }
        seconds = number
      case "--json": json = try Self.value(option, &rest)
      case "--slopes": hasSlopes = true
      case "--soup": soup = try Self.choices(option, &rest, of: Chemistry.all.map { ($0.name, $0) })[0]
      case "--peers": hasPeers = true
      case "--costs": countsCosts = true
      case "--list": isList = true
      case "--help", "-h": isHelp = true
      default: throw Mistake(message: "unknown option \(option); --help lists them")
      }
    }
    if let chosen, chosen.contains(.oneTBB) { hasPeers = true }
    strategies = chosen ?? (extent == .compare ? Strategy.compared : Strategy.all)
    if hasPeers && !strategies.contains(.oneTBB) { strategies.append(.oneTBB) }
    namedAlternatives = Strategy.baselines.filter { alternative in
      chosen?.contains(alternative) ?? false || alternative == .oneTBB && hasPeers
    }
    if extent == .compare {
      if hasSlopes { throw Mistake(message: "--compare has series of its own, and --slopes is for other runs") }
      if let other = namedAlternatives.first {
        throw Mistake(message: "--compare compares matchers, and \(other.name) is none; other runs have it")
      }
      layers = [.swift]
      if let soup {
        if names != nil { throw Mistake(message: "--soup is a case of its own, and --case is for the others") }
        cases = [Case(soup)]
        return
      }
      cases = try names.map(Self.cases) ?? Region.cases
      if let other = cases.first(where: { Region.threads(for: $0.name).isEmpty }) {
        throw Mistake(message: "--compare does not run \(other.name); --compare --list shows what it runs")
      }
      return
    }
    if soup != nil { throw Mistake(message: "--soup goes with --compare") }
    if layers.isEmpty { layers = extent == .overview && !countsCosts ? [.swift] : Layer.allCases }
    cases = try names.map(Self.cases) ?? (extent == .overview && !isList ? Case.overview : Case.all)
    if hasSlopes {
      asksCompiler = true
      showsSlopes = true
      let chosen = Set(cases.map(\.name))
      cases += Case.slopes.filter { !chosen.contains($0.name) }
    }
  }

  static let help = """
    usage: Benchmarks/run [options]

    Runs ten cases with one thread and with one for each core, and shows what a
    reaction takes with each matcher, and with the best alternative that does not
    use Crucible.

    What is run
      --quick            every case, short samples: shows that all is right
      --full             every case, with 1, 2, 8 and all threads, and every column
      --compare          every matcher along one dimension after another: inputs,
                         names, threads, backlog, latency, bytes; prints the
                         winner of each region, within ten minutes
      --compare --soup NAME
                         the same for one chemistry, with 1 and 2 threads:
    \(wrapped(Chemistry.all.map(\.name)))
                         Benchmarks/README.md says how to add one's own
      --case NAME,…      these cases only (--list shows them)
      --matcher NAME,…   these only, of the matchers
    \(names(of: Strategy.compared))
                         and the alternatives
    \(names(of: Strategy.baselines))
      --layer NAME,…     swift: the public API; c: the core alone, in a few cases
      --threads N,…      threads that inject (inline cases) or workers of the pool
      --samples N        samples of a row
      --seconds S        time that a row may take; without 3 samples by then it has
                         no figure, and shows a lower bound
      --slopes           also the series in which names, reactions, inputs, bytes,
                         soups or threads grow, and the compiler's time
      --peers            also oneTBB, as by --matcher onetbb: counter, join2, join3,
                         chain; installs libtbb-dev if it is missing

    What is shown
      --explain          a column for everything that was measured, and the obstacles
      --json FILE        where results go; by default Benchmarks/results/latest.json
      --list             shows the cases
      --help             shows this

    Figures are medians; the entrants of a case take turns. A result that is wrong
    fails the run. Threads that did not run at the same time give no figure.
    Benchmarks/README.md says how long each option takes. Ends with code 1 when a
    result is wrong, 2 when an option is.
    """

  /// Returns names in lines that fit under an option.
  private static func names(of strategies: [Strategy]) -> String { wrapped(strategies.map(\.name)) }

  private static func wrapped(_ names: [String]) -> String {
    var lines = [""]
    for name in names {
      let word = name + (name == names.last ? "" : ",")
      let last = lines[lines.count - 1]
      let longer = last.isEmpty ? word : last + " " + word
      if longer.count > 59 { lines.append(word) } else { lines[lines.count - 1] = longer }
    }
    return lines.map { String(repeating: " ", count: 21) + $0 }.joined(separator: "\n")
  }

  // MARK: - Reading

  private static func value(_ option: String, _ rest: inout ArraySlice<String>) throws(Mistake) -> String {
    guard let value = rest.popFirst(), !value.isEmpty, !value.hasPrefix("--") else {
      throw Mistake(message: "\(option) needs a value")
    }
    return value
  }

  private static func list(_ option: String, _ rest: inout ArraySlice<String>) throws(Mistake) -> [String] {
    let parts = try value(option, &rest).split(separator: ",").map(String.init)
    if parts.isEmpty { throw Mistake(message: "\(option) needs a value") }
    return parts
  }

  private static func numbers(
    _ option: String, _ rest: inout ArraySlice<String>, in range: ClosedRange<Int>
  ) throws(Mistake) -> [Int] {
    var numbers: [Int] = []
    for text in try list(option, &rest) {
      guard let number = Int(text), range.contains(number) else {
        throw Mistake(message: "\(option) takes numbers from \(range.lowerBound) to \(range.upperBound), not \(text)")
      }
      if !numbers.contains(number) { numbers.append(number) }
    }
    return numbers
  }

  private static func choices<Choice>(
    _ option: String, _ rest: inout ArraySlice<String>, of known: [(name: String, choice: Choice)]
  ) throws(Mistake) -> [Choice] {
    var choices: [Choice] = []
    for name in try list(option, &rest) {
      guard let found = known.first(where: { $0.name == name }) else {
        throw Mistake(message: "\(option) does not know \(name), only\n\(wrapped(known.map(\.name)))")
      }
      choices.append(found.choice)
    }
    return choices
  }

  private static func cases(named names: [String]) throws(Mistake) -> [Case] {
    let known = Case.all + Case.slopes + Case.compared
    for name in names where !known.contains(where: { $0.name == name }) {
      throw Mistake(message: "there is no case \(name); --list --slopes shows them")
    }
    return known.filter { names.contains($0.name) }
  }
}
