import Crucible
import CrucibleTestSupport
import Dispatch
import Testing

/// Every form of reaction on every placement. The body runs at its placement, has its molecules, and changes its states
/// in place.
@Suite(.watched)
struct `Bodies of every form` {
  @Test(arguments: [Matcher.automatic], Place.all)
  func `Bodies of every form run on their placement, suspended or not`(matcher: Matcher, place: Place) async throws {
    let isThere = Log<Bool>()
    for form in PlacedForm<Injector<Int>>.all {
      try await expect(form, matcher, place.placement) { bodies in
        { values, states in
          isThere.append(place.isHere())
          bodies.append(values + states)
        }
      }
    }
    for form in AsyncForm<Injector<Int>>.all {
      try await expect(form, matcher, place.placement) { bodies in
        { values, states in
          isThere.append(place.isHere())
          await Task.yield()
          isThere.append(place.isHere())
          bodies.append(values + states)
        }
      }
    }
    #expect(isThere.all.allSatisfy { $0 })
  }

  @Test(arguments: [Matcher.automatic])
  func `Bodies of every form run on the main actor, also after they have suspended`(matcher: Matcher) async throws {
    for form in MainForm<Injector<Int>>.all {
      try await expect(form, matcher, .main) { bodies in
        { values, states in
          MainActor.assertIsolated()
          bodies.append(values + states)
        }
      }
    }
    for form in AsyncMainForm<Injector<Int>>.all {
      try await expect(form, matcher, .main) { bodies in
        { values, states in
          MainActor.assertIsolated()
          await Task.yield()
          MainActor.assertIsolated()
          bodies.append(values + states)
        }
      }
    }
  }

  @Test(arguments: [Matcher.automatic])
  func `Bodies of every form run on an actor`(matcher: Matcher) async throws {
    try await run(on: DefaultTeller(), matcher)
    try await run(on: CustomTeller(), matcher)
    try await run(on: KnowingTeller(), matcher)
  }

  @Test(arguments: [Matcher.automatic], Place.all)
  func `Bodies and their placement leave nothing behind when their soup goes`(matcher: Matcher, place: Place) async {
    let census = Census()
    do {
      let live = census.live()
      // A placement of its own, which only the soup keeps.
      let queue = Placement.queue(DispatchQueue(label: "own"))
      let (go, here, control) = matcher.define(slow("go", of: Live.self), slow("here", of: Live.self)) {
        soup, go, here in
        soup.react(go, on: place.placement) { _ in withExtendedLifetime(live) {} }
        soup.react(here, on: queue) { _ in withExtendedLifetime(live) {} }
      }
      for n in 0..<5 {
        go(census.live(n))
        here(census.live(n))
      }
      await control.settle()
    }
    await census.expectExtinction()
  }

  private func run<T: Teller>(on teller: T, _ matcher: Matcher) async throws {
    for form in ActorForm<Injector<Int>, T>.all {
      try await expect(form, matcher, teller) { bodies in
        { teller, values, states in
          teller.assertIsolated()
          teller.seen.append(values)
          await Task.yield()
          teller.assertIsolated()
          bodies.append(values + states)
        }
      }
    }
    let seen = await teller.seen
    #expect(seen.count == 3 * ActorForm<Injector<Int>, T>.all.count)
  }

  /// Injects the molecules of three firings, one after the other, from a separate thread. Expects what the bodies log.
  private func expect<Where, Body>(
    _ form: Form<Injector<Int>, Where, Body>, _ matcher: Matcher, _ place: Where, _ body: (Log<[Int]>) -> Body
  ) async throws {
    let bodies = Log<[Int]>()
    let (names, control) = matcher.define(slow("n", of: Int.self, count: form.arity)) { soup, names in
      form.react(soup, names, place, .report, body(bodies))
    }
    for _ in 0..<3 {
      try await onThread { for (index, name) in names.enumerated() { name(index) } }
      await control.settle()
    }
    #expect(bodies.all == (1...3).map(form.expected), "\(Body.self) \(form.testDescription)")
  }
}

/// A soup's placement, and a reaction's own.
@Suite(.watched)
struct `The placement of a soup` {
  @Test(arguments: [Matcher.automatic], Place.all)
  func `The placement of a soup is the default for reactions that specify none, async ones as well`(
    matcher: Matcher, place: Place
  ) async {
    let isThere = Log<Bool>()
    let (a, b, control) = matcher.on(place.placement).define(slow("a"), slow("b")) { soup, a, b in
      soup.react(a) { _ in isThere.append(place.isHere()) }
      soup.react(b) { _ in
        await Task.yield()
        isThere.append(place.isHere())
      }
    }
    for _ in 0..<10 {
      a()
      b()
    }
    await control.settle()
    #expect(isThere.all == Array(repeating: true, count: 20))
  }

  @Test(arguments: [Matcher.automatic])
  func `The placement of a reaction, or its isolation, overrides that of the soup`(matcher: Matcher) async {
    let isThere = Log<Bool>()
    let teller = DefaultTeller()
    let (names, control) = matcher.on(Place.looped.placement).define(slow("n", count: 4)) { soup, names in
      soup.react(names[0], on: Place.serial.placement) { _ in isThere.append(Place.serial.isHere()) }
      soup.react(names[1], on: Place.executed.placement) { _ in
        await Task.yield()
        isThere.append(Place.executed.isHere())
      }
      soup.react(names[2], on: .main) { _ in
        MainActor.assertIsolated()
        isThere.append(!Place.looped.isHere())
      }
      soup.react(names[3], on: .actor(teller)) { teller, _ in
        teller.assertIsolated()
        isThere.append(!Place.looped.isHere())
      }
    }
    for name in names { name() }
    await control.settle()
    #expect(isThere.all == Array(repeating: true, count: 4))
  }

  @Test func `The default placement is the pool, and Swift's pool for async bodies`() async {
    #expect(Soup.Options().placement == .automatic)
    #expect(Placement.automatic != .pool && Placement.pool != .inline)
    #expect(Placement.automatic.description == "automatic")
    let (a, b, control) = Soup.Options().define(slow("a"), slow("b")) { soup, a, b in
      soup.react(a) { _ in }
      soup.react(b) { _ in await Task.yield() }
    }
    a()
    b()
    await control.settle()
    #expect(control.description.contains("reaction a on pool ("))
    #expect(control.description.contains("reaction b on Swift's pool ("))
  }

  @Test func `A description names the placement of each reaction`() {
    let loop = ThreadLoop(isRunning: false)
    let teller = DefaultTeller()
    let control = Soup.define("described") { soup in
      let names = (0..<9).map { soup.slow("n\($0)") }
      soup.react(names[0], on: .task) { _ in }
      soup.react(names[1], on: .queue(.global())) { _ in }
      soup.react(names[2], on: .executor(Soup.Pool.executor)) { _ in }
      soup.react(names[3], on: .loop(loop)) { _ in }
      soup.react(names[4], on: .main) { _ in }
      soup.react(names[5], on: .actor(teller)) { _, _ in }
      soup.react(names[6], on: .inline) { _ in await Task.yield() }
      soup.react(names[7], on: .pool) { _ in await Task.yield() }
      soup.react(names[8], on: .automatic) { _ in await Task.yield() }
      return soup.control
    }
    let text = control.description
    for (index, place) in [
      "task", "queue 'com.apple.root.default-qos'", "executor PoolExecutor", "loop ThreadLoop", "main",
      "actor DefaultTeller", "inline", "pool", "Swift's pool",
    ].enumerated() {
      #expect(text.contains("reaction n\(index) on \(place) ("))
    }
  }
}
