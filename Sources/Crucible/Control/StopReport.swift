/// The result of a stop.
public struct StopReport: Sendable, Hashable, CustomStringConvertible {
  /// The number of molecules that this stop has dropped, calls included.
  public let dropped: Int
  /// Whether everything had ended within the limit.
  public let isQuiet: Bool
  /// The reactions whose bodies still ran if not, as far as the library can see them.
  public let running: [Soup.Snapshot.Running]

  public var description: String {
    let end = isQuiet ? "quiet" : "not quiet, still running: \(running.map(\.description).joined(separator: ", "))"
    return "\(dropped) dropped, \(end)"
  }
}
