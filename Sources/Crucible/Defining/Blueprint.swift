import CCrucible

/// The chemistry of a soup as a value: the result of its definition, without its momentary contents. All descriptions
/// of soups are made from it.
struct Blueprint: Sendable, Hashable {
  struct Name: Sendable, Hashable {
    let label: String
    let kind: MoleculeKind
    /// The number of the component. Names that share reactions, directly or through other names, have the same number.
    let component: Int
    let matcher: Soup.Matcher
    /// The number of words over which the component extends, 0 if it is not on `word`; and the number of the name's
    /// word, from 0 on.
    let words: Int, word: Int
    /// The place of the declaration.
    let source: Soup.Source
  }

  /// One of the names that a reaction consumes.
  struct Input: Sendable, Hashable {
    /// Its number among the names.
    let name: Int
    /// The number of molecules of it that one firing consumes.
    let needed: Int
  }

  struct Reaction: Sendable, Hashable {
    let site: Soup.Site
    /// Each name once, in the order of the pattern.
    let inputs: [Input]
    let placement: String
  }

  let soup: String
  let source: Soup.Source
  /// False before the definition has ended: then there are no names and no reactions yet.
  let isComplete: Bool
  /// In the order of declaration.
  let names: [Name]
  let reactions: [Reaction]

  init(of core: OpaquePointer) {
    soup = labelOfSoup(core)
    source = Soup.Source(ofSoup: core)
    isComplete = crucible_soup_is_frozen(core)
    // The defining thread may be adding some.
    guard isComplete else {
      (names, reactions) = ([], [])
      return
    }
    names = namesOfSoup(core).map { Name($0) }
    reactions = (0..<crucible_soup_reaction_count(core)).map { Reaction(core, $0) }
  }

  /// The numbers of the reactions that consume the name of this number.
  func reactions(over name: Int) -> [Int] {
    reactions.indices.filter { reactions[$0].inputs.contains { $0.name == name } }
  }

  /// Returns a name that stands for the reaction's component and matcher. All names of the reaction have the same.
  func server(of reaction: Int) -> Name { names[reactions[reaction].inputs[0].name] }
}

extension Blueprint.Name {
  fileprivate init(_ name: OpaquePointer) {
    label = labelOfName(name)
    kind = MoleculeKind(crucible_name_kind(name))
    component = crucible_name_component(name)
    matcher = Soup.Matcher(crucible_name_matcher(name))
    var home: UInt32 = 0
    words = Int(crucible_name_words(name, &home))
    word = Int(home)
    source = Soup.Source(ofName: name)
  }
}

extension Blueprint.Reaction {
  fileprivate init(_ core: OpaquePointer, _ index: Int) {
    var order: [Int] = []
    var needed: [Int: Int] = [:]
    for name in inputsOfReaction(index, in: core).map({ crucible_name_index($0) }) {
      if needed[name] == nil { order.append(name) }
      needed[name, default: 0] += 1
    }
    site = Soup.Site(index, in: core)
    inputs = order.map { Blueprint.Input(name: $0, needed: needed[$0]!) }
    placement = placementText(core, index)
  }
}

/// Returns the placement of a reaction's body, as a description shows it.
func placementText(_ core: OpaquePointer, _ reaction: Int) -> String {
  let placement = crucible_soup_reaction(core, reaction).placement
  if placement != CRUCIBLE_EXTERNAL { return placement == CRUCIBLE_INLINE ? "inline" : "pool" }
  return whileHeld(core) { ReactionBody.of(reaction, in: core).station!.label } ?? "elsewhere"
}
