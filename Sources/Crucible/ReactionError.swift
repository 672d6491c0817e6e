import CCrucible
import Glibc

/// An error that the body of a reaction threw and that no caller of a fast molecule received, as the soup's `onError` gets it.
///
/// ```swift
/// let parse = Soup.define("parser", onError: { log.warning("\($0)") }) { soup in
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

func writeToStandardError(_ line: String) {
  var text = Array((line + "\n").utf8)[...]
  while !text.isEmpty {
    let written = text.withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
    if written < 0 && errno != EINTR { return }
    text = text.dropFirst(max(0, written))
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

/// The names of a reaction's pattern, as the program writes it.
func patternText(_ core: OpaquePointer, _ reaction: Int) -> String {
  (0..<crucible_soup_reaction(core, reaction).input_count).map { input in
    String(cString: crucible_name_label(crucible_soup_reaction_input(core, reaction, input)))
  }.joined(separator: " & ")
}

/// Where a reaction's body runs, as a description says it.
func placementText(_ core: OpaquePointer, _ reaction: Int) -> String {
  let placement = crucible_soup_reaction(core, reaction).placement
  if placement != CRUCIBLE_EXTERNAL { return placement == CRUCIBLE_INLINE ? "inline" : "pool" }
  guard crucible_soup_hold(core) else { return "elsewhere" }
  defer { crucible_soup_release(core) }
  return SoupContext.of(core).reactions[reaction].station!.label
}
