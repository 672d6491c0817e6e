import Crucible

/// A wait of a ``Probe`` was not over in time.
///
/// ```swift
/// do { try await probe.untilQuiet(within: .milliseconds(10)) } catch let failure as ProbeFailure {
///   print(failure)        // with the contents of the soup
/// }
/// ```
public struct ProbeFailure: Error, CustomStringConvertible {
  /// Where in the test, what was waited for, how long, and the soup's state at the end.
  public let description: String

  init(_ what: String, _ limit: Duration, _ source: Soup.Source, _ control: Soup.Control) {
    description = "\(source): not within \(limit): \(what)\n\(control)\n\(control.explain())"
  }
}

extension Soup.Source {
  /// Where in a test a wait stands.
  init(_ file: StaticString, _ line: UInt) { self.init(file: "\(file)", line: Int(line)) }
}
