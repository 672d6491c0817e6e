import Crucible
import CrucibleTestSupport
import Testing

/// Contract 5: a name's molecules are served oldest first. The histories show it while several threads inject the name.
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
}
