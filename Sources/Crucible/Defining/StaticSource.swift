import CCrucible

/// A place in the source as the compiler passes it: `#fileID` and `#line`.
///
/// A ``Soup/Source`` is the same for users. There are two types, because every definition and blocking call uses this
/// one. It is plain data, makes no string, and keeps the address by which the core finds earlier soups of the place. A
/// place that is read back from the core has no such address, because the core may have copied the text.
@usableFromInline
struct StaticSource: Sendable, CustomStringConvertible {
  let file: StaticString
  let line: UInt

  @usableFromInline
  init(_ file: StaticString, _ line: UInt) {
    self.file = file
    self.line = line
  }

  @usableFromInline var description: String { "\(file):\(line)" }

  /// The file as a constant of the program, if it is one.
  var fixedFile: UnsafePointer<CChar>? {
    file.hasPointerRepresentation ? UnsafeRawPointer(file.utf8Start).assumingMemoryBound(to: CChar.self) : nil
  }

  /// Passes the file to the core, which copies it unless it is a constant of the program.
  func withFile<Result>(_ body: (UnsafePointer<CChar>) -> Result) -> Result {
    if let fixedFile { return body(fixedFile) }
    return file.description.withCString(body)
  }

  /// Returns a soup like those that were defined at this place before, with the usual options. Nil if there is none.
  func repeated(_ label: String, _ variant: UInt, _ matcher: Soup.Matcher) -> OpaquePointer? {
    guard let label = label.smallWords, let file = fixedFile else { return nil }
    return crucible_soup_repeat(file, variant, UInt32(truncatingIfNeeded: line), matcher.core, label)
  }

  func withOptions(
    label: String, variant: UInt, matcher: Soup.Matcher, seed: UInt64?, _ context: SoupContext?,
    _ body: (UnsafePointer<crucible_soup_options>) -> OpaquePointer?
  ) -> OpaquePointer? {
    withLabel(label, at: self) { label in
      withFile { file in
        var options = crucible_soup_options(
          label: label, matcher: matcher.core, seed: seed.map { $0 == 0 ? 1 : $0 } ?? 0, file: file, line: UInt32(line),
          site: fixedFile, variant: variant,
          context: context.map { Unmanaged.passRetained($0).toOpaque() }, release: SoupContext.release,
          notify: SoupContext.notify,
          inherited: SoupContext.endInherited,
          unowned: context?.whenUnowned == .cancel ? SoupContext.cancelBodies : nil, warn: Soup.Warning.tell,
          end_kept: SoupHandle.endKept)
        return body(&options)
      }
    }
  }
}

/// Passes the label on as a C string. Ends the program if it would not arrive whole. Labels that are compared by their
/// words need no check: none equals the label of a name, which was declared here.
func withLabel<Result>(_ label: String, at source: StaticSource, _ body: (UnsafePointer<CChar>) -> Result) -> Result {
  if label.utf8.contains(0) {
    fatalError(
      "Crucible: label \(label.debugDescription) (\(source)): a label must not contain a NUL", file: source.file,
      line: source.line)
  }
  return label.withCString(body)
}
