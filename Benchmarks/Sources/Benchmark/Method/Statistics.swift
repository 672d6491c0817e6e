/// Least, middle and greatest of some figures.
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

/// How long single injections took, in ns: at most this for a half, for 99 of 100, for 999 of 1000.
struct Latency {
  let p50: UInt64
  let p99: UInt64
  let p999: UInt64

  init?(_ values: [UInt64]) {
    guard values.count >= 1000 else { return nil }
    let sorted = values.sorted()
    p50 = sorted[sorted.count / 2]
    p99 = sorted[sorted.count * 99 / 100]
    p999 = sorted[sorted.count * 999 / 1000]
  }
}

/// How many times as fast `subject` is as `reference`, turn by turn: the median of the ratios of neighbouring samples.
func medianSpeedup(of subject: [Double], over reference: [Double]) -> Double? {
  Spread(zip(subject, reference).map { $1 / $0 })?.median
}
