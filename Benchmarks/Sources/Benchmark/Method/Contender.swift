import CHarness

/// One strategy at one case, set up once and measured many times.
protocol Contender: AnyObject {
  /// Runs about `rounds` reactions on the threads it was made for, verifies the result, and returns the time that it
  /// took.
  ///
  /// With `recorders`, one for each thread, it times every single injection, if the case times injections.
  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample
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
}

extension harness_sample {
  /// The mistake in the result, or nil.
  var failureText: String? {
    withUnsafePointer(to: self) { sample in
      harness_sample_failed(sample) ? String(cString: harness_sample_failure(sample)) : nil
    }
  }
}
