import CCrucible

/// The chemistry of a soup as a graph: names, and the reactions that connect them. A program can draw it or search it.
///
/// ```swift
/// print(control.graph.dot)       // for Graphviz: dot -Tsvg
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
    /// Whether its molecules have keys (<doc:Keys>).
    public var hasKeys: Bool { keys != nil }
    /// The type of its keys, if it has some.
    let keys: UInt?
    /// The number of words of the component, 0 if it is not on `word`; and the index of the name's word.
    let words: Int, word: Int
  }

  /// A reaction of the soup.
  public struct Reaction: Sendable, Hashable {
    /// The pattern of the reaction, and where it is declared.
    public let info: Soup.ReactionInfo
    /// The placement of its bodies.
    public let placement: String
    /// The number of its component, the same as that of its names.
    public let component: Int
    /// Each name once, in the order of the pattern.
    let inputs: [Edge]
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
  public var edges: [Edge] { reactions.flatMap(\.inputs) }
  /// The molecules that bodies were seen to inject, by reaction, the most frequent first. Empty unless recorded.
  public internal(set) var outcomes: [Outcome] = []
  /// The number of molecules that the definitions injected, by the numbers of the names. Empty unless recorded.
  public internal(set) var initial: [Int: Int] = [:]
  /// The number of molecules that no body of the soup injected, by the numbers of the names. Empty unless recorded.
  public internal(set) var supplied: [Int: Int] = [:]
  /// The number of soups that were seen: 0 unless recorded.
  public internal(set) var soups = 0
  /// False before the definition has ended: then there are no names and no reactions yet.
  let isComplete: Bool

  init(of core: OpaquePointer) {
    soup = labelOfSoup(core)
    source = Soup.Source(ofSoup: core)
    isComplete = crucible_soup_is_frozen(core)
    // The defining thread may be adding some.
    let names = isComplete ? namesOfSoup(core).map { Name($0) } : []
    self.names = names
    reactions = isComplete ? (0..<crucible_soup_reaction_count(core)).map { Reaction($0, in: core, names) } : []
  }

  func reactions(over name: Int) -> [Int] {
    reactions.indices.filter { reactions[$0].inputs.contains { $0.name == name } }
  }

  func components() -> [(number: Int, matcher: Soup.Matcher, names: [Int], reactions: [Int])] {
    Dictionary(grouping: names.indices) { names[$0].component }.sorted { $0.key < $1.key }.map { number, members in
      (number, names[members[0]].matcher, members, reactions.indices.filter { reactions[$0].component == number })
    }
  }
}

extension ReactionGraph.Name {
  fileprivate init(_ name: OpaquePointer) {
    label = labelOfName(name)
    kind = MoleculeKind(crucible_name_kind(name))
    component = crucible_name_component(name)
    matcher = Soup.Matcher(crucible_name_matcher(name))
    source = Soup.Source(ofName: name)
    keys = crucible_name_key(name).map { UInt(bitPattern: $0.pointee.type) }
    var home: UInt32 = 0
    words = Int(crucible_name_words(name, &home))
    word = Int(home)
  }
}

extension ReactionGraph.Reaction {
  fileprivate init(_ index: Int, in core: OpaquePointer, _ names: [ReactionGraph.Name]) {
    let pattern = inputsOfReaction(index, in: core).map { crucible_name_index($0) }
    info = Soup.ReactionInfo(index, in: core)
    component = names[pattern[0]].component
    inputs = pattern.enumerated().filter { pattern.firstIndex(of: $1) == $0 }.map { _, name in
      ReactionGraph.Edge(name: name, reaction: index, multiplicity: pattern.count { $0 == name })
    }
    let place = crucible_soup_reaction(core, index).placement
    placement =
      place == CRUCIBLE_EXTERNAL
      ? whileHeld(core) { ReactionBody.of(index, in: core).station!.label } ?? "elsewhere"
      : place == CRUCIBLE_INLINE ? "inline" : "pool"
  }
}
