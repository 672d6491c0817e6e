/// One row of the table: one entrant at one case and one number of threads.
struct Row {
  let name: String
  let entrant: Entrant
  let place: Case.Where
  let threads: Int
  var reactions = 0
  /// ns per reaction, sample by sample.
  var times: [Double] = []
  /// Threads that took part, and how far they overlapped: the least over all samples.
  var threadsSeen = 0
  var overlap: Double?
  /// Processor time over wall time, sample by sample.
  var busy: [Double] = []
  /// ns that a cache line took from one processor to another, beside each sample in which threads share lines.
  var transfers: [Double] = []
  /// ns that 100 simple instructions took beside each sample.
  var paces: [Double] = []
  /// The figures of the samples that were taken while the machine gave its best.
  var best: Best?
  var allocations: Double?
  /// Bytes of the heap for each thing that was counted, sample by sample.
  var heap: [Double] = []
  /// Where the row stands in a series.
  var point: SeriesPoint?
  var latency: Latency?
  /// How many times as fast as `locked` of the same layer, and as the fastest baseline, of either layer.
  var timesLocked: Double?
  var timesBaseline: Double?
  var baseline: Strategy?
  /// Why there is no figure.
  var failure: String?
  /// A figure that the true one exceeds, where the row's time was up before there were enough samples.
  var moreThan: Double?

  var title: String { "\(name), \(entrant.description), \(inWords(threads))" }
  /// Where bodies run; a baseline has no pool.
  var placement: String? { entrant.layer != nil || place == .inline ? place.rawValue : nil }
  var bytes: Double? { failure == nil ? Spread(heap)?.median : nil }
  var transfer: Spread? { Spread(transfers.filter { $0 > 0 }) }
  var pace: Spread? { Spread(paces) }
  var spread: Spread? { failure == nil ? Spread(times) : nil }
}

func inWords(_ threads: Int) -> String { threads == 1 ? "1 thread" : "\(threads) threads" }
