import CCrucible

/// An error that the body of a reaction threw and that no caller of a fast molecule received, as the soup's `onError` gets it.
///
/// ```swift
/// let parse = Soup.define("parser", with: .init(onError: { log.warning("\($0)") })) { soup in
///   let parse = soup.slow("parse", of: String.self)
///   soup.react(parse) { text in try check(text) }
///   return parse
/// }
/// ```
public struct ReactionError: Sendable, CustomStringConvertible {
  /// The soup's label.
  public let soup: String
  /// Where the soup is defined: file and line.
  public let soupSource: String
  /// The names of the reaction's pattern, joined by `&`.
  public let reaction: String
  /// Where the reaction is declared.
  public let file: String
  public let line: Int
  /// What the body threw.
  public let error: any Error

  /// All of it in one line.
  public var description: String {
    "soup '\(soup)' (\(soupSource)): reaction \(reaction) (\(file):\(line)): \(error)"
  }

  /// A soup without an `onError` says it on standard error.
  func write() {
    writeToStandardError("Crucible: \(description)")
  }
}

extension ReactionError {
  /// `error`, thrown by the body of the soup's reaction of that number.
  init(_ error: any Error, inReaction index: Int, of core: OpaquePointer) {
    let info = crucible_soup_reaction(core, index)
    soup = String(cString: crucible_soup_label(core))
    soupSource = Source(ofSoup: core).description
    reaction = patternText(core, index)
    file = String(cString: info.file)
    line = Int(info.line)
    self.error = error
  }
}
