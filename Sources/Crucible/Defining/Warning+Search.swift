import CCrucible

/// Finds chemistry that is probably a mistake.
///
/// The references to a name at the end of the definition show whether it can be injected. A name that neither left the
/// definition nor was captured by a body is never injected. A name that only bodies refer to counts as injected, though
/// these bodies may never run. So does one that the library injects, such as the name into which molecules expire.
///
/// Most definitions have no warning. So sets of names allocate nothing here, and texts are made only for findings.
struct WarningSearch {
  private struct Declared {
    let index: Int
    var names = NameSet()
    /// The names of which it takes more than one molecule.
    var repeated = NameSet()
    /// The first reaction with the same inputs, if this one is not the first.
    var twin: Int?
  }

  private let core: OpaquePointer
  private let allowed: AllowedWarnings
  private let nameCount: Int
  /// The names that some code injects, and the fast ones that some code can call.
  private var supplied = NameSet()
  private var called = NameSet()
  private var reactions: [Declared] = []
  /// Each pattern is filed once, under the rarest of its names. So a search for the parts of a pattern opens only the
  /// folders of its own names. The folders of names that most reactions share are empty.
  private var folders: [[Int]] = []
  /// The second name of each label that several names have, with the first one.
  private let labels: [(name: Int, first: Int)]

  /// - Parameter referred: the names that other code refers to, by their numbers.
  init(in core: OpaquePointer, _ allowed: AllowedWarnings, referred: NameSet) {
    self.core = core
    self.allowed = allowed
    nameCount = crucible_soup_name_count(core)
    labels = Self.repeatedLabels(in: core)
    for index in 0..<nameCount {
      let name: OpaquePointer = crucible_soup_name(core, index)
      let kind = crucible_name_kind(name)
      let isReferred = referred.contains(index)
      let isFed = crucible_name_is_fed(name) || crucible_name_is_held(name)
      if isReferred || kind == CRUCIBLE_STATE || isFed { supplied.insert(index) }
      if isReferred && kind == CRUCIBLE_FAST { called.insert(index) }
    }
    let count = crucible_soup_reaction_count(core)
    reactions.reserveCapacity(count)
    for index in 0..<count {
      var reaction = Declared(index: index)
      for input in 0..<crucible_soup_reaction(core, index).input_count {
        let name = crucible_name_index(crucible_soup_reaction_input(core, index, input))
        if reaction.names.contains(name) { reaction.repeated.insert(name) }
        reaction.names.insert(name)
      }
      reactions.append(reaction)
    }
  }

  private static func repeatedLabels(in core: OpaquePointer) -> [(name: Int, first: Int)] {
    func label(_ index: Int) -> UnsafePointer<CChar> { crucible_name_label(crucible_soup_name(core, index)) }
    var found: [(name: Int, first: Int)] = []
    for index in 0..<crucible_soup_name_count(core) {
      guard let first = (0..<index).first(where: { areEqual(label($0), label(index)) }) else { continue }
      if !found.contains(where: { $0.first == first }) { found.append((index, first)) }
    }
    return found
  }

  /// Files the pattern of each reaction, or notes which reaction has the same.
  private mutating func fileAll() {
    folders = Array(repeating: [], count: nameCount)
    var uses = Array(repeating: 0, count: nameCount)
    for reaction in reactions { for name in reaction.names { uses[name] += 1 } }
    for (index, reaction) in reactions.enumerated() {
      let home = reaction.names.min { uses[$0] < uses[$1] }!
      reactions[index].twin = folders[home].first { other in
        isPart(reactions[other], of: reaction) && isPart(reaction, of: reactions[other])
      }
      if reactions[index].twin == nil { folders[home].append(index) }
    }
  }

  /// Returns whether there is any finding, allowed or not.
  ///
  /// - Complexity: O(inputs) for each reaction, and O(1) for each pattern that is filed under one of its names.
  mutating func findsAny() -> Bool {
    if reactions.isEmpty || !unserved().isEmpty || !labels.isEmpty { return true }
    let few = 8  // to compare so few is faster than to file them
    if reactions.count > few { fileAll() }
    for reaction in reactions {
      if !missing(in: reaction).isEmpty || reaction.twin != nil { return true }
      if reactions.count > few {
        if !parts(of: reaction).isEmpty { return true }
      } else {
        for other in reactions where other.index != reaction.index && isPart(other, of: reaction) { return true }
      }
    }
    return false
  }

  /// Returns the filed patterns that need a part of the reaction's inputs.
  private func parts(of reaction: Declared) -> [Int] {
    let own = reaction.twin ?? reaction.index
    return reaction.names.flatMap { name in
      folders[name].filter { $0 != own && isPart(reactions[$0], of: reaction) }
    }
  }

  /// Returns all findings, with one warning for each.
  ///
  /// Reactions or names on one line with one mistake are one finding, and so are all reactions of the same inputs.
  mutating func found() -> [Soup.Warning] {
    if folders.isEmpty { fileAll() }
    let isInert = reactions.allSatisfy { !missing(in: $0).isEmpty }
    let unserved = unserved()
    let all = pairs() + neverServed(unserved) + (isInert ? inert() : neverFires(except: unserved)) + sameLabels()
    var found: [Soup.Warning] = []
    var places: [Finding: Int] = [:]
    for warning in all {
      let isOfSeveral = warning.kind == .identical
      let finding = Finding(
        kind: warning.kind, source: isOfSeveral ? nil : warning.source, reason: isOfSeveral ? warning.reason : nil)
      if let place = places[finding] {
        found[place].others += 1
      } else {
        places[finding] = found.count
        found.append(warning)
      }
    }
    return found
  }

