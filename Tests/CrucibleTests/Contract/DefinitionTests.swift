import CCrucible
import CrucibleTestSupport
import Glibc
import Testing

@testable import Crucible

/// Contract 6: one scope makes the chemistry, and nothing reacts before the scope has ended.
@Suite(.watched)
struct `Definitions` {
  @Test(arguments: Run.setups)
  func `A definition holds the molecules that its scope injects until it is complete`(setup: Setup) async {
    let seen = Log<Int>()
    let (control, held) = define(setup) { item, token in
      for n in 0..<300 { item(n) }
      for _ in 0..<200 { token() }
    } body: {
      seen.append($0)
    }
    #expect(held == 0, "no body runs before the definition has ended")
    await control.settle()
    #expect(seen.all.sorted() == Array(0..<200))
    #expect(control.snapshot()["item"] == 100)
    #expect(control.snapshot()["token"] == 0)
  }

  /// The first call is in the soup when the definition throws.
  @Test(arguments: matchers)
  func `Names of a soup whose definition has thrown refuse, and calls in it get .gone`(matcher: Matcher) async throws {
    struct Mistake: Error {}
    let names = Shared<(FastInjector<Int, Int>, Injector<Live>, Soup.Fact<Int>)>(nil)
    let (census, early) = (Census(), Shared<Task<Int, any Error>>(nil))
    try await onThread {
      #expect(throws: Mistake.self) {
        let _: Injector<Live> = try Soup.define("broken", with: .init(matcher: matcher)) { soup throws(Mistake) in
          let ask = soup.fast("ask", of: Int.self, returning: Int.self)
          let (item, fact) = (soup.slow("item", of: Live.self), soup.fact("fact", of: Int.self))
          soup.react(ask, item, fact, on: .inline) { call, _, fact in call.reply(fact) }
          names.put((ask.owning(), item.owning(), fact.owning()))
          item(census.live())
          early.put(Task.detached { try await ask(1) })
          while !crucible_name_is_held(ask.name) { sched_yield() }
          throw Mistake()
        }
      }
    }
    let (ask, item, fact) = names.take()!
    #expect(census.alive == 0)
    let caller = early.take()!
    await #expect(throws: CallError.gone) { try await caller.value }
    #expect(!item(census.live()) && !fact(1))
    #expect(await ask.outcome(2) == .failure(.gone))
    #expect(await ask.outcome(2, within: .seconds(1)) == .failure(.gone))
    #expect(try await onThread { try? ask.blocking(2) } == nil)
    await #expect(throws: CallError.gone) { try await Soup.first(of: ask.call(3)) }
    #expect(census.alive == 0)
  }

  @Test(arguments: matchers)
  func `A definition that throws leaves nothing behind`(matcher: Matcher) throws {
    struct Mistake: Error {}
    let census = Census()
    #expect(throws: Mistake.self) {
      let _: Injector<Live> = try Soup.define("broken", with: .init(matcher: matcher)) { soup throws(Mistake) in
        let a = soup.slow("a", of: Live.self)
        let state = soup.state("state", census.live())
        let captured = census.live()
        soup.react(state: state, a) { _, _ in withExtendedLifetime(captured) {} }
        a(census.live())
        throw Mistake()
      }
    }
    #expect(census.born == 3)
    #expect(census.alive == 0)
  }

  @Test func `A description lists the names, matchers, counts and reactions of a soup`() {
    let (a, _, control) = Soup.Matcher.locked.define(slow("a"), fast("ask", returning: Int.self), named: "described") {
      soup, a, ask in
      let count = soup.state("count", 0)
      soup.react(state: count, a, a) { _, _, _ in }
      soup.react(state: count, ask, on: .inline) { count, call in call.reply(count) }
    }
    a()
    let lines = control.description.split(separator: "\n").map(String.init)
    #expect(lines[0].hasPrefix("soup 'described' (CrucibleTests/DefinitionTests.swift:"))
    #expect(
      lines[1...3] == [
        "  slow a: 1, component 0, locked", "  fast ask: 0, component 0, locked",
        "  state count: 1, component 0, locked",
      ])
    #expect(lines[4].hasPrefix("  reaction count & a & a on pool (CrucibleTests/DefinitionTests.swift:"))
    #expect(lines[5].hasPrefix("  reaction count & ask on inline (CrucibleTests/DefinitionTests.swift:"))
  }

  /// Defines `item & token`. Returns the number of bodies that had run when the scope ended.
  private func define(
    _ setup: Setup, _ inject: (Injector<Int>, Injector<Void>) -> Void, body: @escaping @Sendable (Int) -> Void
  ) -> (Soup.Control, Int) {
    let ran = Tally()
    var held = 0
    let (_, _, control) = setup.define(slow("item", of: Int.self), slow("token")) { soup, item, token in
      soup.react(item, token) { n, _ in
        ran.add()
        body(n)
      }
      inject(item, token)
      held = ran.count
    }
    return (control, held)
  }
}
