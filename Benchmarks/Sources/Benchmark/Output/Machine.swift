import CHarness
import Glibc

/// The origin of the figures. `Benchmarks/run` passes the facts that the process cannot find itself.
struct Machine {
  let cpu = String(cString: harness_cpu_model())
  let cores = harness_cores()
  let kernel = String(cString: harness_kernel())
  let swift = environment("BENCHMARKS_SWIFT_VERSION")
  let liburcu = environment("BENCHMARKS_LIBURCU_VERSION")
  let oneTBB = environment("BENCHMARKS_ONETBB_VERSION")
  /// The command of the run, without the place of the results.
  let command = Self.command(CommandLine.arguments.dropFirst())
  let date = String(cString: harness_date())
  /// The number of threads that wanted a processor in the minute before the run.
  let load = Self.load()
  /// Measured now, without competing threads: one compare-and-swap, one mutex locked and unlocked, one reading of the
  /// clock.
  let casNs = harness_cas_ns()
  let mutexNs = harness_mutex_ns()
  let clockNs = harness_clock_ns()

  var json: JSON {
    .object([
      ("command", .string(command)), ("cpu", .string(cpu)), ("cores", .int(cores)), ("kernel", .string(kernel)),
      ("swift", .optional(swift)),
      ("liburcu", .optional(liburcu)), ("oneTBB", .optional(oneTBB)),
      ("casNs", .number(casNs)), ("mutexNs", .number(mutexNs)),
      ("clockNs", .number(clockNs)), ("date", .string(date)), ("loadBefore", .optional(load)),
    ])
  }

  private static func load() -> Double? {
    var averages = 0.0
    return getloadavg(&averages, 1) == 1 ? averages : nil
  }

  private static func command(_ arguments: ArraySlice<String>) -> String {
    var words = ["Benchmarks/run"]
    var rest = arguments
    while let word = rest.popFirst() {
      if word == "--json" { rest = rest.dropFirst() } else { words.append(word) }
    }
    return words.joined(separator: " ")
  }

  var description: String {
    "\(cpu), \(cores) cores, \(swift ?? "Swift of unknown version")\n"
      + "\(kernel), liburcu \(liburcu ?? "unknown")\n"
      + "uncontended: compare-and-swap \(fixed(casNs, 1)) ns, mutex \(fixed(mutexNs, 1)) ns, "
      + "clock \(fixed(clockNs, 1)) ns"
  }
}
