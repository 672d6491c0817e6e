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

    /// Makes a place, by default that of the call.
    ///
    /// - Complexity: O(1).
    public init(file: String = #fileID, line: Int = #line) {
      self.file = file
      self.line = line
    }

    /// The file and the line, joined by a colon.
    public var description: String { "\(file):\(line)" }

    /// Orders places by their files, and those of one file by their lines.
    ///
    /// - Complexity: O(length of the files' names).
    public static func < (a: Source, b: Source) -> Bool { (a.file, a.line) < (b.file, b.line) }
  }
}

// A place that is read back from the core.
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
