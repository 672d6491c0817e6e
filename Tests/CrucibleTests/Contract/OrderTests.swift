import Crucible
import CrucibleTestSupport
import Testing

/// Contract 5: a name's molecules are served oldest first.
@Suite(.watched, .serialized)
struct `Order` {
  @Test(arguments: matchers)
  func `Molecules of one name react in the order of injection, whether they waited or not`(matcher: Matcher) {
    let seen = Log<Int>()
    let (item, token, _) = matcher.react(slow("item", of: Int.self), slow("token"), on: .inline) { n, _ in
      seen.append(n)
    }
    var random = Seeded(Run.seed(of: "order"))
    var items = 0
    var tokens = 0
    while items < 20_000 {
      for _ in 0..<Int.random(in: 0...300, using: &random) {
        item(items)
        items += 1
      }
      for _ in 0..<Int.random(in: 0...300, using: &random) {
        token()
        tokens += 1
      }
    }
    for _ in tokens..<max(items, tokens) { token() }
    #expect(seen.all == Array(0..<items))
  }

  @Test(arguments: matchers)
  func `Molecules of one name keep their order in a narrow field that spills`(matcher: Matcher) {
    let seen = Log<Int>()
    let (names, _) = matcher.react(slow("n", of: Int.self, count: 31), on: .inline) { values in seen.append(values[0]) }
    for n in 0..<500 { names[0](n) }
    for n in 0..<500 { for name in names[1...] { name(n) } }
    #expect(seen.all == Array(0..<500))
  }
}
