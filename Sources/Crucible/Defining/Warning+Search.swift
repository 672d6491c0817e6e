import CCrucible

/// Finding what is probably not meant.
///
/// What can be injected is known from who refers to a name when the definition ends: if nobody does, because it neither left,
/// as it is or by an owning form, nor was captured, then nobody ever will. A name that only bodies refer to counts as
/// injected, though they may never run.
///
/// Most definitions have nothing to tell: names are bits of masks here, and texts are made for what is found.
struct WarningSearch {
  private struct Declared {
    let index: Int
    /// Its names.
    var names: UInt64 = 0
    /// Those of which it takes more than one.
    var repeated: UInt64 = 0
  }

  private let core: OpaquePointer
  private let allowed: AllowedWarnings
  private let nameCount: Int
  /// The names that something injects, and the fast ones that somebody can call.
  private var supplied: UInt64 = 0
  private var called: UInt64 = 0
  private var reactions: [Declared] = []

  /// - Parameter referred: the names that anybody refers to, by their numbers.
  init(in core: OpaquePointer, _ allowed: AllowedWarnings, referred: UInt64) {
    self.core = core
    self.allowed = allowed
    nameCount = crucible_soup_name_count(core)
    for index in 0..<nameCount {
      let name: OpaquePointer = crucible_soup_name(core, index)
      let kind = crucible_name_kind(name)
      let isReferred = referred & 1 << index != 0
      if isReferred || kind == CRUCIBLE_STATE || crucible_name_is_held(name) { supplied |= 1 << index }
      if isReferred && kind == CRUCIBLE_FAST { called |= 1 << index }
    }
    let count = crucible_soup_reaction_count(core)
    reactions.reserveCapacity(count)
    for index in 0..<count {
      var reaction = Declared(index: index)
      for input in 0..<crucible_soup_reaction(core, index).input_count {
        let name: UInt64 = 1 << crucible_name_index(crucible_soup_reaction_input(core, index, input))
        reaction.repeated |= reaction.names & name
        reaction.names |= name
      }
      reactions.append(reaction)
    }
  }

  /// Whether there is anything to tell, meant or not.
  ///
  /// - Complexity: O(reactions² + names × reactions), but for those that repeat names.
  var findsAny: Bool {
    if reactions.isEmpty || unserved() != 0 { return true }
    for reaction in reactions {
      if missing(in: reaction) != 0 { return true }
      for other in reactions where other.index != reaction.index && isPart(other, of: reaction) { return true }
    }
    return false
  }

  func found() -> [Soup.Warning] {
    let isInert = reactions.allSatisfy { missing(in: $0) != 0 }
    let unserved = unserved()
    return pairs() + neverServed(unserved) + (isInert ? inert() : neverFires(except: unserved))
  }

  /// How many of the name one firing takes.
  private func count(of name: Int, in reaction: Declared) -> Int {
    if reaction.repeated & 1 << name == 0 { return reaction.names & 1 << name == 0 ? 0 : 1 }
    return (0..<crucible_soup_reaction(core, reaction.index).input_count).count { input in
      crucible_name_index(crucible_soup_reaction_input(core, reaction.index, input)) == name
    }
  }

  /// Whether whatever this one consumes the other consumes as well.
  private func isPart(_ reaction: Declared, of other: Declared) -> Bool {
    if reaction.names & ~other.names != 0 { return false }
    if reaction.repeated == 0 { return true }
    return indices(of: reaction.repeated).allSatisfy { count(of: $0, in: reaction) <= count(of: $0, in: other) }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // What there may be
  // -------------------------------------------------------------------------------------------------------------------

  private func pairs() -> [Soup.Warning] {
    var warnings: [Soup.Warning] = []
    for (index, reaction) in reactions.enumerated() {
      for (otherIndex, other) in reactions.enumerated() where otherIndex != index && isPart(other, of: reaction) {
        let areIdentical = isPart(reaction, of: other)
        if areIdentical && otherIndex > index { continue }
        let place = "\(patternText(core, otherIndex)) (\(sourceText(ofReaction: otherIndex)))"
        let reason =
          areIdentical
          ? "the same inputs as \(place): which of them fires is chosen at random"
          : "whenever this reaction could fire, \(place) could as well, which needs only a part of its inputs"
        warnings += warning(areIdentical ? .identical : .shadowed, reaction: index, reason)
      }
    }
    return warnings
  }

  private func missing(in reaction: Declared) -> UInt64 { reaction.names & ~supplied }

  /// The names that can be called and of which each reaction misses something.
  private func unserved() -> UInt64 {
    let served = reactions.reduce(0) { missing(in: $1) == 0 ? $0 | $1.names : $0 }
    return called & ~served
  }

  private func neverServed(_ unserved: UInt64) -> [Soup.Warning] {
    indices(of: unserved).compactMap { index -> Soup.Warning? in
      if isAllowed(.neverServed, allowed.names[index]) { return nil }
      let missing = reactions.reduce(0) { $1.names & 1 << index != 0 ? $0 | self.missing(in: $1) : $0 }
      let name: OpaquePointer = crucible_soup_name(core, index)
      return Soup.Warning(
        .neverServed, Soup.Definition(core), "fast molecule '\(label(of: index))'",
        at: Source(ofName: name).description,
        "its callers would wait for ever: nothing injects \(labels(of: missing))")
    }
  }

  /// Those that consume what is known not to be served are known as well.
  private func neverFires(except unserved: UInt64) -> [Soup.Warning] {
    reactions.indices.flatMap { index in
      let missing = self.missing(in: reactions[index])
      if missing == 0 || reactions[index].names & unserved != 0 { return [Soup.Warning]() }
      return warning(.neverFires, reaction: index, "it can never fire: nothing injects \(labels(of: missing))")
    }
  }

  private func inert() -> [Soup.Warning] {
    if isAllowed(.inert, nil) { return [] }
    let soup = Soup.Definition(core)
    let missing = reactions.reduce(0) { $0 | self.missing(in: $1) }
    let reason =
      reactions.isEmpty ? "it has no reactions" : "nothing can ever react: nothing injects \(labels(of: missing))"
    return [Soup.Warning(.inert, soup, "the soup", at: soup.source, reason)]
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Texts
  // -------------------------------------------------------------------------------------------------------------------

  /// Unless it is meant.
  private func warning(_ kind: Soup.Warning.Kind, reaction index: Int, _ reason: @autoclosure () -> String) -> [Soup
    .Warning]
  {
    if isAllowed(kind, allowed.reactions[index]) { return [] }
    let subject = "reaction \(patternText(core, index))"
    return [Soup.Warning(kind, Soup.Definition(core), subject, at: sourceText(ofReaction: index), reason())]
  }

  private func isAllowed(_ kind: Soup.Warning.Kind, _ allowedHere: Set<Soup.Warning.Kind>?) -> Bool {
    allowed.everywhere.contains(kind) || allowedHere?.contains(kind) == true
  }

  private func sourceText(ofReaction index: Int) -> String { Source(ofReaction: index, in: core).description }

  private func label(of name: Int) -> String { String(cString: crucible_name_label(crucible_soup_name(core, name))) }

  private func labels(of names: UInt64) -> String {
    indices(of: names).map { "'\(label(of: $0))'" }.joined(separator: ", ")
  }

  private func indices(of names: UInt64) -> [Int] { (0..<nameCount).filter { names & (1 << $0) != 0 } }
}
