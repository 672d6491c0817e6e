import CCrucible

extension Soup {
  /// A place in the source: a file and a line.
  ///
  /// ```swift
  /// let here = Soup.Source()
  /// for warning in control.warnings where warning.source.file == here.file { print(warning.source) }
  /// // Bank/Bank.swift:14
  /// ```
  public struct Source: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The file, as `#fileID` names it: the module and the file's name.
    public let file: String
    /// The line in the file. The first is 1.
    public let line: Int

  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    self.file = file
    self.line = line
  }

  @usableFromInline var description: String { "\(file):\(line)" }

  // File and line, as read back from the core.
  static func text(ofName name: OpaquePointer) -> String {
    text(crucible_name_file(name), crucible_name_line(name))
  }
  static func text(ofReaction index: Int, in soup: OpaquePointer) -> String {
    let info = crucible_soup_reaction(soup, index)
    return text(info.file, info.line)
  }
  static func text(ofSoup soup: OpaquePointer) -> String { text(crucible_soup_file(soup), crucible_soup_line(soup)) }
  private static func text(_ file: UnsafePointer<CChar>, _ line: UInt32) -> String {
    "\(String(cString: file)):\(line)"
  }

  /// The file as it lies in the program, if it does.
  var fixedFile: UnsafePointer<CChar>? {
    file.hasPointerRepresentation ? UnsafeRawPointer(file.utf8Start).assumingMemoryBound(to: CChar.self) : nil
  }

  /// The file for the core, which copies it, unless it lies in the program.
  func withFile<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    if let fixedFile { return body(fixedFile) }
    return file.description.withCString(body)
  }

  /// A soup like those that were defined here before, with the usual options; nil: there is none.
  func repeated(_ label: String, _ variant: UInt, _ matcher: Soup.Matcher) -> OpaquePointer? {
    guard let label = label.smallWords, let file = fixedFile else { return nil }
    return crucible_soup_repeat(file, variant, UInt32(truncatingIfNeeded: line), matcher.core, label)
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
          site: fixedFile, variant: variant,
          context: context.map { Unmanaged.passRetained($0).toOpaque() }, release: SoupContext.release,
          notify: SoupContext.notify,
          inherited: SoupContext.endInherited,
          unowned: context?.whenUnowned == .cancel ? SoupContext.cancelBodies : nil, gone: Soup.Warning.logGone,
          end_kept: SoupHandle.endKept)
        return body(&options)
      }
    }

    /// The file and the line, joined by a colon.
    public var description: String { "\(file):\(line)" }

    /// Orders places by their files, and those of one file by their lines.
    ///
    /// - Complexity: O(length of the files' names).
    public static func < (a: Source, b: Source) -> Bool { (a.file, a.line) < (b.file, b.line) }
  }
}

// What is read back from the core.
extension Soup.Source {
  init(ofName name: OpaquePointer) { self.init(crucible_name_file(name), crucible_name_line(name)) }

  init(ofReaction index: Int, in soup: OpaquePointer) {
    let info = crucible_soup_reaction(soup, index)
    self.init(info.file, info.line)
  }

  init(ofSoup soup: OpaquePointer) { self.init(crucible_soup_file(soup), crucible_soup_line(soup)) }

  init(ofCall note: crucible_waiting) { self.init(note.file, note.line) }

  private init(_ file: UnsafePointer<CChar>?, _ line: UInt32) {
    self.init(file: file.map { String(cString: $0) } ?? "", line: Int(line))
  }
}
