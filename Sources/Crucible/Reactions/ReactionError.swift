/// An error that a body threw and that no caller of a fast molecule received. The soup's `onError` gets it.
///
/// ```swift
/// let parse = Soup.define("parser", with: .init(onError: { log.warning("\($0)") })) { soup in
///   let parse = soup.slow("parse", of: String.self)
///   soup.react(parse) { text in try check(text) }
///   return parse
/// }
/// ```
public struct ReactionError: Sendable, CustomStringConvertible {
  /// The soup of the reaction.
  public let soup: Soup.Definition
  /// The reaction whose body threw.
  public let reaction: Soup.ReactionInfo
  /// The error that the body threw.
  public let error: any Error

  /// The error with soup, reaction and line, in one line.
  public var description: String {
    "\(soup): reaction \(reaction): \(error)"
  }

  func write() {
    writeToStandardError("Crucible: \(description)")
  }
}

extension ReactionError {
  init(_ error: any Error, inReaction index: Int, of core: OpaquePointer) {
    soup = Soup.Definition(core)
    reaction = Soup.ReactionInfo(index, in: core)
    self.error = error
  }
}
