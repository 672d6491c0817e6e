import CCrucible

extension Soup {
  /// Requires that the declaration is inside the scope.
  func requireOpen(_ what: @autoclosure () -> String, at source: StaticSource) {
    if !isOpen {
      fatalError(
        "Crucible: \(describe()): \(what()) (\(source)): \(text(CRUCIBLE_FROZEN))", file: source.file, line: source.line
      )
    }
  }

  func fail(_ status: crucible_status, culprit: OpaquePointer? = nil, what: String = "", at source: StaticSource)
    -> Never
  {
    let molecule =
      culprit.map { ": molecule '\(String(cString: crucible_name_label($0)))' (\(Soup.Source(ofName: $0)))" } ?? ""
    let foreign =
      status == CRUCIBLE_FOREIGN_NAME
      ? culprit.map { ", '\(String(cString: crucible_soup_label(crucible_name_soup($0))))'" } ?? "" : ""
    let reason = status == CRUCIBLE_DOES_NOT_FIT ? tooWide(culprit!) : text(status)
    fatalError(
      "Crucible: \(describe())\(what)\(molecule): \(reason)\(foreign)", file: source.file, line: source.line)
  }

  /// Returns the reason why the chosen matcher cannot serve the component of this name.
  private func tooWide(_ name: OpaquePointer) -> String {
    let component = crucible_name_component(name)
    let others = (0..<crucible_soup_name_count(core)).count { index in
      let other: OpaquePointer = crucible_soup_name(core, index)
      return other != name && crucible_name_component(other) == component
    }
    let matcher = crucible_soup_matcher(core)
    return """
      reactions connect it with \(others) other names, and the matcher '\(Matcher(matcher))' serves at most \
      \(crucible_matcher_most_names(matcher)) names that are connected
      """
  }

  func failWithoutNames(_ type: any Any.Type, _ file: StaticString, _ line: UInt) -> Never {
    fatalError(
      "Crucible: \(describe()): no name leaves by '\(type)': return names, or tuples or structs of names", file: file,
      line: line)
  }

  private func describe() -> String {
    "soup '\(String(cString: crucible_soup_label(core)))' (\(Soup.Source(ofSoup: core)))"
  }

  private func text(_ status: crucible_status) -> String { String(cString: crucible_status_text(status)) }
}
