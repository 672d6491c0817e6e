import CCrucible

extension Soup {
  func requireOpen(_ what: @autoclosure () -> String, at source: StaticSource) {
    if !isOpen {
      fatalError(
        "Crucible: \(Definition(core)): \(what()) (\(source)): \(text(CRUCIBLE_FROZEN))", file: source.file,
        line: source.line)
    }
  }

  func fail(_ status: crucible_status, culprit: OpaquePointer? = nil, what: String = "", at source: StaticSource)
    -> Never
  {
    let molecule =
      culprit.map { ": molecule '\(labelOfName($0))' (\(Soup.Source(ofName: $0)))" } ?? ""
    let foreign =
      status == CRUCIBLE_FOREIGN_NAME
      ? culprit.map { ", '\(labelOfSoup(crucible_name_soup($0)))'" } ?? "" : ""
    let reason = status == CRUCIBLE_DOES_NOT_FIT ? tooWide(culprit!) : text(status)
    fatalError(
      "Crucible: \(Definition(core))\(what)\(molecule): \(reason)\(foreign)", file: source.file, line: source.line)
  }

  private func tooWide(_ name: OpaquePointer) -> String {
    let component = crucible_name_component(name)
    let others = namesOfSoup(core).count { $0 != name && crucible_name_component($0) == component }
    let matcher = crucible_soup_matcher(core)
    return """
      reactions connect it with \(others) other names, and the matcher '\(Matcher(matcher))' serves at most \
      \(crucible_matcher_most_names(matcher)) names that are connected
      """
  }

  func failWithoutNames(_ type: any Any.Type, _ file: StaticString, _ line: UInt) -> Never {
    fatalError(
      "Crucible: \(Definition(core)): no name leaves by '\(type)': return names, or tuples or structs of names",
      file: file, line: line)
  }

  private func text(_ status: crucible_status) -> String { String(cString: crucible_status_text(status)) }
}
