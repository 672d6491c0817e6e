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
    exit(run(options))
  }

  /// The code that the process ends with.
  private static func run(_ options: Options) -> Int32 {
    let home = environment("BENCHMARKS_HOME") ?? "."
    let machine = Machine()
    print(machine.description + "\n")

    let input = options.input ?? home + "/.."
    var session = Session(options, counter: AtomicCounter(program: environment("BENCHMARKS_COUNTING"), input: input))
    session.run(input: input)
    print(Table(session.results).text + "\n\n" + Table.legend)

    let path = options.json ?? home + "/results/latest.json"
    guard writeText(report(machine, session.results).text, to: path) else {
      printError("benchmark: \(path): \(String(cString: strerror(errno)))")
      return 1
    }
    printError("written to \(path)")
    let unshown = session.results.filter { $0.failure?.hasPrefix("no overlap") ?? false }.count
    if unshown > 0 { printError("\(unshown) rows have no figure, because their threads did not overlap") }
    for failure in session.failures { printError("FAILED: \(failure)") }
    return session.failures.isEmpty ? 0 : 1
  }

  private static func list(_ options: Options) {
    let width = Case.all.map(\.name.count).max()! + 2
    for one in options.cases {
      let padding = String(repeating: " ", count: width - one.name.count)
      let entrants = Entrant.all.filter(one.has).map(\.strategy.rawValue)
      let baselines = entrants.filter { $0 != "word" && $0 != "locked" }
      let compared = baselines.isEmpty ? "" : " (beside: \(baselines.joined(separator: ", ")))"
      print("\(one.name)\(padding)\(one.place.rawValue == "pool" ? "pool  " : "inline")  \(one.summary)\(compared)")
    }
  }
}
