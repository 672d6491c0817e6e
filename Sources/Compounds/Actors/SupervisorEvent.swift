extension Supervisor {
  /// An event in the life of an agent or a pool of a ``Supervisor``.
  ///
  /// ```swift
  /// let services = Supervisor("services") { event in
  ///   if case .stopped(let id) = event { log.error("\(id) crashes too often, and is stopped") }
  /// }
  /// ```
  public enum Event: Sendable, CustomStringConvertible {
    /// The agent or the pool of this id has crashed by this error.
    case crashed(String, any Error)
    /// The agent or the pool of this id has been stopped, because it has crashed too often, or is supervised no more.
    case stopped(String)

    public var description: String {
      switch self {
      case .crashed(let id, let error): "'\(id)' has crashed: \(error)"
      case .stopped(let id): "'\(id)' has been stopped."
      }
    }
  }
}
