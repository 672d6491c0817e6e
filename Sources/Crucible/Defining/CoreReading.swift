import CCrucible

// The data that the library reads back from the core.

func labelOfName(_ name: OpaquePointer) -> String { String(cString: crucible_name_label(name)) }
func labelOfSoup(_ core: OpaquePointer) -> String { String(cString: crucible_soup_label(core)) }

func namesOfSoup(_ core: OpaquePointer) -> [OpaquePointer] {
  (0..<crucible_soup_name_count(core)).map { crucible_soup_name(core, $0) }
}

/// Returns the names of a reaction's pattern, in their order, as often as the reaction takes them.
func inputsOfReaction(_ index: Int, in core: OpaquePointer) -> [OpaquePointer] {
  (0..<crucible_soup_reaction(core, index).input_count).map { crucible_soup_reaction_input(core, index, $0) }
}

func require(
  _ name: OpaquePointer, of core: OpaquePointer, _ what: @autoclosure () -> String, _ file: StaticString, _ line: UInt
) {
  let owner: OpaquePointer = crucible_name_soup(name)
  if owner == core { return }
  fatalError(
    """
    Crucible: \(what()) soup '\(labelOfSoup(core))' (\(file):\(line)): molecule '\(labelOfName(name))' is of soup \
    '\(labelOfSoup(owner))'
    """, file: file, line: line)
}

/// Returns the result of `body` while the soup is held. Nil if the soup is gone.
@discardableResult
func whileHeld<Result>(_ core: OpaquePointer, _ body: () -> Result?) -> Result? {
  guard crucible_soup_hold(core) else { return nil }
  defer { crucible_soup_release(core) }
  return body()
}
