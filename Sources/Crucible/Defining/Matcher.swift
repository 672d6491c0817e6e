import CCrucible

extension Soup {
  /// How a soup decides which reaction fires. All matchers promise the same; they differ in speed and in progress.
  ///
  /// ```swift
  /// let a = Soup.define("log", with: .init(matcher: .locked)) { soup in … }
  /// ```
  public enum Matcher: Sendable, Hashable {
    /// ``word`` for every component that fits, ``locked`` for the others. ``Soup/Control/description`` says which.
    case automatic
    /// Lock-free: the waiting molecules of a component (names connected by sharing reactions) are counted in one 64-bit word,
    /// and one compare-and-swap selects a reaction. A thread that is stopped anywhere delays no reaction of others. Blocks
    /// only to allocate: when a backlog outgrows its memory, and once per soup for each eight threads after the first eight of the
    /// process. At most 31 names in a component, fewer if patterns repeat names.
    case word
    /// One mutex per component: the straightforward reference, which serves any component.
    case locked

    var core: crucible_matcher {
      switch self {
      case .automatic: CRUCIBLE_AUTOMATIC
      case .word: CRUCIBLE_WORD
      case .locked: CRUCIBLE_LOCKED
      }
    }

    init(_ core: crucible_matcher) {
      switch core {
      case CRUCIBLE_WORD: self = .word
      case CRUCIBLE_LOCKED: self = .locked
      default: self = .automatic
      }
    }
  }
}
