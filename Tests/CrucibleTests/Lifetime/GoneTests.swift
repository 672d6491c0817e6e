import Crucible
import CrucibleTestSupport
import Testing

/// Names, controls and calls that outlive their soup without owning it are safe to use.
@Suite(.watched)
struct `Names and controls of a soup that is gone` {
  @Test(arguments: matchers)
  func `A name of a soup that is gone refuses for ever and on every thread`(matcher: Matcher) async throws {
    let (a, _) = leftBehind(matcher)
    #expect(!a(1))
    let accepted = try await onThreads(8) { _ in (0..<100).count { a($0) } }
    #expect(accepted.reduce(0, +) == 0)
    #expect(!a.owning()(2))
  }

  @Test(arguments: matchers)
  func `Injections into a soup that is gone log one warning, with the name and its line`(matcher: Matcher) async {
    await #expect(processExitsWith: .success) { [matcher = "\(matcher)" as String] in
      let logged = Log<Soup.Warning>()
      Soup.Warning.log = { logged.append($0) }
      let (a, _) = leftBehind(Matcher(matcher)!)
      a(1)
      a(2)
      let gone = logged.all.filter { $0.kind == .gone }
      #expect(gone.map(\.subject) == ["a"])
      #expect(gone[0].source.file == #fileID)
      #expect(gone[0].description.contains("soup 'left'") && gone[0].description.contains("owning()"))
    }
  }
}

/// Makes a name and a control that escape their soup without owning it. A molecule waits when the soup ends.
private func leftBehind(_ matcher: Matcher) -> (Injector<Int>, Soup.Control) {
  var escaped: (Injector<Int>, Soup.Control)?
  let _: Injector<Void> = Soup.define("left", with: .init(matcher: matcher)) { soup in
    let a = soup.slow("a", of: Int.self)
    let never = soup.slow("never")
    soup.react(a, never) { _, _ in }
    a(1)
    escaped = (a, soup.control)
    return never
  }
  return escaped!
}
