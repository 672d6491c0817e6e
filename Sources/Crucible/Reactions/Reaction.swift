extension Soup {
  /// A reaction that has been declared: by it the reaction is known in ``Soup/Event``s, and its ``Soup/Warning``s can
  /// be turned off.
  public struct Reaction: Sendable, Hashable, Leaving {
    /// Its number among the reactions of its soup, in the order of declaration.
    public let index: Int

    public func owning() -> Reaction { self }
  }
}