  private struct Finding: Hashable {
    let kind: Soup.Warning.Kind
    /// The place of a single finding. Nil if the warning covers several places. Then `reason` identifies the finding.
    let source: Soup.Source?
    let reason: String?
  }

  private func count(of name: Int, in reaction: Declared) -> Int {
    if !reaction.repeated.contains(name) { return reaction.names.contains(name) ? 1 : 0 }
    return (0..<crucible_soup_reaction(core, reaction.index).input_count).count { input in
      crucible_name_index(crucible_soup_reaction_input(core, reaction.index, input)) == name
    }
  }

  /// Whether `other` consumes at least all that `reaction` consumes.
  @inline(__always)
  private func isPart(_ reaction: Declared, of other: Declared) -> Bool {
    reaction.names.isSubset(of: other.names) && (reaction.repeated.isEmpty || takes(other, noLessThan: reaction))
  }

  /// Whether `other` takes at least as many of each name that `reaction` takes more than once.
  private func takes(_ other: Declared, noLessThan reaction: Declared) -> Bool {
    reaction.repeated.allSatisfy { count(of: $0, in: reaction) <= count(of: $0, in: other) }
  }

  // ---- Findings ----

  /// Returns at most two warnings for each reaction.
  private func pairs() -> [Soup.Warning] {
    reactions.flatMap { reaction in
      let twins = reaction.twin.map { twin in
        let reason = "the same inputs as \(place(of: twin)): which of them fires is chosen at random"
        return warning(.identical, reaction: reaction.index, reason)
      }
      let parts = parts(of: reaction)
      let shadows = parts.min().map { part in
        let others = parts.count == 1 ? "" : " (and \(parts.count - 1) other pattern\(parts.count == 2 ? "" : "s"))"
        let reason =
          "whenever this reaction could fire, \(place(of: part)) could as well, which needs only a part of its inputs"
        return warning(.shadowed, reaction: reaction.index, reason + others)
      }
      return (twins ?? []) + (shadows ?? [])
    }
  }

  private func place(of reaction: Int) -> String {
    Soup.ReactionInfo(reaction, in: core).description
  }

  private func missing(in reaction: Declared) -> NameSet { reaction.names.subtracting(supplied) }

  private func missing(inAll reactions: [Declared]) -> NameSet {
    reactions.reduce(into: NameSet()) { $0.formUnion(missing(in: $1)) }
  }

  /// Returns the names that can be called and of which each reaction lacks an input.
  private func unserved() -> NameSet {
    var consumed = NameSet()
    var served = NameSet()
    for reaction in reactions {
      consumed.formUnion(reaction.names)
      if missing(in: reaction).isEmpty { served.formUnion(reaction.names) }
    }
    return called.intersection(consumed).subtracting(served)
  }

  private func neverServed(_ unserved: NameSet) -> [Soup.Warning] {
    unserved.compactMap { index -> Soup.Warning? in
      if isAllowed(.neverServed, allowed.names[index]) { return nil }
      let missing = self.missing(inAll: reactions.filter { $0.names.contains(index) })
      let name: OpaquePointer = crucible_soup_name(core, index)
      return Soup.Warning(
        .neverServed, Soup.Definition(core), "fast molecule '\(label(of: index))'",
        at: Soup.Source(ofName: name),
        "its callers would wait for ever: nothing injects \(labels(of: missing))")
    }
  }

  /// Omits reactions that consume a name without service, because the warnings for that name include them.
  private func neverFires(except unserved: NameSet) -> [Soup.Warning] {
    reactions.indices.flatMap { index in
      let missing = self.missing(in: reactions[index])
      if missing.isEmpty || !reactions[index].names.isDisjoint(with: unserved) { return [Soup.Warning]() }
      return warning(.neverFires, reaction: index, "it can never fire: nothing injects \(labels(of: missing))")
    }
  }

  private func inert() -> [Soup.Warning] {
    if isAllowed(.inert, nil) { return [] }
    let soup = Soup.Definition(core)
    let missing = self.missing(inAll: reactions)
    let reason =
      reactions.isEmpty ? "it has no reactions" : "nothing can ever react: nothing injects \(labels(of: missing))"
    return [Soup.Warning(.inert, soup, "the soup", at: soup.source, reason)]
  }

  private func sameLabels() -> [Soup.Warning] {
    labels.compactMap { pair in
      if [pair.name, pair.first].contains(where: { isAllowed(.sameLabel, allowed.names[$0]) }) { return nil }
      let (name, first): (OpaquePointer, OpaquePointer) =
        (crucible_soup_name(core, pair.name), crucible_soup_name(core, pair.first))
      return Soup.Warning(
        .sameLabel, Soup.Definition(core), "molecule '\(label(of: pair.name))'", at: Soup.Source(ofName: name),
        """
        another name has this label (\(Soup.Source(ofName: first))): messages, events and counts do not tell them \
        apart
        """
      )
    }
  }

  // ---- Texts ----

  /// Makes a warning, unless it is allowed.
  private func warning(
    _ kind: Soup.Warning.Kind, reaction index: Int, _ reason: @autoclosure () -> String
  ) -> [Soup.Warning] {
    if isAllowed(kind, allowed.reactions[index]) { return [] }
    let reaction = Soup.ReactionInfo(index, in: core)
    return [Soup.Warning(kind, Soup.Definition(core), "reaction \(reaction.pattern)", at: reaction.source, reason())]
  }

  private func isAllowed(_ kind: Soup.Warning.Kind, _ allowedHere: Set<Soup.Warning.Kind>?) -> Bool {
    allowed.everywhere.contains(kind) || allowedHere?.contains(kind) == true
  }

  private func label(of name: Int) -> String { labelOfName(crucible_soup_name(core, name)) }

  private func labels(of names: NameSet) -> String {
    names.map { "'\(label(of: $0))'" }.joined(separator: ", ")
  }
}
