import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `Warnings of a definition with many reactions` {
  @Test(arguments: matchers)
  func `A definition warns once of identical reactions that one line declares`(matcher: Matcher) {
    let (_, control) = Soup.define("workers", with: .init(matcher: matcher)) { soup in
      let job = soup.slow("job")
      for _ in 0..<1000 { soup.react(job) { _ in } }
      return (job, soup.control)
    }
    #expect(control.warnings.map(\.kind) == [.identical])
    #expect(control.warnings[0].source == Soup.Source(line: #line - 4))
    #expect(control.warnings[0].others == 998)
  }

  @Test(arguments: matchers)
  func `A warning about reactions with equal inputs names the first, and counts the others`(matcher: Matcher) {
    let (_, control) = Soup.define("workers", with: .init(matcher: matcher)) { soup in
      let job = soup.slow("job")
      soup.react(job) { _ in }
      soup.react(job) { _ in }
      soup.react(job) { _ in }
      return (job, soup.control)
    }
    let first = #line - 5
    #expect(control.warnings.map(\.kind) == [.identical])
    #expect(control.warnings[0].source == Soup.Source(line: first + 1))
    #expect(control.warnings[0].description.contains("ManyReactionsTests.swift:\(first)): which"))
    #expect(control.warnings[0].others == 1 && control.warnings[0].description.hasSuffix("(and 1 more like it)"))
  }

  @Test(arguments: matchers)
  func `A warning about a shadowed reaction names the first shadow, and counts the others`(matcher: Matcher) {
    let (_, control) = Soup.define("shadows", with: .init(matcher: matcher)) { soup in
      let a = soup.slow("a")
      let b = soup.slow("b")
      let c = soup.slow("c")
      soup.react(a, b, c) { _, _, _ in }
      soup.react(b) { _ in }
      soup.react(a) { _ in }
      soup.react(c, c) { _, _ in }
      return ([a, b, c], soup.control)
    }
    #expect(control.warnings.map(\.subject) == ["reaction a & b & c"])
    #expect(control.warnings[0].description.hasSuffix("which needs only a part of its inputs (and 1 other pattern)"))
  }

  @Test(arguments: matchers)
  func `Warnings take no time that grows with the square of the reactions`(matcher: Matcher) {
    let count = scaled(20_000)
    let (_, identical) = Soup.define("workers", with: .init(matcher: matcher)) { soup in
      let job = soup.slow("job")
      for _ in 0..<count { soup.react(job) { _ in } }
      return (job, soup.control)
    }
    #expect(identical.warnings.count == 1)
    let (_, shadowed) = Soup.define("shadows", with: .init(matcher: matcher)) { soup in
      let a = soup.slow("a")
      let b = soup.slow("b")
      soup.react(a) { _ in }
      for _ in 0..<count { soup.react(a, b) { _, _ in } }
      return ([a, b], soup.control)
    }
    #expect(Set(shadowed.warnings.map(\.kind)) == [.identical, .shadowed] && shadowed.warnings.count == 2)
  }

  @Test func `A fast molecule that no reaction consumes ends the process without a warning`() async throws {
    let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Soup.define("s") { soup in
        let a = soup.slow("a")
        let b = soup.fast("b", returning: Int.self)
        soup.react(a) { _ in }
        a()
        return b
      }
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("molecule 'b'") && !text.contains("warning"))
  }
}
