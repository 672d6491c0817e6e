/// A mistake in the use of a ``Supervisor``.
///
/// ```swift
/// do { try services.link("cache", to: "store") } catch SupervisionError.circular(let parent, let child) {
///   log.error("\(parent) and \(child) would renew each other for ever")
/// }
/// ```
public enum SupervisionError: Error, Hashable, CustomStringConvertible {
  /// The supervisor has an agent with this id already.
  case duplicate(String)
  /// The supervisor has no agent with this id.
  case unknown(String)
  /// The second agent cannot be linked to the first, which is linked to the second, directly or not.
  case circular(String, String)

  public var description: String {
    switch self {
    case .duplicate(let id): "An agent is supervised as '\(id)' already."
    case .unknown(let id): "No agent is supervised as '\(id)'."
    case .circular(let parent, let child): "'\(child)' cannot be linked to '\(parent)', which is linked to it."
    }
  }
}
