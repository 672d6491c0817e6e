/// What the command line asks for.
struct Options {
  var quick = false
  var cases: [Case] = Case.all
  var strategies: [Strategy] = Strategy.allCases
  var layers: [Layer] = Layer.allCases
  var threads: [Int] = []  // empty: as `quick` says
  var samples: Int?
  var json: String?
  var isReport = false
  var report: String?
  var input: String?
  var hasPeers = false
  /// Whether to measure what reactions cost the compiler.
  var asksCompiler = false
  private var hasSlopes = false
  private var hasNamedCases = false
  /// Whether only to run the cases so that what they execute can be counted.
  var countsCosts = false
  var isList = false
  var isHelp = false

  struct Mistake: Error {
    let message: String
  }

  var threadCounts: [Int] { threads.isEmpty ? (quick ? [1, 2] : [1, 2, 8]) : threads }
  var sampleCount: Int { samples ?? (quick ? 3 : 11) }
  /// How long a sample should take at least, in ns.
  var sampleTime: Double { quick ? 6e6 : 20e6 }

  init(_ arguments: [String]) throws(Mistake) {
    var rest = arguments[...]
    while let option = rest.popFirst() {
      switch option {
      case "--quick": quick = true
      case "--case":
        hasNamedCases = true
        cases = try Self.cases(named: Self.list(option, &rest))
      case "--matcher": strategies = try Self.choices(option, &rest)
      case "--layer": layers = try Self.choices(option, &rest)
      case "--threads": threads = try Self.numbers(option, &rest, in: 1...64)
      case "--samples": samples = try Self.numbers(option, &rest, in: 1...1000)[0]
      case "--json": json = try Self.value(option, &rest)
      case "--report":
        isReport = true
        if let file = rest.first, !file.hasPrefix("--") {
          report = file
          rest.removeFirst()
        }
      case "--input": input = try Self.value(option, &rest)
      case "--slopes": hasSlopes = true
      case "--peers": hasPeers = true
      case "--costs": countsCosts = true
      case "--list": isList = true
      case "--help", "-h": isHelp = true
      default: throw Mistake(message: "unknown option \(option); --help lists them")
      }
    }
    if hasSlopes || (isReport && !hasNamedCases) {
      asksCompiler = true
      let names = Set(cases.map(\.name))
      cases += Case.slopes.filter { !names.contains($0.name) }
    }
  }

  static let help = """
    usage: Benchmarks/run [options]

      --quick             1 and 2 threads, few and short samples: shows that all is right, ends within a minute
      --case NAME,…       these cases only (--list shows them)
      --matcher NAME,…    these only, of: word, locked, and the baselines pthread-mutex, pthread-condition,
                          spin-then-futex, sequential, onetbb, swift-mutex, swift-actor, dispatch-queue,
                          dispatch-semaphore, async-stream, continuations, task-group
      --layer NAME,…      c: the core alone; swift: the public API; each with its baselines
      --threads N,…       instead of 1,2,8: threads that inject (inline cases), workers of the pool (the others)
      --samples N         instead of 11
      --input DIR         the text that wordcount counts; by default this repository
      --json FILE         where the results go; by default Benchmarks/results/latest.json
      --slopes            also the series in which names, reactions, inputs, bytes, soups or threads grow, and what
                          reactions cost the compiler
      --report [FILE]     draws the results, with the slopes unless --case says otherwise, as one HTML page; by default
                          Benchmarks/results/report.html
      --peers             also oneTBB, in a program of its own; installs libtbb-dev if it is missing
      --costs             only runs the cases for Benchmarks/costs, which counts what they execute
      --list              shows the cases
      --help              shows this

    Strategies take turns; figures are medians; × locked says how many times as fast as the matcher locked of the same
    layer, turn by turn. Threads that did not run at the same time give no figure. Ends with code 1 when a result is
    wrong, 2 when an option is.
    """

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

  private static func choices<Choice: RawRepresentable<String> & CaseIterable>(
    _ option: String, _ rest: inout ArraySlice<String>
  ) throws(Mistake) -> [Choice] {
    var choices: [Choice] = []
    for name in try list(option, &rest) {
      guard let choice = Choice(rawValue: name) else {
        let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
        throw Mistake(message: "\(option) knows \(known), not \(name)")
      }
      choices.append(choice)
    }
    return choices
  }

  private static func cases(named names: [String]) throws(Mistake) -> [Case] {
    let known = Case.all + Case.slopes
    for name in names where !known.contains(where: { $0.name == name }) {
      throw Mistake(message: "there is no case \(name); --list --slopes shows them")
    }
    return known.filter { names.contains($0.name) }
  }
}
