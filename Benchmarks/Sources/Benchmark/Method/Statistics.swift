/// The minimum, median and maximum of some figures.
struct Spread {
  let min: Double
  let median: Double
  let max: Double

  init?(_ values: [Double]) {
    let sorted = values.sorted()
    guard let first = sorted.first, let last = sorted.last else { return nil }
    min = first
    max = last
    let middle = sorted.count / 2
    median = sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}

/// The times of single injections, in ns.
struct Latency {
  private let sorted: [UInt64]

  /// Makes the figures. Returns nil if there are too few values for a statement about one in a hundred.
  init?(_ values: [UInt64]) {
    guard values.count >= 1000 else { return nil }
    sorted = values.sorted()
  }

  /// Returns the time that this share of the injections did not exceed, or nil if fewer than five of them exceed it.
  func quantile(_ share: Double) -> UInt64? {
    let beyond = Int((Double(sorted.count) * (1 - share)).rounded())
    return beyond >= 5 || share < 0.9 ? sorted[max(0, sorted.count - 1 - beyond)] : nil
  }
}

/// Returns the speed of `subject` relative to `reference`, turn by turn: the median of the ratios of neighbouring
/// samples. If one of them lacks samples, it is the ratio of their medians.
func medianSpeedup(of subject: [Double], over reference: [Double]) -> Double? {
  if subject.count == reference.count { return Spread(zip(subject, reference).map { $1 / $0 })?.median }
  guard let own = Spread(subject), let other = Spread(reference) else { return nil }
  return other.median / own.median
}
