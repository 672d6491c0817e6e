import CCrucible

/// The behaviour of a molecule: whether injecting it waits, and how many copies exist.
public enum MoleculeKind: String, Sendable, Hashable, CustomStringConvertible {
  /// Injecting the molecule returns at once: ``Injector``.
  case slow
  /// Calling the molecule waits for a reply: ``FastInjector``.
  case fast
  /// Exactly one copy exists, and no program injects it: ``Soup/State``.
  case state
  /// A program injects the molecule once, and it stays: ``Soup/Fact``.
  case fact

  /// Whether a firing leaves the molecule in the soup, or restores it.
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

/// Whether reactions consume molecules of the name. Requires: it is neither a state nor a fact.
func isConsumed(_ name: OpaquePointer) -> Bool {
  let kind = crucible_name_kind(name)
  return kind == CRUCIBLE_SLOW || kind == CRUCIBLE_FAST
}
