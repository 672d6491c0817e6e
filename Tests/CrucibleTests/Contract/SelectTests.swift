import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Selects: one call on several names, of which exactly one branch reacts.
@Suite(.watched, .serialized)
struct `A select` {
  /// Makes a soup in which a value that is put meets a call that takes it.
  static func box(
    _ label: String, _ setup: Setup, clock: (any Clock<Duration>)? = nil
  ) -> (put: Injector<Int>, take: FastInjector<Void, Int>, control: Soup.Control) {
    setup.with(clock: clock).react(slow("put", of: Int.self), fast("take", returning: Int.self), named: label) {
      value, call in call.reply(value)
    }
  }

  @Test(arguments: matchers)
  func `A loop of selects takes each branch that can react, or prefers the earlier`(matcher: Matcher) async throws {
    let names = (0..<3).map { number in
      matcher.react(fast("ready", returning: Int.self), on: .inline) { call in call.reply(number) }.0
    }
    let branches = names.map { $0.call() }
    for preference in [Soup.Preference.none, .earlier] {
      var taken = [0, 0, 0]
      for round in 0..<200 {
        let got =
          if round % 2 == 0 {
            try await Soup.first(of: branches[0], branches[1], branches[2], preferring: preference)
          } else {
            try await onThread { try Soup.blocking.first(of: branches, within: patience, preferring: preference) }
          }
        taken[got] += 1
      }
      // Each of three is missed in all of 200 rounds with a probability below 10⁻³⁵.
      #expect(preference == .none ? taken.allSatisfy { $0 > 0 } : taken == [200, 0, 0], "\(taken)")
    }
  }

  @Test(arguments: matchers)
  func `The order of a select follows from the seed of its first soup`(matcher: Matcher) async throws {
    func choices(seed: UInt64) async throws -> [Int] {
      let names = (0..<3).map { number in
        matcher.on(.inline).with(seed: seed).react(fast("ready", returning: Int.self)) { $0.reply(number) }.0
      }
      return try await onThread {
        try (0..<50).map { _ in try Soup.blocking.first(of: names.map { $0.call() }) }
      }
    }
    #expect(try await choices(seed: 7) == choices(seed: 7))
    #expect(try await choices(seed: 7) != choices(seed: 8))
  }

  @Test(arguments: Run.setups)
  func `A select waits, and leaves nothing behind in the soup that did not react`(setup: Setup) async throws {
    let (a, b) = (Self.box("a", setup), Self.box("b", setup))
    for round in 0..<scaled(50) {
      async let got = Soup.first(of: a.take.call { "a\($0)" }, b.take.call { "b\($0)" })
      while b.control.snapshot()[b.take] == 0 { await Task.yield() }
      (round % 2 == 0 ? a : b).put(round)
      #expect(try await got == (round % 2 == 0 ? "a\(round)" : "b\(round)"))
      await a.control.settle()
      await b.control.settle()
      #expect(a.control.snapshot()[a.take] == 0 && b.control.snapshot()[b.take] == 0)
    }
  }

