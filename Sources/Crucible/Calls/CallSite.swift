import CCrucible

/// The call that an error is about: soup, molecule, and the place in the source.
///
/// ```swift
/// do {
///   try await take(within: .seconds(1))
/// } catch {
///   print(error)                       // 'take' of 'buffer' (Shop/main.swift:22): there was no reply in time
///   print(error.call?.molecule ?? "")  // take
/// }
/// ```
///
/// Only an error makes one. A call that gets its reply pays nothing.
public struct CallSite: Sendable, CustomStringConvertible {
  private final class Content: Sendable {
    let soup: String
    let molecules: [String]
    let source: StaticSource

    init(_ names: [OpaquePointer], _ source: StaticSource) {
      soup = labelOfSoup(crucible_name_soup(names[0]))
      molecules = names.map(labelOfName)
      self.source = source
    }
  }

  private let content: Content

  /// Requires: there is a name, and its shell is kept.
  init(_ names: [OpaquePointer], _ source: StaticSource) { content = Content(names, source) }

  /// The label of the soup, for a select the soup of its first branch.
  public var soup: String { content.soup }
  /// The label of the molecule, for a select that of its first branch.
  public var molecule: String { content.molecules[0] }
  /// The place of the call in the source.
  public var source: Soup.Source { Soup.Source(file: "\(content.source.file)", line: Int(content.source.line)) }

  /// The labels, and the place in parentheses.
  public var description: String {
    let others = content.molecules.count - 1
    let more = others == 0 ? "" : " and \(others) more"
    return "'\(molecule)' of '\(soup)'\(more) (\(content.source))"
  }
}
