import Crucible

/// The error of a wait of a ``Probe`` that was not over in time.
///
/// ```swift
/// do { try await probe.untilQuiet(within: .milliseconds(10)) } catch let failure as ProbeFailure {
///   print(failure)        // with the contents of the soup
/// }
/// ```
public struct ProbeFailure: Error, CustomStringConvertible {
  /// The place in the test, the event that did not come, the time of the wait, and the soup's state at the end.
  public let description: String

  init(_ what: String, _ limit: Duration, _ source: Soup.Source, _ control: Soup.Control) {
    description = "\(source): not within \(limit): \(what)\n\(control)\n\(control.explain())"
  }
}

extension Soup.Source {
  /// Makes the place of a wait in a test.
  init(_ file: StaticString, _ line: UInt) { self.init(file: "\(file)", line: Int(line)) }
}
