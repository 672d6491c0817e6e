import CCrucible

/// The chemistry of a soup as a value: what the definition has fixed, and nothing of what is in the soup at a moment.
/// All that is told about a soup is told from this.
struct Blueprint: Sendable, Hashable {
  struct Name: Sendable, Hashable {
    let label: String
    let kind: MoleculeKind
    /// Names connected by sharing reactions have the same number.
    let component: Int
    let matcher: Soup.Matcher
    /// Over how many words the component lies, and the number of the name's word, from 0 on. 0 words: not on `word`.
    let words: Int, word: Int
    /// Where it is declared.
    let source: Soup.Source
  }

  /// One of the names that a reaction consumes.
  struct Input: Sendable, Hashable {
    /// Its number among the names.
    let name: Int
    /// How many of it one firing takes.
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
    soup = String(cString: crucible_soup_label(core))
    source = Soup.Source(ofSoup: core)
    isComplete = crucible_soup_is_frozen(core)
    // The thread that defines may be adding some.
    guard isComplete else {
      (names, reactions) = ([], [])
      return
    }
    names = (0..<crucible_soup_name_count(core)).map { Name(crucible_soup_name(core, $0)) }
    reactions = (0..<crucible_soup_reaction_count(core)).map { Reaction(core, $0) }
  }

  /// The numbers of the reactions that consume the name of this number.
  func reactions(over name: Int) -> [Int] {
    reactions.indices.filter { reactions[$0].inputs.contains { $0.name == name } }
  }

  /// The component of a reaction, and its matcher: those of each of its names.
  func server(of reaction: Int) -> Name { names[reactions[reaction].inputs[0].name] }
}

extension Blueprint.Name {
  fileprivate init(_ name: OpaquePointer) {
    label = String(cString: crucible_name_label(name))
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
    for input in 0..<crucible_soup_reaction(core, index).input_count {
      let name = crucible_name_index(crucible_soup_reaction_input(core, index, input))
      if needed[name] == nil { order.append(name) }
      needed[name, default: 0] += 1
    }
    site = Soup.Site(index, in: core)
    inputs = order.map { Blueprint.Input(name: $0, needed: needed[$0]!) }
    placement = placementText(core, index)
  }
}

/// Where a reaction's body runs, as a description says it.
func placementText(_ core: OpaquePointer, _ reaction: Int) -> String {
  let placement = crucible_soup_reaction(core, reaction).placement
  if placement != CRUCIBLE_EXTERNAL { return placement == CRUCIBLE_INLINE ? "inline" : "pool" }
  guard crucible_soup_hold(core) else { return "elsewhere" }
  defer { crucible_soup_release(core) }
  return ReactionBody.of(reaction, in: core).station!.label
}
