extension Soup {
  /// A reaction, as messages, events and explanations name it.
  ///
  /// ```swift
  /// for running in control.snapshot().running { print(running.reaction) }
  /// // account & withdraw & permit (Bank/Bank.swift:14)
  /// ```
  public struct ReactionInfo: Sendable, Hashable, CustomStringConvertible {
    /// The number of the reaction: ``Soup/Reaction/index``.
    public let index: Int
    /// The names of its pattern as the program writes it, joined by `&`.
    public let pattern: String
    /// The place of its declaration in the source.
    public let source: Source

    public var description: String { "\(pattern) (\(source))" }

    init(_ index: Int, in core: OpaquePointer) {
      self.index = index
      pattern = inputsOfReaction(index, in: core).map(labelOfName).joined(separator: " & ")
      source = Source(ofReaction: index, in: core)
    }
  }
}
