extension SharedSnapshot {
  /// Returns the numbers of shared soups as OpenMetrics text, which Prometheus reads.
  ///
  /// ```swift
  /// let text = SharedSnapshot.openMetrics([try await shop.control.snapshot()])
  /// ```
  ///
  /// A server answers with it and the content type of `Soup.Metrics.contentType`, under another path than that of
  /// `Soup.metrics()`. All processes of a soup see the same numbers, so one of them is enough.
  ///
  /// - Complexity: O(names + reactions). Does not block.
  public static func openMetrics(_ soups: [SharedSnapshot]) -> String {
    var text = ""
    typealias Sample = (labels: [(String, String)], value: Int)
    func add(_ name: String, _ help: String, _ samples: (SharedSnapshot) -> [Sample]) {
      let isCounter = name.hasSuffix("_total")
      let family = "crucible_shared_" + (isCounter ? String(name.dropLast("_total".count)) : name)
      text += "# TYPE \(family) \(isCounter ? "counter" : "gauge")\n# HELP \(family) \(help)\n"
      for soup in soups {
        for sample in samples(soup) {
          let labels = ([("soup", soup.soup)] + sample.labels).map { "\($0)=\"\(escaped($1))\"" }
          text += "crucible_shared_\(name){\(labels.joined(separator: ","))} \(sample.value)\n"
        }
      }
    }
    add("molecules_waiting", "Molecules that wait.") { $0.counts.map { ([("name", $0.label)], $0.molecules) } }
    add("firings_running", "Firings that workers have.") { $0.reactions.map { ([("reaction", $0.label)], $0.running) } }
    add("firings_waiting", "Firings that are to run again.") {
      $0.reactions.map { ([("reaction", $0.label)], $0.waiting) }
    }
    add("offers", "Workers that offer a reaction.") { $0.reactions.map { ([("reaction", $0.label)], $0.workers) } }
    add("workers", "Workers of all processes.") { [([], $0.workers)] }
    add("molecules_delayed", "Molecules that are due later.") { [([], $0.delayed)] }
    add("dead_letters", "Firings that are not repeated any more.") { [([], $0.deadLetters)] }
    add("calls", "Calls without an outcome.") { [([], $0.calls)] }
    add("molecules_consumed_total", "Molecules that firings have consumed.") { [([], $0.consumed)] }
    return text + "# EOF\n"
  }
}

private func escaped(_ text: String) -> String {
  text.unicodeScalars.reduce(into: "") { result, scalar in
    switch scalar {
    case "\\", "\"": result += "\\\(scalar)"
    case "\n": result += "\\n"
    default: result.unicodeScalars.append(scalar)
    }
  }
}
