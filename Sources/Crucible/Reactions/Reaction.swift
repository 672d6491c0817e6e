extension Soup {
  /// A declared reaction. It identifies the reaction in ``Soup/Event``s, and serves to turn off its ``Soup/Warning``s.
  public struct Reaction: Sendable, Hashable, Leaving {
    /// Its number among the reactions of its soup, in the order of declaration.
    public let index: Int

    public func owning() -> Reaction { self }
    public var weak: Reaction { self }
  }
}