  @Test(arguments: Run.setups)
  func `A select gives up at its limit or with its task, and nothing has taken place`(setup: Setup) async throws {
    let clock = ManualClock()
    let (a, b) = (Self.box("a", setup, clock: clock), Self.box("b", setup))
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { try await Soup.first(of: a.take.call(), b.take.call(), within: $0) }
    }
    #expect(a.control.snapshot().withdrawn == 1 && b.control.snapshot().withdrawn == 1)
    let branches = [a.take.call(), b.take.call()]
    await #expect(throws: CallError.timedOut) { try await Soup.first(of: branches, within: .zero) }
    await #expect(throws: CallError.timedOut) {
      try await clock.expire { limit in
        try await onThread { try Soup.blocking.first(of: a.take.call(), b.take.call(), within: limit) }
      }
    }
    let caller = Task { try await Soup.first(of: a.take.call(), b.take.call()) }
    while b.control.snapshot()[b.take] == 0 { await Task.yield() }
    caller.cancel()
    await #expect(throws: CallError.cancelled) { try await caller.value }
    #expect(a.control.snapshot()[a.take] == 0 && b.control.snapshot()[b.take] == 0)
    a.put(1)
    #expect(try await Soup.first(of: b.take.call(), a.take.call(), within: patience) == 1)
  }

  @Test(arguments: Run.setups)
  func `A select goes on without a soup that stops, and ends with the last one`(setup: Setup) async throws {
    let (a, b) = (Self.box("a", setup), Self.box("b", setup))
    func select() async -> Task<Int, any Error> {
      let before = b.control.snapshot()[b.take]
      let caller = Task { try await Soup.first(of: a.take.call(), b.take.call()) }
      while b.control.snapshot()[b.take] == before { await Task.yield() }
      return caller
    }
    let first = await select()
    let second = await select()
    await a.control.stop()
    b.put(7)
    #expect(try await first.value == 7)
    await b.control.settle()
    b.control.clear()
    await #expect(throws: CallError.cleared) { try await second.value }
    await b.control.stop()
    await #expect(throws: CallError.stopped) { try await Soup.first(of: a.take.call(), b.take.call()) }
    let gone = Self.box("gone", setup).take.weak
    await #expect(throws: CallError.gone) {
      try await Soup.first(of: a.take.call(), gone.call(), preferring: .earlier)
    }
    await #expect(throws: CallError.stopped) {
      try await Soup.first(of: gone.call(), a.take.call(), preferring: .earlier)
    }
  }

  @Test(arguments: Run.setups)
  func `A select throws the error of the body that it was decided for`(setup: Setup) async throws {
    struct Broken: Error, Equatable {}
    let (ask, go, _) = setup.react(fast("ask", of: Weak.self, returning: Int.self), slow("go"), named: "broken") {
      _, _ in throw Broken()
    }
    let other = Self.box("other", setup)
    let live = Census().live()
    go()
    await #expect(throws: CallError.failed(Broken())) {
      try await Soup.first(of: ask.call(Weak(live)), other.take.call())
    }
    // The value lies in a box, and its branch is withdrawn.
    other.put(1)
    #expect(try await Soup.first(of: ask.call(Weak(live)), other.take.call()) == 1)
  }

  @Test(arguments: matchers)
  func `A select throws an error if two of its branches could meet, or if it has none`(matcher: Matcher) async {
    let (a, b, c, _) = matcher.define(
      fast("a", returning: Void.self), fast("b", returning: Void.self), fast("c", returning: Void.self)
    ) { soup, a, b, c in
      soup.react(a, b, on: .inline) { _, _ in }
      soup.react(b, c, on: .inline) { _, _ in }
    }
    func cause(_ branches: [Soup.Branch<Void>]) async -> SelectError.Cause? {
      do throws(CallError) {
        try await Soup.first(of: branches, within: .zero)
      } catch .failed(let error as SelectError) {
        return error.cause
      } catch {
        #expect(error == .timedOut)
        return nil
      }
      Issue.record("no error")
      return nil
    }
    #expect(await cause([a.call(), b.call()]) == .sharedReaction("a", "b"))
    #expect(await cause([a.call(), a.call()]) == .sharedReaction("a", "a"))
    #expect(await cause([]) == .noBranches)
    #expect(await cause([a.call(), c.call()]) == nil)
  }

  @Test(arguments: matchers)
  func `A select of names whose definition has thrown throws .gone`(matcher: Matcher) async {
    let kept = Shared<[FastInjector<Void, Int>]>(nil)
    #expect(throws: Boom.self) {
      let _: FastInjector<Void, Int> = try Soup.define("broken", with: .init(matcher: matcher)) { soup throws(Boom) in
        let (a, b) = (soup.fast("a", returning: Int.self), soup.fast("b", returning: Int.self))
        soup.react(a, b) { a, b in a.reply(b.reply(1) ? 1 : 2) }
        kept.put([a, b])
        throw Boom(1)
      }
    }
    let names = kept.take()!
    await #expect(throws: CallError.gone) { try await Soup.first(of: names[0].call()) }
    await #expect(throws: CallError.gone) { try await Soup.first(of: names.map { $0.call() }) }
  }

  @Test(arguments: matchers)
  func `An explanation shows a select waiting in each of its soups`(matcher: Matcher) async throws {
    let setup = Setup(matcher: matcher, placement: .inline)
    let (a, b) = (Self.box("a", setup), Self.box("b", setup))
    let caller = Task { try await Soup.first(of: a.take.call(), b.take.call(), within: patience) }
    while a.control.explain().callers.isEmpty || b.control.explain().callers.isEmpty { await Task.yield() }
    #expect(b.control.explain().callers.map(\.molecule) == ["take"])
    a.put(1)
    #expect(try await caller.value == 1)
    #expect(b.control.explain().callers.isEmpty)
  }

  @Test(arguments: matchers)
  func `An observer sees the withdrawal of the branch that a select did not take`(matcher: Matcher) async throws {
    let setup = Setup(matcher: matcher, placement: .inline)
    let (a, b) = (Self.box("a", setup), Self.box("b", setup))
    let events = Log<String>()
    let observation = b.control.observe { event in
      if case .withdrew(let molecule) = event.kind { events.append("withdrew \(molecule.label)") }
    }
    async let got = Soup.first(of: a.take.call(), b.take.call())
    while b.control.snapshot()[b.take] == 0 { await Task.yield() }
    a.put(1)
    #expect(try await got == 1)
    await b.control.settle()
    #expect(events.all == ["withdrew take"])
    withExtendedLifetime(observation) {}
  }
}
