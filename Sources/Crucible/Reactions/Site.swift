import CCrucible

extension Soup {
  /// A reaction, as messages, events and explanations name it.
  ///
  /// ```swift
  /// for running in control.snapshot().running { print(running.site) }
  /// // account & withdraw & permit (Bank/Bank.swift:14)
  /// ```
  public struct Site: Sendable, Hashable, CustomStringConvertible {
    /// The number of the reaction: ``Soup/Reaction/index``.
    public let index: Int
    /// The names of its pattern as the program writes it, joined by `&`.
    public let pattern: String
    /// The place of its declaration in the source.
    public let source: Source

    public var description: String { "\(pattern) (\(source))" }

    /// - Complexity: O(inputs).
    init(_ index: Int, in core: OpaquePointer) {
      self.index = index
      pattern = (0..<crucible_soup_reaction(core, index).input_count).map { input in
        String(cString: crucible_name_label(crucible_soup_reaction_input(core, index, input)))
      }.joined(separator: " & ")
      source = Source(ofReaction: index, in: core)
    }
  }
}
