/// The reason why a soup could not be restarted.
public enum RestartError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The soup runs, another thread is restarting it, or it is gone.
  case notStopped
  /// Bodies of the stopped soup still run.
  case running([Soup.Snapshot.Running])
  /// The library cannot make the first value of this state again: it was declared by a value that is not plain.
  case noInitialValue(state: String, source: Soup.Source)
  /// The definition refuses restarts; see ``Soup/refuseRestarts()``.
  case refused

  public var description: String {
    switch self {
    case .notStopped: "Only a stopped soup can be restarted."
    case .running(let running):
      "Bodies of the stopped soup still run: \(running.map(\.description).joined(separator: ", "))."
    case .noInitialValue(let state, let source):
      "State '\(state)' (\(source)) was declared by a value that cannot be made again: declare it by a closure."
    case .refused: "The definition of the soup refuses restarts: make a new soup."
    }
  }
}
