extension Soup {
  /// A soup as messages, events and warnings name it: its label, and its place in the source.
  public struct Definition: Sendable, Hashable, CustomStringConvertible {
    /// The soup's label.
    public let label: String
    /// The place of its definition in the source.
    public let source: Source

    public var description: String { "soup '\(label)' (\(source))" }

    package init(_ core: OpaquePointer) {
      label = labelOfSoup(core)
      source = Source(ofSoup: core)
    }
  }
}
