import CCrucible

extension Soup {
  /// Decides which reaction of a soup fires. All matchers keep the same promises. <doc:Choosing> compares them.
  ///
  /// ```swift
  /// let a = Soup.define("log", with: .init(matcher: .locked)) { soup in … }
  /// ```
  public struct Matcher: Sendable, Hashable, LosslessStringConvertible {
    let core: crucible_matcher

    init(_ core: crucible_matcher) { self.core = core }

    /// The matcher with this name, one of ``all`` or "automatic". Nil if there is none.
    ///
    /// - Complexity: O(matchers).
    public init?(_ description: String) {
      var found = CRUCIBLE_AUTOMATIC
      guard crucible_matcher_find(description, &found) else { return nil }
      core = found
    }

    /// All matchers, without ``automatic``.
    ///
    /// ```swift
    /// for matcher in Soup.Matcher.all { measure(matcher) }
    /// ```
    ///
    /// - Complexity: O(matchers).
    public static let all = (1...UInt32(crucible_matcher_count())).map { Matcher(crucible_matcher(rawValue: $0)) }

    /// The default: ``word`` for every component. ``Soup/Control/matchers`` has the matchers that serve a soup.
    public static let automatic = Matcher(CRUCIBLE_AUTOMATIC)
    /// Lock-free: one 64-bit word counts the waiting molecules of a component, and one compare-and-swap selects a
    /// reaction (<doc:Inside>). Blocks only to allocate: <doc:Guarantees> says where.
    public static let word = Matcher(CRUCIBLE_WORD)
    /// One mutex per component: the straightforward reference, which serves any component.
    public static let locked = Matcher(CRUCIBLE_LOCKED)
    /// Matches in the order of arrival, without random choice (<doc:Order>). One mutex per component, as ``locked``.
    public static let arrival = Matcher(CRUCIBLE_ARRIVAL)
    /// Decentralised: ``word`` with a word of its own for each name (<doc:Inside>). Serves components of at most 64
    /// names. Its progress is that of ``word``.
    public static let claim = Matcher(CRUCIBLE_CLAIM)

    /// The name of the matcher.
    public var description: String { String(cString: crucible_matcher_name(core)!) }
  }
}
