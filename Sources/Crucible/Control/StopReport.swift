/// How a soup was stopped.
public struct StopReport: Sendable, Hashable, CustomStringConvertible {
  /// Molecules that this stop has dropped, callers among them.
  public let dropped: Int
  /// Whether everything had ended within the limit.
  public let isQuiet: Bool
  /// If not: the reactions whose bodies still ran, as far as that can be seen.
  public let running: [Soup.Snapshot.Running]

  public var description: String {
    let end = isQuiet ? "quiet" : "not quiet, still running: \(running.map(\.description).joined(separator: ", "))"
    return "\(dropped) dropped, \(end)"
  }
}
