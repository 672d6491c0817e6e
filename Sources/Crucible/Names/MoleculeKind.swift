import CCrucible

/// How a molecule behaves: whether injecting it waits, and how many of it there are.
public enum MoleculeKind: String, Sendable, Hashable, CustomStringConvertible {
  /// Injecting it returns at once: ``Injector``.
  case slow
  /// Calling it waits for a reply: ``FastInjector``.
  case fast
  /// There is exactly one, which nobody injects: ``Soup/State``.
  case state

  init(_ core: crucible_kind) {
    switch core {
    case CRUCIBLE_FAST: self = .fast
    case CRUCIBLE_STATE: self = .state
    default: self = .slow
    }
  }

  public var description: String { rawValue }
}
