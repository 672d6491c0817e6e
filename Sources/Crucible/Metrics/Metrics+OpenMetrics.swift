extension Soup.Metrics {
  /// The media type of ``openMetrics()``, for the header `Content-Type`.
  public static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

  /// Returns the numbers as OpenMetrics text, which Prometheus reads.
  ///
  /// ```swift
  /// print(Soup.metrics().openMetrics())
  /// ```
  ///
  /// <doc:Measuring> lists the names. The text has each name with `soup` and `name`, or with `soup` and `reaction`.
  ///
  /// - Complexity: O(names + reactions).
  public func openMetrics() -> String {
    var text = Exposition()
    text.add("soups", "gauge", "The soups of a label that live.", soups.map { ([("soup", $0.soup)], $0.living) })
    text.add(
      "firings_reserved", "gauge", "Firings that wait for a thread of the pool.",
      soups.map { ([("soup", $0.soup)], $0.reserved) })
    text.add(
      "soup_dropped_molecules", "gauge", "Molecules that the soups that live have dropped.",
      soups.map { ([("soup", $0.soup)], $0.dropped) })
    addNames(to: &text)
    addReactions(to: &text)
    addPool(to: &text)
    return text.text + "# EOF\n"
  }

  private func addNames(to text: inout Exposition) {
    func add(_ name: String, _ type: String, _ help: String, _ value: (NameNumbers) -> Int?) {
      text.add(
        name, type, help,
        names.compactMap { one in value(one).map { ([("soup", one.soup), ("name", one.label)], $0) } })
    }
    add("molecules_waiting", "gauge", "Molecules that wait.") { $0.waiting }
    add("calls_waiting", "gauge", "Callers that sleep until there is a reply.") { $0.kind == .fast ? $0.callers : nil }
    add("timers", "gauge", "Armed timers.") { $0.kind == .slow ? $0.timers : nil }
    text.addSeconds(
      "oldest_molecule", "gauge", "The time for which the oldest molecule has waited, where it is known.",
      names.compactMap { one in one.oldest.map { ([("soup", one.soup), ("name", one.label)], $0) } })
    add("molecules_injected", "counter", "Molecules that were injected, refused ones included.") { $0.counts?.injected }
    add("molecules_refused", "counter", "Molecules that were refused.") { $0.counts?.refused }
    add("molecules_consumed", "counter", "Molecules that reactions have consumed.") { $0.counts?.consumed }
    add("molecules_withdrawn", "counter", "Calls that were withdrawn.") { $0.counts?.withdrawn }
    add("molecules_expired", "counter", "Molecules that have expired.") { $0.counts?.expired }
    add("molecules_displaced", "counter", "Molecules that were dropped for lack of room.") { $0.counts?.displaced }
    text.add(
      "calls", "counter", "Calls that have ended, by their outcomes.",
      names.flatMap { one -> [(labels: [(String, String)], value: Int)] in
        guard one.kind == .fast, let counts = one.counts else { return [] }
        let outcomes = [
          ("replied", counts.replied), ("timed out", counts.timedOut), ("cancelled", counts.cancelled),
          ("failed", counts.failed),
        ]
        return outcomes.map { ([("soup", one.soup), ("name", one.label), ("outcome", $0.0)], $0.1) }
      })
  }

  private func addReactions(to text: inout Exposition) {
    func add(_ name: String, _ type: String, _ help: String, _ value: (ReactionNumbers) -> Int?) {
      text.add(
        name, type, help,
        reactions.compactMap { one in value(one).map { ([("soup", one.soup), ("reaction", one.pattern)], $0) } })
    }
    add("bodies_running", "gauge", "Bodies that run.") { $0.running }
    add("bodies_begun", "counter", "Bodies that have begun.") { $0.begun }
    add("bodies_threw", "counter", "Bodies that have ended by an error.") { $0.threw }
    text.addTimes(
      "body", "The time of bodies.",
      reactions.compactMap { one in one.times.map { ([("soup", one.soup), ("reaction", one.pattern)], $0) } })
  }

  private func addPool(to text: inout Exposition) {
    text.add("pool_threads", "gauge", "Threads of the pool.", [([], pool.threads)])
    text.add("pool_threads_blocked", "gauge", "Threads of the pool that block.", [([], pool.blocked)])
    text.add("pool_threads_idle", "gauge", "Threads of the pool that have nothing to do.", [([], pool.idle)])
    text.add("pool_workers", "gauge", "The number of threads that may run bodies at once.", [([], pool.workers)])
    text.add("pool_threads_limit", "gauge", "The most threads that the pool may have.", [([], pool.limit)])
    text.add("pool_queue", "gauge", "Firings in the queue of the pool.", [([], pool.queuedFirings)])
    text.add("pool_limit_reached", "counter", "How often the limit refused a thread.", [([], pool.limitReached)])
    text.add("pool_wake_ups", "counter", "How often an idle thread woke.", [([], pool.wakeUps)])
  }
}

/// The text of metrics, one family after the other: https://prometheus.io/docs/specs/om/open_metrics_spec/
private struct Exposition {
  typealias Labels = [(String, String)]

  private(set) var text = ""

  /// Adds a family, unless it has no samples.
  mutating func add(_ name: String, _ type: String, _ help: String, _ samples: [(labels: Labels, value: Int)]) {
    if samples.isEmpty { return }
    begin(name, type, help)
    for sample in samples { addSample(name + (type == "counter" ? "_total" : ""), sample.labels, "\(sample.value)") }
  }

  mutating func addSeconds(
    _ name: String, _ type: String, _ help: String, _ samples: [(labels: Labels, value: Duration)]
  ) {
    if samples.isEmpty { return }
    begin(name, type, help, unit: "seconds")
    for sample in samples { addSample("\(name)_seconds", sample.labels, seconds(sample.value)) }
  }

  mutating func addTimes(_ name: String, _ help: String, _ samples: [(labels: Labels, value: Soup.Metrics.Histogram)]) {
    if samples.isEmpty { return }
    begin(name, "histogram", help, unit: "seconds")
    for sample in samples {
      let bounds = Soup.Metrics.Histogram.bounds.map(seconds) + ["+Inf"]
      var count = 0
      for (bound, more) in zip(bounds, sample.value.counts) {
        count += more
        addSample("\(name)_seconds_bucket", sample.labels + [("le", bound)], "\(count)")
      }
      addSample("\(name)_seconds_count", sample.labels, "\(count)")
      addSample("\(name)_seconds_sum", sample.labels, seconds(sample.value.sum))
    }
  }

  private mutating func begin(_ name: String, _ type: String, _ help: String, unit: String? = nil) {
    let name = "crucible_\(name)" + (unit.map { "_\($0)" } ?? "")
    text += "# TYPE \(name) \(type)\n"
    if let unit { text += "# UNIT \(name) \(unit)\n" }
    text += "# HELP \(name) \(help)\n"
  }

  private mutating func addSample(_ name: String, _ labels: Labels, _ value: String) {
    let list = labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
    text += "crucible_\(name)" + (list.isEmpty ? "" : "{\(list)}") + " \(value)\n"
  }

  private func escaped(_ text: String) -> String {
    var result = ""
    for character in text.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }

  private func seconds(_ time: Duration) -> String { "\(time / .seconds(1))" }
}
