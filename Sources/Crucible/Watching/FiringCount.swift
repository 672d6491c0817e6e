import CCrucible

extension Soup {
  /// A count of the firings of a soup; see ``Soup/Control/countFirings()``.
  public final class FiringCount: Sendable {
    private let handle: SoupHandle
    private let first: [Int]
    private let counts: Bool

    fileprivate init(of core: OpaquePointer) {
      handle = SoupHandle(core, owns: false)
      first = Self.look(core)
      counts = crucible_soup_is_frozen(core) && Self.change(core, 1)
    }

    deinit { if counts { _ = Self.change(handle.core, -1) } }

    private static func change(_ core: OpaquePointer, _ more: Int) -> Bool {
      whileHeld(core) { SoupContext.of(core).count(more) } != nil
    }

    private static func look(_ core: OpaquePointer) -> [Int] {
      guard crucible_soup_is_frozen(core) else { return [] }
      return whileHeld(core) { ReactionBody.all(in: core).map(\.firings) } ?? []
    }

    /// The number of firings of each reaction since the count began, by declaration. Empty if the soup is gone.
    ///
    /// - Complexity: O(reactions).
    public var firings: [Int] { zip(Self.look(handle.core), first).map { $0 - $1 } }
  }
}

extension Soup.Control {
  /// Counts how often each reaction fires, from now on until nothing refers to the count.
  ///
  /// ```swift
  /// let count = control.countFirings()
  /// try await work()
  /// print(zip(control.graph.reactions.map(\.info), count.firings))
  /// ```
  ///
  /// A firing whose body begins while the count begins or ends may be missed. Counting costs one atomic addition.
  ///
  /// - Requires: the definition has ended. Before that, the count is empty.
  /// - Complexity: O(reactions).
  public func countFirings() -> Soup.FiringCount { Soup.FiringCount(of: core) }
}
