import CHarness

/// One row of the table: one entrant at one case and one number of threads.
struct Row {
  let name: String
  let entrant: Entrant
  let place: Case.Where
  let threads: Int
  var reactions = 0
  /// ns per reaction, sample by sample.
  var times: [Double] = []
  /// The number of threads that took part, and how far they overlapped: the minimum over all samples.
  var threadsSeen = 0
  var overlap: Double?
  /// Processor time over wall time, sample by sample.
  var busy: [Double] = []
  /// The ns of the transfer of a cache line between processors, for each sample in which threads share lines.
  var transfers: [Double] = []
  /// The ns of 100 simple instructions, for each sample.
  var paces: [Double] = []
  /// The figures of the samples that were taken while the machine was at its best.
  var best: Best?
  var allocations: Double?
  /// Bytes of the heap for each counted object, sample by sample.
  var heap: [Double] = []
  /// The place of the row in a series.
  var point: SeriesPoint?
  var latency: Latency?
  /// The speed relative to `locked` of the same layer, and to the fastest baseline, of either layer.
  var timesLocked: Double?
  var timesBaseline: Double?
  var baseline: Strategy?
  /// The reason for which there is no figure.
  var failure: String?
  /// A lower bound of the figure, if the row's time was over before there were enough samples.
  var moreThan: Double?

  var title: String { "\(name), \(entrant.description), \(inWords(threads))" }
  /// The placement of bodies; a baseline has no pool.
  var placement: String? { entrant.layer != nil || place == .inline ? place.rawValue : nil }
  var bytes: Double? { failure == nil ? Spread(heap)?.median : nil }
  var transfer: Spread? { Spread(transfers.filter { $0 > 0 }) }
  var pace: Spread? { Spread(paces) }
  /// Whether one processor did nearly all the work of threads or tasks that could use more.
  var isOnOneProcessor: Bool {
    threads > 1 && harness_cores() > 1 && place == .inline && Spread(busy).map { !Self.isBusy($0.median) } ?? false
  }
  /// Drops the samples in which one processor did nearly all the work, if enough others remain.
  mutating func dropSamplesOnOneProcessor(unlessFewerThan least: Int) {
    let kept = busy.indices.filter { Self.isBusy(busy[$0]) }
    guard threads > 1, kept.count >= least, kept.count < busy.count else { return }
    (times, paces, transfers) = (kept.map { times[$0] }, kept.map { paces[$0] }, kept.map { transfers[$0] })
    busy = kept.map { busy[$0] }
  }

  var spread: Spread? { failure == nil ? Spread(times) : nil }

  /// Whether that much processor time in a unit of wall time shows that more than one processor took part.
  static func isBusy(_ processors: Double) -> Bool { processors >= 1.25 }
}

func inWords(_ threads: Int) -> String { threads == 1 ? "1 thread" : "\(threads) threads" }
