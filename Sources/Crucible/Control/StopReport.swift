/// The result of a stop.
public struct StopReport: Sendable, Hashable, CustomStringConvertible {
  /// The number of molecules that this stop has dropped, calls included, and of values that states and molecules held.
  ///
  /// If the soup is quiet, the number is final: each accepted molecule was consumed, or one report counts it.
  public let dropped: Int
  /// The timers that the stop has ended, by name. Their values were destroyed.
  public let timers: [Soup.Snapshot.Timers]
  /// Whether everything had ended within the limit.
  public let isQuiet: Bool
  /// The reactions whose bodies still ran if not, as far as the library can see them.
  public let running: [Soup.Snapshot.Running]

  public var description: String {
    let end = isQuiet ? "quiet" : "not quiet, still running: \(running.map(\.description).joined(separator: ", "))"
    return "\(dropped) dropped, " + (timers.isEmpty ? "" : Soup.Snapshot.Timers.ended(timers) + ", ") + end
  }
}
