import Glibc

@main
struct Benchmark {
  static func main() {
    let options: Options
    do {
      options = try Options(Array(CommandLine.arguments.dropFirst()))
    } catch {
      printError("benchmark: \(error.message)")
      exit(2)
    }
    if options.isHelp { return print(Options.help) }
    if options.isList { return list(options) }
    if options.countsCosts { exit(Costs.run(options)) }
    exit(run(options))
  }

  /// Runs the benchmark, and returns the exit code of the process.
  private static func run(_ options: Options) -> Int32 {
    let home = environment("BENCHMARKS_HOME") ?? "."
    let machine = Machine()
    let obstacles: [(name: Substring, text: Substring)]?
    let peers: Peers?
    do {
      obstacles = options.explains ? try readObstacles(home + "/obstacles.tsv") : nil
      peers = options.hasPeers ? try Peers(program: environment("BENCHMARKS_ONETBB")) : nil
    } catch {
      printError("benchmark: \(error.message)")
      return 1
    }
    printLine(machine.description + "\n")

    var session = Session(options, peers: peers)
    let path = options.json ?? home + "/results/latest.json"
    // If one of these fails, the last one fails too, and reports the error.
    session.run {
      _ = writeText(report(machine, $0, [], options.regions).text, to: path)
    }
    if let obstacles {
      printLine(Table(session.results).text + "\n\n" + Table.legend)
      for (name, text) in obstacles where session.results.contains(where: { $0.name == name }) {
        printLine("\(name): \(text)")
      }
      printLine(noise(in: session) + "; took \(session.seconds) s")
    } else if options.extent == .compare {
      printLine(noise(in: session) + "; took \(session.seconds) s")
    } else {
      show(session)
    }
    let slopes = session.slopes
    if !slopes.isEmpty && (options.showsSlopes || options.explains) { printLine("\n" + text(of: slopes)) }

    guard writeText(report(machine, session.results, slopes, options.regions).text, to: path) else {
      printError("benchmark: \(path): \(String(cString: strerror(errno)))")
      return 1
    }
    let isCompared = options.extent != .compare || compare(path)
    for failure in session.failures { printError("FAILED: \(failure)") }
    printLine("results: \(path)")
    return session.failures.isEmpty && isCompared ? 0 : 1
  }

  /// Shows the table for users, with notes for the reader and the options that show more.
  private static func show(_ session: Session) {
    let overview = Overview(session.results)
    printLine("ns per reaction, medians; fewer is better; *: something beside word is faster\n")
    printLine(overview.text + "\n")
    if let note = overview.note { printLine(note) }
    for reason in overview.reasons { printLine(reason) }
    printLine(noise(in: session))
    printLine("took \(session.seconds) s; more: --full, --explain, --case NAME, --help; Benchmarks/README.md")
  }

  private static func noise(in session: Session) -> String {
    let samples = session.results.filter { !$0.paces.isEmpty && $0.spread != nil }
    let count = samples.reduce(0) { $0 + $1.times.count }
    let slow = count - samples.reduce(0) { $0 + ($1.best?.samples ?? 0) }
    let verdict = session.failures.isEmpty ? "all results verified" : "\(session.failures.count) results are WRONG"
    let again = session.casesRepeated == 0 ? "" : "; cases measured twice: \(session.casesRepeated)"
    return "noise: the machine was slow beside \(slow) of \(count) samples\(again); \(verdict)"
  }

  /// Prints the winner of each region, by the program that `Benchmarks/run` names.
  private static func compare(_ results: String) -> Bool {
    guard let program = environment("BENCHMARKS_COMPARISON"), let text = output(of: [program, results]) else {
      printError("benchmark: the matchers cannot be compared: start this by Benchmarks/run")
      return false
    }
    printLine(text)
    return true
  }

  private static func list(_ options: Options) {
    let width = options.cases.map(\.name.count).max()! + 2
    for one in options.cases {
      let padding = String(repeating: " ", count: width - one.name.count)
      let baselines = Entrant.all.filter { $0.layer == nil && one.has($0) }.map(\.strategy.name)
      let compared = baselines.isEmpty ? "" : " (beside: \(baselines.joined(separator: ", ")))"
      print("\(one.name)\(padding)\(one.place.rawValue == "pool" ? "pool  " : "inline")  \(one.summary)\(compared)")
    }
  }
}
