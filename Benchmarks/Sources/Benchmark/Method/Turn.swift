import CHarness

/// An entrant that takes turns with the others of its case, and the row of its samples.
struct Turn {
  var row: Row
  let contender: Contender
  /// The number of rounds in a sample.
  var rounds = 1
  /// The number of samples that were discarded because the threads did not overlap.
  var repeats = 0
  /// The ns of all its samples so far, including those that do not count.
  private(set) var spent: Double = 0
  /// The minimum of the ns per reaction in the samples with the most rounds. Shorter samples may end before threads
  /// meet.
  private(set) var least: Double?
  private var mostRounds = 0
  /// ns per molecule to fill and to drain a backlog, sample by sample.
  private(set) var fill: [Double] = []
  private(set) var drain: [Double] = []
  private var backlog = 0
  /// The names of filling and draining.
  private let phases: (fill: String, drain: String)

  init(row: Row, contender: Contender, phases: (String, String)) {
    self.phases = phases
    self.row = row
    self.contender = contender
  }

  mutating func note(_ sample: harness_sample, rounds: Int, took: Double) {
    spent += took
    if rounds < mostRounds { return }
    let each = Double(sample.nanoseconds) / Double(sample.reactions)
    least = rounds > mostRounds ? each : min(least ?? each, each)
    mostRounds = rounds
  }

  mutating func keep(_ sample: harness_sample) {
    row.times.append(Double(sample.nanoseconds) / Double(sample.reactions))
    row.busy.append(sample.busy)
    row.reactions = Int(sample.reactions)
    row.threadsSeen = max(row.threadsSeen, Int(sample.threads))
    row.overlap = min(row.overlap ?? 1, sample.overlap)
    if sample.bytes_of > 0 { row.heap.append(Double(sample.bytes) / Double(sample.bytes_of)) }
    guard sample.backlog >= 1000 else { return }  // fewer take less time than the clock can measure
    backlog = Int(sample.backlog)
    fill.append(Double(sample.fill_nanoseconds) / Double(sample.backlog))
    drain.append(Double(sample.drain_nanoseconds) / Double(sample.backlog))
  }

  /// Separate rows for filling and draining the backlog, by one thread.
  fileprivate var filling: Row? { phase(phases.fill, fill) }
  fileprivate var draining: Row? { phase(phases.drain, drain) }

  private func phase(_ name: String, _ times: [Double]) -> Row? {
    guard row.threads == 1, row.failure == nil, !times.isEmpty else { return nil }
    var phase = Row(name: "\(row.name)-\(name)", entrant: row.entrant, place: row.place, threads: 1)
    phase.times = times
    phase.point = row.point.map { $0.of(series: "\($0.series), \(name)") }
    phase.reactions = backlog
    phase.threadsSeen = 1
    phase.overlap = 1
    return phase
  }
}

extension [Turn] {
  /// The rows of a group of entrants, with the ratios among them.
  var rows: [Row] {
    map(\.row).compared
      + compactMap(\.filling).compared
      + compactMap(\.draining).compared
  }
}

extension [Row] {
  /// The rows with their ratios, turn by turn, to `locked` of the same layer (for baselines: layer `swift`) and to the
  /// fastest baseline.
  fileprivate var compared: [Row] {
    let baseline = filter { $0.entrant.layer == nil && $0.spread != nil }
      .min { $0.spread!.median < $1.spread!.median }
    return map { row in
      var row = row
      row.timesLocked = speedup(
        of: row,
        over: first { $0.entrant.layer == (row.entrant.layer ?? .swift) && $0.entrant.strategy == .locked })
      if row.entrant.layer == nil { return row }
      row.baseline = baseline?.entrant.strategy
      row.timesBaseline = speedup(of: row, over: baseline)
      return row
    }
  }

  private func speedup(of row: Row, over reference: Row?) -> Double? {
    guard let reference, row.failure == nil, reference.failure == nil else { return nil }
    return medianSpeedup(of: row.times, over: reference.times)
  }
}
