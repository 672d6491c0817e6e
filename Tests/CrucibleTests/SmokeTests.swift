import Crucible
import Testing

@Test func smoke() async throws {
  for m in [Matcher.word, .locked] {
    for p in [Placement.inline, .pool] {
      let (increment, value, control) = Soup.define("counter", matcher: m) { soup in
        let counter = soup.state("counter", 0)
        let increment = soup.slow("increment")
        let value = soup.fast("value", returning: Int.self)
        soup.react(counter & increment, on: p) { n, _ in n += 1 }
        soup.react(counter & value, on: p) { n, call in call.reply(n) }
        return (increment, value, soup.control)
      }
      for _ in 0..<1000 { increment() }
      let quiet = await control.quiet(within: .seconds(5))
      #expect(quiet)
      let n = try await value()
      #expect(n == 1000)
      print(control)
    }
  }
}
