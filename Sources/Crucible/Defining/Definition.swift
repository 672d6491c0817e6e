import CCrucible

extension Soup {
  /// The place of a soup in the program.
  public struct Definition: Sendable, Hashable, CustomStringConvertible {
    /// The soup's label.
    public let label: String
    /// File and line.
    public let source: String

    public var description: String { "soup '\(label)' (\(source))" }

    init(_ core: OpaquePointer) {
      label = String(cString: crucible_soup_label(core))
      source = Source.text(ofSoup: core)
    }
  }
}
