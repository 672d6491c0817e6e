import CHarness

/// One strategy at one case, set up once and measured many times.
struct Contender {
  typealias Recorders = UnsafeMutablePointer<harness_recorder>?

  /// Runs about so many rounds on the threads it was made for, verifies the result, and returns the time that it took.
  ///
  /// With recorders, one for each thread, it times every single injection, if the case times injections.
  let measure: (_ rounds: Int, _ recorders: Recorders) throws(Wrong) -> harness_sample

  init(_ measure: @escaping (_ rounds: Int, _ recorders: Recorders) throws(Wrong) -> harness_sample) {
    self.measure = measure
  }
}

/// A result that contradicts the chemistry, which fails the whole run. Or a chemistry that the matcher does not serve,
/// which leaves the row without a figure.
struct Wrong: Error {
  let message: String
  let isNotServed: Bool

  init(_ message: String, isNotServed: Bool = false) {
    self.message = message
    self.isNotServed = isNotServed
  }

  /// Throws unless the two are equal.
  static func unlessEqual<T: Equatable>(_ what: String, expected: T, found: T) throws(Wrong) {
    if expected != found { throw Wrong("\(what): expected \(expected), found \(found)") }
  }

  /// Throws unless so many reactions were tallied, with values of this sum.
  static func unlessTallied(_ reactions: Int, sum: UInt64) throws(Wrong) {
    let total = harness_tally_total()
    try unlessEqual("reactions", expected: UInt64(reactions), found: total.count)
    try unlessEqual("sum of the values", expected: sum, found: total.sum)
  }
}

extension harness_sample {
  /// Returns the sample of a body that this thread runs. Its time is that to fill and to drain, if the body notes them.
  static func onThisThread(
    rounds: Int, _ body: (inout harness_sample) throws(Wrong) -> Void
  ) throws(Wrong) -> harness_sample {
    let (allocations, cpu) = (harness_allocations(), harness_process_cpu())
    var sample = harness_sample()
    sample.threads = 1
    sample.overlap = 1
    sample.rounds = UInt64(rounds)
    sample.began = harness_now()
    try body(&sample)
    let time = max(1, harness_now() - sample.began)
    let phases = sample.fill_nanoseconds + sample.drain_nanoseconds
    sample.nanoseconds = phases > 0 ? phases : time
    sample.busy = Double(harness_process_cpu() - cpu) / Double(time)
    sample.allocations = harness_allocations() - allocations
    return sample
  }

  /// The mistake in the result, or nil.
  var failureText: String? {
    withUnsafePointer(to: self) { sample in
      harness_sample_failed(sample) ? String(cString: harness_sample_failure(sample)) : nil
    }
  }
}

/// Runs the body, and returns the nanoseconds that it took.
func timed(_ body: () -> Void) -> UInt64 {
  let start = harness_now()
  body()
  return harness_now() - start
}
