import CrucibleTestSupport
import Testing

@testable import Crucible

/// Labels are compared by words where their strings allow it. No label is taken for another one.
@Suite(.watched)
struct `Labels of soups that are defined again at one place` {
  /// Returns an equal text in a string that has room for a longer one.
  private static func grown(_ text: String) -> String {
    var grown = text + String(repeating: "-", count: 40)
    grown.removeLast(40)
    return grown
  }

  private static let texts =
    ["", "a", "ä", "b\0c", "seven c", "eight ch", "ninechars", "日本語日本", "fourteen chars", "fifteen charsss"]
    + ["sixteen charssss", "seventeen charsss", String(repeating: "long ", count: 20)]

  @Test(arguments: texts)
  func `A short label has the words of its bytes, and a longer one has none`(text: String) {
    var bytes = Array(text.utf8)
    let isShort = bytes.count <= 15
    for string in [text, Self.grown(text)] {
      guard let words = string.smallWords else { continue }
      #expect(isShort, "a text of \(bytes.count) bytes has words")
      bytes += [UInt8](repeating: 0, count: max(0, 16 - bytes.count))
      withUnsafeBytes(of: words) { #expect(Array($0) == bytes) }
    }
    #expect((String(decoding: text.utf8, as: UTF8.self).smallWords != nil) == isShort)
  }

  @Test(arguments: matchers)
  func `A soup defined again at one place has its own labels, also after soups with equal ones`(matcher: Matcher) {
    for text in Self.texts + Self.texts where !text.contains("\0") {
      for string in [text, Self.grown(text), text, text, text, text, text + "!", text] {
        let control = Soup.define("labels", with: .init(matcher: matcher)) { soup in
          let first = soup.slow(string)
          let second = soup.slow("second")
          soup.react(first, second) { _, _ in }
          return soup.control
        }
        #expect(control.graph.names.map(\.label) == [string, "second"])
      }
    }
  }
}
