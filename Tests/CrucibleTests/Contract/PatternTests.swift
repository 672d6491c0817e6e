import Crucible
import CrucibleTestSupport
import Testing

private struct Refused: Error, Equatable {}

/// Arrays of fast names, alone, beside a state and in a group. The body gets a call for each name.
@Suite(.watched)
struct `An array of fast names in a pattern` {
  @Test(arguments: matchers, [false, true])
  func `A body that throws fails every call of an array of fast names that it left open`(
    matcher: Matcher, grouped: Bool
  ) async throws {
    let (go, ask, control) = Soup.define("thrown", with: .init(matcher: matcher)) { soup in
      let s = soup.state("s", 0)
      let go = soup.slow("go")
      let ask = (0..<3).map { soup.fast("ask \($0)", returning: Int.self) }
      if grouped {
        soup.react(state: s, Soup.Group(go, ask)) { s, values throws in
          values.all.1[1].reply(s)
          s += 1
          throw Refused()
        }
      } else {
        soup.react(state: s, go, ask) { s, _, calls throws in
          calls[1].reply(s)
          s += 1
          throw Refused()
        }
      }
      return (go, ask, soup.control)
    }
    go()
    async let a = ask[0].outcome()
    async let b = ask[1].outcome()
    async let c = ask[2].outcome()
    let refused = Result<Int, CallError>.failure(.failed(Refused()))
    #expect(await [a, b, c] == [refused, .success(0), refused])
    await control.settle()
    #expect(control.snapshot()["s"] == 1)
  }

  @Test(arguments: matchers, [false, true])
  func `A body that drops a call of an array of fast names ends it with neverReplied`(
    matcher: Matcher, grouped: Bool
  ) async throws {
    let (ask, a) = Soup.define("dropped", with: .init(matcher: matcher)) { soup in
      let ask = (0..<2).map { soup.fast("ask \($0)", returning: Int.self) }
      let a = soup.slow("a", of: Int.self)
      if grouped {
        soup.react(Soup.Group(a, ask)) { values in values.all.1[0].reply(values.all.0) }
      } else {
        soup.react(a, ask) { a, calls in calls[0].reply(a) }
      }
      return (ask, a)
    }
    a(7)
    async let first = ask[0]()
    async let second = ask[1].outcome()
    #expect(try await first == 7)
    #expect(await second == .failure(.neverReplied))
  }
}
