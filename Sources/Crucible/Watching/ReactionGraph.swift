/// The chemistry of a soup as a graph: names, and the reactions that connect them. A program can draw it or search it.
///
/// ```swift
/// print(control.graph.dot)       // for Graphviz: dot -Tsvg
/// print(control.graph.mermaid)   // for Markdown
/// ```
///
/// An edge leads from a name to each reaction that consumes it. A definition does not say what bodies inject. Only a
/// ``Recording`` sees that: the graphs that it returns have ``outcomes`` as well.
public struct ReactionGraph: Sendable, Hashable {
  /// A name of the soup.
  public struct Name: Sendable, Hashable {
    /// The name's label.
    public let label: String
    /// Whether the name is slow, fast, a state or a fact.
    public let kind: MoleculeKind
    /// Names connected by sharing reactions have the same number.
    public let component: Int
    /// The matcher of the component.
    public let matcher: Soup.Matcher
    /// The place of its declaration.
    public let source: Soup.Source
  }

  /// A reaction of the soup.
  public struct Reaction: Sendable, Hashable {
    /// The pattern of the reaction, and where it is declared.
    public let site: Soup.Site
    /// The placement of its bodies.
    public let placement: String
    /// The number of its component, the same as that of its names.
    public let component: Int
  }

  /// A reaction consumes a name.
  public struct Edge: Sendable, Hashable {
    /// Its number in ``ReactionGraph/names``.
    public let name: Int
    /// Its number in ``ReactionGraph/reactions``.
    public let reaction: Int
    /// The number of molecules that one firing takes.
    public let multiplicity: Int
  }

  /// The molecules that one body of a reaction was seen to inject into its own soup.
  public struct Outcome: Sendable, Hashable {
    /// Its number in ``ReactionGraph/reactions``.
    public let reaction: Int
    /// The number of molecules of each name, by the numbers in ``ReactionGraph/names``, without the states.
    public let injected: [Int: Int]
    /// The number of bodies that did so.
    public let times: Int
  }

  /// The soup's label.
  public let soup: String
  /// The place of the soup's definition.
  public let source: Soup.Source
  /// The names, in the order of declaration.
  public let names: [Name]
  /// The reactions, in the order of declaration.
  public let reactions: [Reaction]
  /// The edges, by reaction, then in the order of its pattern.
  public let edges: [Edge]
  /// The molecules that bodies were seen to inject, by reaction, the most frequent first. Empty unless recorded.
  public internal(set) var outcomes: [Outcome] = []
  /// The number of molecules that the definitions injected, by the numbers of the names. Empty unless recorded.
  public internal(set) var initial: [Int: Int] = [:]
  /// The number of molecules that no body of the soup injected, by the numbers of the names. Empty unless recorded.
  public internal(set) var supplied: [Int: Int] = [:]
  /// The number of soups that were seen: 0 unless recorded.
  public internal(set) var soups = 0

  init(_ blueprint: Blueprint) {
    soup = blueprint.soup
    source = blueprint.source
    names = blueprint.names.map {
      Name(label: $0.label, kind: $0.kind, component: $0.component, matcher: $0.matcher, source: $0.source)
    }
    reactions = blueprint.reactions.enumerated().map { index, reaction in
      Reaction(
        site: reaction.site, placement: reaction.placement, component: blueprint.server(of: index).component)
    }
    edges = blueprint.reactions.enumerated().flatMap { index, reaction in
      reaction.inputs.map { Edge(name: $0.name, reaction: index, multiplicity: $0.needed) }
    }
  }

  /// Returns the numbers of its names and reactions, component by component.
  func components() -> [(number: Int, matcher: Soup.Matcher, names: [Int], reactions: [Int])] {
    Dictionary(grouping: names.indices) { names[$0].component }.sorted { $0.key < $1.key }.map { number, members in
      (number, names[members[0]].matcher, members, reactions.indices.filter { reactions[$0].component == number })
    }
  }
}
