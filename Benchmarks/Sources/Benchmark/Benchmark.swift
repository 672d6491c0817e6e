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

  /// The code that the process ends with.
  private static func run(_ options: Options) -> Int32 {
    let home = environment("BENCHMARKS_HOME") ?? "."
    let machine = Machine()
    print(machine.description + "\n")

    let input = options.input ?? home + "/.."
    let peers: Peers?
    do {
      peers = options.hasPeers ? try Peers(program: environment("BENCHMARKS_ONETBB")) : nil
    } catch {
      printError("benchmark: \(error.message)")
      return 1
    }
    let counter = AtomicCounter(program: environment("BENCHMARKS_COUNTING"), input: input)
    var session = Session(options, counter: counter, peers: peers)
    let path = options.json ?? home + "/results/latest.json"
    // Where one of these fails, so will the last one, which says so.
    session.run(input: input) { _ = writeText(report(machine, $0, []).text, to: path) }
    print(Table(session.results).text + "\n\n" + Table.legend)
    let slopes = session.slopes
    if !slopes.isEmpty { print("\n" + text(of: slopes)) }

    guard writeText(report(machine, session.results, slopes).text, to: path) else {
      printError("benchmark: \(path): \(String(cString: strerror(errno)))")
      return 1
    }
    printError("written to \(path)")
    let isDrawn = !options.isReport || draw(path, to: options.report ?? home + "/results/report.html")
    let unshown = session.results.filter { $0.failure?.hasPrefix("no overlap") ?? false }.count
    if unshown > 0 { printError("\(unshown) rows have no figure, because their threads did not overlap") }
    for failure in session.failures { printError("FAILED: \(failure)") }
    return session.failures.isEmpty && isDrawn ? 0 : 1
  }

  /// Has the program that `Benchmarks/run` names make a page of the results.
  private static func draw(_ results: String, to page: String) -> Bool {
    guard let program = environment("BENCHMARKS_REPORT") else {
      printError("benchmark: no program to draw a report with: start this by Benchmarks/run")
      return false
    }
    let isDrawn = execute([program, results, page])
    printError(isDrawn ? "drawn to \(page)" : "benchmark: the report could not be drawn")
    return isDrawn
  }

  private static func list(_ options: Options) {
    let width = options.cases.map(\.name.count).max()! + 2
    for one in options.cases {
      let padding = String(repeating: " ", count: width - one.name.count)
      let entrants = Entrant.all.filter(one.has).map(\.strategy.rawValue)
      let baselines = entrants.filter { $0 != "word" && $0 != "locked" }
      let compared = baselines.isEmpty ? "" : " (beside: \(baselines.joined(separator: ", ")))"
      print("\(one.name)\(padding)\(one.place.rawValue == "pool" ? "pool  " : "inline")  \(one.summary)\(compared)")
    }
  }
}
