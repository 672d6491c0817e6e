import CCrucible

/// Finding what is probably not meant.
///
/// What can be injected is known from who refers to a name when the definition ends: if nobody does, because it neither left,
/// as it is or by an owning form, nor was captured, then nobody ever will. A name that only bodies refer to counts as injected, though they may never run.
struct WarningSearch {
  private struct Declared {
    let label: String
    let source: String
    let inputs: [Int: Int]
  }

  private let soup: Soup.Definition
  private let isSupplied: [Bool]
  private let names: [Declared]
  private let isFast: [Bool]
  private let reactions: [Declared]
  private let allowed: AllowedWarnings

  /// - Parameter isReferred: whether anybody refers to the name of that number.
  init(in core: OpaquePointer, _ allowed: AllowedWarnings, isReferred: [Bool]) {
    soup = Soup.Definition(core)
    self.allowed = allowed
    let pointers: [OpaquePointer] = isReferred.indices.map { crucible_soup_name(core, $0) }
    isSupplied = zip(pointers, isReferred).map { name, isReferred in
      isReferred || crucible_name_kind(name) == CRUCIBLE_STATE || crucible_name_is_held(name)
    }
    isFast = zip(pointers, isReferred).map { $1 && crucible_name_kind($0) == CRUCIBLE_FAST }
    names = pointers.map {
      Declared(label: String(cString: crucible_name_label($0)), source: Source(ofName: $0).description, inputs: [:])
    }
    reactions = (0..<crucible_soup_reaction_count(core)).map { index in
      let info = crucible_soup_reaction(core, index)
      let inputs = (0..<info.input_count).map { crucible_name_index(crucible_soup_reaction_input(core, index, $0)) }
      return Declared(
        label: patternText(core, index), source: "\(String(cString: info.file)):\(info.line)",
        inputs: Dictionary(inputs.map { ($0, 1) }, uniquingKeysWith: +))
    }
  }

  /// - Complexity: O(reactions² × inputs).
  func found() -> [Warning] {
    let isInert = reactions.allSatisfy { !missing(in: $0).isEmpty }
    let unserved = names.indices.filter { isUnserved($0) }
    return pairs() + neverServed(unserved) + (isInert ? inert() : neverFires(except: unserved))
  }

  private func pairs() -> [Warning] {
    var warnings: [Warning] = []
    for (index, reaction) in reactions.enumerated() {
      for (otherIndex, other) in reactions.enumerated() where otherIndex != index {
        guard other.inputs.allSatisfy({ $1 <= reaction.inputs[$0, default: 0] }) else { continue }
        let areIdentical = other.inputs == reaction.inputs
        if areIdentical && otherIndex > index { continue }
        let kind = areIdentical ? Warning.Kind.identical : .shadowed
        if isAllowed(kind, allowed.reactions[index]) { continue }
        let place = "\(other.label) (\(other.source))"
        let reason =
          areIdentical
          ? "the same inputs as \(place): which of them fires is chosen at random"
          : "whenever this reaction could fire, \(place) could as well, which needs only a part of its inputs"
        warnings.append(Warning(kind, soup, "reaction \(reaction.label)", at: reaction.source, reason))
      }
    }
    return warnings
  }

  private func missing(in reaction: Declared) -> [Int] { reaction.inputs.keys.filter { !isSupplied[$0] }.sorted() }

  /// Whether it can be called and each of its reactions misses something.
  private func isUnserved(_ name: Int) -> Bool {
    isFast[name] && reactions.allSatisfy { $0.inputs[name] == nil || !missing(in: $0).isEmpty }
  }

  private func neverServed(_ unserved: [Int]) -> [Warning] {
    unserved.filter { !isAllowed(.neverServed, allowed.names[$0]) }.map { name in
      let missing = reactions.filter { $0.inputs[name] != nil }.flatMap { self.missing(in: $0) }
      return Warning(
        .neverServed, soup, "fast molecule '\(names[name].label)'", at: names[name].source,
        "its callers would wait for ever: nothing injects \(labels(of: missing))")
    }
  }

  /// Those that consume what is known not to be served are known as well.
  private func neverFires(except unserved: [Int]) -> [Warning] {
    reactions.enumerated().compactMap { index, reaction in
      let missing = self.missing(in: reaction)
      if missing.isEmpty || unserved.contains(where: { reaction.inputs[$0] != nil }) { return nil }
      if isAllowed(.neverFires, allowed.reactions[index]) { return nil }
      return Warning(
        .neverFires, soup, "reaction \(reaction.label)", at: reaction.source,
        "it can never fire: nothing injects \(labels(of: missing))")
    }
  }

  private func inert() -> [Warning] {
    if isAllowed(.inert, nil) { return [] }
    let labels = labels(of: reactions.flatMap(missing))
    let reason = reactions.isEmpty ? "it has no reactions" : "nothing can ever react: nothing injects \(labels)"
    return [Warning(.inert, soup, "the soup", at: soup.source, reason)]
  }

  private func labels(of names: [Int]) -> String {
    Set(names).sorted().map { "'\(self.names[$0].label)'" }.joined(separator: ", ")
  }

  private func isAllowed(_ kind: Warning.Kind, _ allowedHere: Set<Warning.Kind>?) -> Bool {
    allowed.everywhere.contains(kind) || allowedHere?.contains(kind) == true
  }
}
