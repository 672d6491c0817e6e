import CCrucible

/// A place in the user's program.
@usableFromInline
struct Source: CustomStringConvertible {
  let file: StaticString
  let line: UInt
  /// A file known only at run time, for what is read back from the core.
  var text: String?

  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    self.file = file
    self.line = line
  }

  init(ofName name: OpaquePointer) {
    self.init("", UInt(crucible_name_line(name)))
    text = String(cString: crucible_name_file(name))
  }

  init(ofReaction index: Int, in soup: OpaquePointer) {
    let info = crucible_soup_reaction(soup, index)
    self.init("", UInt(info.line))
    text = String(cString: info.file)
  }

  init(ofSoup soup: OpaquePointer) {
    self.init("", UInt(crucible_soup_line(soup)))
    text = String(cString: crucible_soup_file(soup))
  }

  @usableFromInline var description: String { "\(text ?? file.description):\(line)" }

  /// Whether the file lies in the program.
  private var isFixed: Bool { text == nil && file.hasPointerRepresentation }

  /// The file as it lies in the program, if it does.
  var fixedFile: UnsafePointer<CChar>? {
    isFixed ? UnsafeRawPointer(file.utf8Start).assumingMemoryBound(to: CChar.self) : nil
  }

  /// The file for the core, which copies it, unless it lies in the program.
  func withFile<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    if let fixedFile { return body(fixedFile) }
    return (text ?? file.description).withCString(body)
  }

  /// Calls `body` with the options of a soup that is defined here.
  func withOptions(
    label: String, variant: UInt, matcher: Soup.Matcher, seed: UInt64?, _ context: SoupContext?,
    _ body: (UnsafePointer<crucible_soup_options>) -> OpaquePointer?
  ) -> OpaquePointer? {
    label.withCString { label in
      withFile { file in
        var options = crucible_soup_options(
          label: label, matcher: matcher.core, seed: seed.map { $0 == 0 ? 1 : $0 } ?? 0, file: file, line: UInt32(line),
          site: isFixed ? UnsafeRawPointer(file) : nil, variant: variant,
          context: context.map { Unmanaged.passRetained($0).toOpaque() }, release: SoupContext.release,
          notify: SoupContext.notify,
          inherited: SoupContext.endInherited,
          unowned: context?.whenUnowned == .cancel ? SoupContext.cancelBodies : nil, gone: Soup.Warning.logGone)
        return body(&options)
      }
    }
  }
}
