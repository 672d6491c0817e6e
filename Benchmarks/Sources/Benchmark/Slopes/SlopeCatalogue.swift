/// The cases that only --slopes runs: the cost of a reaction while another quantity grows. They have one thread, unless
/// the number of threads grows.
extension Case {
  static let slopes: [Case] =
    names + reactions + inputs + payloadSizes + soups + timers + threads(for: "counter-state") + threads(for: "join2")
    + threads("timers", timersOfThreads)

  /// Whether its series, and not the command line, decides how many threads it has.
  var isSlope: Bool { name.hasPrefix("slope-") }

  private static let names = [1, 2, 4, 8, 16, 31, 64].map { count in
    point("names", of: "names", at: count, "join1 in a soup of \(count) names", namesSlope(count))
  }

  private static let reactions = [1, 4, 16, 64, 256].map { count in
    point("reactions", of: "reactions", at: count, "join1 in a soup of \(count) reactions", reactionsSlope(count))
  }

  private static let inputs = (1...8).map { count in
    point("inputs", of: "inputs", at: count, "a reaction over an array of \(count) names", inputsSlope(count))
  }

  private static let payloadSizes = [0, 8, 64, 256, 1024, 4096].map { bytes in
    point("payload", of: "bytes", at: bytes, "join2 with values of \(bytes) bytes", payloadSlope(bytes))
  }

  private static let soups = [1, 10, 100, 1000, 10_000, 100_000, 1_000_000].map { count in
    var one = point(
      "soups", of: "soups", isLogarithmic: true, at: count, "the counter's soup, \(count) of them alive",
      soupsAlive(count))
    one.phases = ("define", "release")
    one.leastMemory = count * 16 << 10
    one.onlySamples = count >= 1_000_000 ? 1 : count >= 100_000 ? 3 : nil
    return one
  }

  private static let timers = [1000, 1_000_000].map { count in
    var one = point(
      "timers", of: "timers", isLogarithmic: true, at: count, "a timer, \(count) of them armed", timersAlive(count))
    one.phases = ("arm", "cancel")
    one.leastMemory = count << 10
    one.onlySamples = count >= 1_000_000 ? 3 : nil
    return one
  }

  /// Returns an existing case at up to 64 threads.
  private static func threads(for name: String) -> [Case] { threads(name, all.first { $0.name == name }!.openSwift) }

  private static func threads(_ name: String, _ open: @escaping Opening) -> [Case] {
    [1, 2, 4, 8, 16, 32, 64].map { count in
      Case(
        "slope-threads-\(name)-\(count)", "\(name) with \(count) threads", .inline, threads: [count], timesCalls: true,
        point: SeriesPoint("threads, \(name)", of: "threads", isLogarithmic: false, at: count), open)
    }
  }

  private static func point(
    _ series: String, of: String, isLogarithmic: Bool = false, at: Int, _ summary: String,
    _ open: @escaping Opening
  ) -> Case {
    Case(
      "slope-\(series)-\(at)", summary, .inline, threads: [1],
      point: SeriesPoint(series, of: of, isLogarithmic: isLogarithmic, at: at), open)
  }
}
