import Crucible
import CrucibleTestSupport
import Testing

/// The additional promise of the matcher `arrival`: the same arrivals give the same matches.
@Suite(.watched)
struct `The order of arrival` {
  /// A counter that is a molecule is injected again by each body, so each time it arrives last.
  @Test(arguments: [Placement.inline, .pool], [false, true])
  func `The matcher arrival serves a call after the two increments before it, whatever keeps the count`(
    placement: Placement, isState: Bool
  ) async throws {
    for _ in 0..<200 {
      let (increment, value, _) = Matcher.arrival.on(placement).define(
        slow("increment"), fast("value", returning: Int.self)
      ) { soup, increment, value in
        if isState {
          let counter = soup.state("counter", 0)
          soup.react(state: counter, increment) { n, _ in n += 1 }
          soup.react(state: counter, value) { n, call in call.reply(n) }
          return
        }
        let counter = soup.slow("counter", of: Int.self)
        soup.react(counter, increment) { n, _ in counter(n + 1) }
        soup.react(counter, value) { n, call in
          call.reply(n)
          counter(n)
        }
        counter(0)
      }
      increment()
      increment()
      #expect(try await value() == 2)
    }
  }

  @Test func `The matcher arrival takes molecules that are injected together in the order of their list`() async {
    let matches = Log<String>()
    let (a, _, _, control) = Soup.Matcher.arrival.on(.inline).define(
      slow("a", of: Int.self), slow("b", of: Int.self), slow("c", of: Int.self), named: "list"
    ) { soup, a, b, c in
      soup.react(a, b) { a, b in matches.append("a\(a) b\(b)") }
      soup.react(a, c) { a, c in matches.append("a\(a) c\(c)") }
      Soup.inject((c, 1), (b, 2))
    }
    a.inject(contentsOf: [3, 4])
    await control.settle()
    #expect(matches.all.sorted() == ["a3 c1", "a4 b2"])
  }
}
