import CCrucible

/// How a molecule behaves: whether injecting it waits, and how many of it there are.
public enum MoleculeKind: String, Sendable, Hashable, CustomStringConvertible {
  /// Injecting it returns at once: ``Injector``.
  case slow
  /// Calling it waits for a reply: ``FastInjector``.
  case fast
  /// There is exactly one, which nobody injects: ``Soup/State``.
  case state
  /// It is injected once, and stays: ``Soup/Fact``.
  case fact

  /// Whether a firing leaves it there, or brings it back.
  var stays: Bool { self == .state || self == .fact }

  init(_ core: crucible_kind) {
    switch core {
    case CRUCIBLE_FAST: self = .fast
    case CRUCIBLE_STATE: self = .state
    case CRUCIBLE_FACT: self = .fact
    default: self = .slow
    }
  }

  public var description: String { rawValue }
}
