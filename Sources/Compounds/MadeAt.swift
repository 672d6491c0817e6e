/// The place where a compound was made, for the message that aborts the program after a misuse.
@usableFromInline
struct MadeAt: Sendable {
  private let kind: StaticString
  private let label: String
  private let file: StaticString
  private let line: UInt

  @usableFromInline
  init(_ kind: StaticString, _ label: String, _ file: StaticString, _ line: UInt) {
    self.kind = kind
    self.label = label
    self.file = file
    self.line = line
  }

  @usableFromInline
  func misuse(_ sentence: String) -> Never {
    fatalError("Crucible: \(kind) '\(label)' (\(file):\(line)): \(sentence)", file: file, line: line)
  }

  /// Aborts the program with a message unless the number is in the range.
  @usableFromInline
  func require(_ what: StaticString, _ number: Int, in range: ClosedRange<Int>) {
    if range.contains(number) { return }
    let wanted = range.upperBound == .max ? "\(range.lowerBound) or more" : "\(range.lowerBound) to \(range.upperBound)"
    misuse("\(what) must be \(wanted), not \(number)")
  }
}
