import Crucible
import CrucibleTestSupport
import Testing

/// Facts: injected once, read by every reaction that names them, consumed by none.
@Suite(.watched, .serialized)
struct `Facts` {
  private struct Asking: Leaving {
    let fact: Soup.Fact<Live>
    let ask: FastInjector<Int, Int>
    let note: Injector<Int>
    let control: Soup.Control

    func owning() -> Asking {
      Asking(fact: fact.owning(), ask: ask.owning(), note: note.owning(), control: control)
    }

    /// Defines a soup. It replies to a call with the call's number plus the fact's, and logs notes in `told`.
    static func define(_ setup: Setup, told: Log<Int> = Log()) -> Asking {
      Soup.define("asking", with: .init(matcher: setup.matcher)) { soup in
        let fact = soup.fact("fact", of: Live.self)
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let note = soup.slow("note", of: Int.self)
        soup.react(ask, fact, on: setup.placement) { call, fact in call.reply(call.input + fact.number) }
        soup.react(note, fact, on: setup.placement) { number, fact in told.append(number + fact.number) }
        return Asking(fact: fact, ask: ask, note: note, control: soup.control)
      }
    }
  }

  @Test(arguments: Run.setups)
  func `All molecules that waited for a fact react once it is known`(setup: Setup) async {
    let (told, census) = (Log<Int>(), Census())
    let asking = Asking.define(setup, told: told)
    for n in 0..<100 { asking.note(n) }
    await asking.control.settle()
    #expect(told.all.isEmpty)
    #expect(asking.control.snapshot()["fact"] == 0)
    #expect(asking.control.explain().description.contains("missing: fact"))
    #expect(asking.fact(census.live(0)))
    await asking.control.settle()
    #expect(told.all.sorted() == Array(0..<100))
    #expect(asking.control.snapshot()["note"] == 0)
  }

  @Test(arguments: Run.setups)
  func `A reaction that reads several facts waits for all of them`(setup: Setup) async throws {
    let (a, b, ask, _) = setup.define(
      fact("a", of: Int.self), fact("b", of: String.self), fast("ask", returning: String.self)
    ) { soup, a, b, ask in
      let count = soup.state("count", 0)
      soup.react(state: count, ask, a, b) { count, call, a, b in
        count += 1
        call.reply("\(count) \(a) \(b)")
      }
    }
    async let first = ask()
    #expect(a(7))
    await #expect(throws: CallError.timedOut) { try await ask(within: .zero) }
    #expect(b("seven"))
    #expect(try await first.hasSuffix("7 seven"))
    #expect(try await ask() == "2 7 seven")
  }

  @Test(arguments: matchers)
  func `A fact that a definition injects is known from the beginning`(matcher: Matcher) async throws {
    for round in 0..<5 {  // from the third round on, a soup reuses memory
      let (ask, _) = matcher.define(fast("ask", returning: Int.self), named: "given") { soup, ask in
        let fact = soup.fact("fact", of: Int.self)
        soup.react(ask, fact, on: .inline) { call, fact in call.reply(fact) }
        if round % 2 == 0 { #expect(fact(round)) }
        #expect(fact(round + 10) == (round % 2 == 1))
      }
      #expect(try await ask() == (round % 2 == 0 ? round : round + 10))
    }
  }

  @Test(arguments: Run.setups)
  func `Clearing leaves a fact, and restarting forgets it`(setup: Setup) async throws {
    let census = Census()
    let asking = Asking.define(setup)
    #expect(asking.fact(census.live(5)))
    asking.control.clear()
    #expect(try await asking.ask(1) == 6)
    #expect(await asking.control.stop(within: patience).isQuiet)
    #expect(!asking.fact(census.live(6)))
    #expect(census.alive == 1)
    try await asking.control.restart()
    #expect(census.alive == 0)
    await #expect(throws: CallError.timedOut) { try await asking.ask(1, within: .zero) }
    #expect(asking.fact(census.live(7)))
    #expect(try await asking.ask(1) == 8)
  }

  @Test(arguments: Run.setups)
  func `A soup that is paused learns a fact and fires nothing`(setup: Setup) async {
    let told = Log<Int>()
    let asking = Asking.define(setup, told: told)
    let census = Census()
    asking.note(1)
    asking.control.pause()
    #expect(asking.fact(census.live(1)))
    await asking.control.settle()
    #expect(told.all.isEmpty)
    asking.control.resume()
    await asking.control.settle()
    #expect(told.all == [2])
  }

  @Test(arguments: matchers)
  func `Thirty names and facts of every size find room, in one word or in several`(matcher: Matcher) {
    let facts = 20
    let (known, names, control) = Soup.define("many", with: .init(matcher: matcher)) { soup in
      let known = (0..<facts).map { soup.fact("fact[\($0)]", of: [Int].self) }
      let names = soup.slow("name", of: Int.self, count: 30)
      let ring = soup.slow("ring")
      for (index, name) in names.enumerated() {
        soup.react(name, ring, known[index % facts], on: .inline) { _, _, _ in }
      }
      soup.react(ring, ring, known[0], on: .inline) { _, _, _ in }
      return (known, names, soup.control)
    }
    for name in names { name(1) }
    for fact in known { #expect(fact([1])) }
    #expect(control.snapshot().counts.filter { $0.label.hasPrefix("fact") }.allSatisfy { $0.molecules == 1 })
  }

  @Test(arguments: matchers)
  func `A body that reads a fact finds the reactions of other components told`(matcher: Matcher) {
    let seen = Log<Int>()
    let (known, x, _, control) = matcher.on(.inline).define(
      fact("fact", of: Int.self), slow("x"), fast("y", returning: Int.self)
    ) { soup, fact, x, y in
      soup.react(x, fact) { _, _ in seen.append((try? y.blocking()) ?? -1) }
      soup.react(y, fact) { call, fact in call.reply(fact) }
    }
    #expect(Set(control.graph.names.filter { $0.kind != .fact }.map(\.component)).count == 2)
    x()
    #expect(known(3))
    #expect(seen.all == [3])
  }

  @Test func `A recorded graph knows the fact that a definition injects`() async throws {
    let recording = ReactionGraph.Recording()
    let events = Log<Soup.Event.Kind>()
    let observation = Soup.observe { if $0.soup.label == "given" { events.append($0.kind) } }
    let (fact, ask, _) = Soup.Options().define(
      fact("fact", of: Int.self), fast("ask", returning: Int.self), named: "given"
    ) { soup, fact, ask in
      soup.react(ask, fact, on: .inline) { call, fact in call.reply(fact) }
      fact(4)
    }
    #expect(try await ask() == 4)
    observation.end()
    recording.end()
    let isInjected = events.all.contains { if case .injected(let name, _) = $0 { name.is(fact) } else { false } }
    #expect(isInjected)
    let graph = try #require(recording.graphs.first { $0.soup == "given" })
    #expect(graph.initial == [0: 1])
  }
}
