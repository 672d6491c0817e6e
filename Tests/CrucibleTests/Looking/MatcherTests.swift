import Crucible
import CrucibleTestSupport
import Foundation
import Testing

@Suite struct `Pages about matchers` {
  @Test(arguments: matchers, ["Choosing", "Guarantees", "Inside"])
  func `Every page that compares the matchers names each of them`(matcher: Soup.Matcher, page: String) throws {
    let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
    let file = root.appending(path: "Sources/Crucible/Crucible.docc/\(page).md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let isNamed = text.split(separator: "\n").contains { line in
      line.hasPrefix("## \(matcher):")
        || line.hasPrefix("|") && (line.contains("`\(matcher)`") || line.contains("/\(matcher)`"))
    }
    #expect(isNamed, "no table and no heading of \(page).md has \(matcher)")
  }
}
