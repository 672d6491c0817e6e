import Crucible
import CrucibleTestSupport
import Testing

/// Contract 7: a soup lives as long as an owning name or a running body. Then it is gone, once and without a leak.
@Suite(.watched, .serialized)
struct `Lifetime` {
  @Test(arguments: Run.setups)
  func `Waiting values, states and captured objects end with their soup`(setup: Setup) {
    let census = Census()
    for backlog in [0, 1, 10, 1000, 5000] {
      var owner: Soup.Control? = Soup.define("owner", with: .init(matcher: setup.matcher)) { soup in
        let captured = census.live()
        let state = soup.state("state", [census.live(), census.live()])
        let a = soup.slow("a", of: Live.self)
        let never = soup.slow("never", of: (Int, Live).self)
        soup.react(state: state, a, never, on: setup.placement) { _, _, _ in withExtendedLifetime(captured) {} }
        // The definition holds one half of it. The other half waits in the bags.
        for n in 0..<backlog { a(census.live(n)) }
        return soup.control
      }
      #expect(census.alive == 3 + backlog, "the soup keeps all values")
      withExtendedLifetime(owner) {}
      owner = nil
      #expect(census.alive == 0, "the end of the soup destroys all values")
    }
  }

  @Test(arguments: Run.setups)
  func `Each value ends once, wherever it is in a bag`(setup: Setup) async {
    let (census, consumed) = (Census(), Tally())
    do {
      let (a, b) = Soup.define("worn", with: .init(matcher: setup.matcher)) { soup in
        let a = soup.slow("a", of: Live.self)
        let b = soup.slow("b", of: (Live, Line).self)
        soup.react(a, b, on: setup.placement) { _, _ in consumed.add() }
        return (a, b)
      }
      // The bags grow, drain and grow again, so that some of their memory has been used before.
      for _ in 0..<3000 { a(census.live()) }
      for _ in 0..<3500 { b((census.live(), Line(filledWith: 1))) }
      for _ in 0..<1700 { a(census.live()) }
    }
    await census.expectExtinction()
    #expect(consumed.count == 3500)
    #expect(census.born == 8200)
  }

  @Test(arguments: matchers)
  func `A soup ends with the last of its names, whatever else refers to it`(matcher: Matcher) {
    let census = Census()
    var names: [Injector<Int>] = keeping(census.live(), matcher)
    names.removeLast()
    #expect(census.alive == 1)
    #expect(names[0](1))
    names = []
    #expect(census.alive == 0)
  }

  @Test(arguments: matchers)
  func `A name that left in the owning form prolongs the life of its soup`(matcher: Matcher) {
    let census = Census()
    var escaped: Injector<Int>?
    var borrowed: Injector<Int>?
    do {
      let captured = census.live()
      let _: Injector<Int> = Soup.define("escape", with: .init(matcher: matcher)) { soup in
        let a = soup.slow("a", of: Int.self)
        soup.react(a, on: .inline) { _ in withExtendedLifetime(captured) {} }
        escaped = a.owning()
        borrowed = a
        return a
      }
    }
    #expect(census.alive == 1)
    #expect(borrowed!(1))
    #expect(escaped!(1))
    escaped = nil
    #expect(census.alive == 0)
    #expect(!borrowed!(1), "the soup is gone for a name that does not own it")
  }

  @Test(arguments: Run.setups)
  func `A running body prolongs the life of its soup`(setup: Setup) async throws {
    let (census, entered, leave) = (Census(), Gate(), Gate())
    let (finished, injected) = (Gate(), Log<Bool>())
    let owner: Shared<Injector<Void>> = Shared(
      Soup.define("running", with: .init(matcher: setup.matcher)) { soup in
        let live = census.live()
        let go = soup.slow("go")
        let next = soup.slow("next")
        soup.react(go, on: setup.placement) { _ in
          entered.open()
          leave.waitBlocking()
          injected.append(next())
          withExtendedLifetime(live) {}
        }
        soup.react(next, on: setup.placement) { _ in finished.open() }
        return go
      })
    // The name is released with its only call. On the pool, the body runs meanwhile.
    async let thread = onThread { owner.take()?() }
    await entered.wait()
    #expect(census.alive == 1)
    leave.open()
    await finished.wait()
    _ = try await thread
    #expect(injected.all == [true])
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `A soup that only works for itself ends when it has nothing left to do`(setup: Setup) async {
    let (census, last) = (Census(), Gate())
    do {
      let countdown: Injector<(Int, Live)> = Soup.define("countdown", with: .init(matcher: setup.matcher)) { soup in
        let captured = census.live()
        let countdown = soup.slow("countdown", of: (Int, Live).self)
        soup.react(countdown, on: setup.placement) { n, live in
          withExtendedLifetime(captured) {}
          if n > 0 { countdown((n - 1, live)) } else { last.open() }
        }
        return countdown
      }
      countdown((10_000, census.live()))
    }
    await last.wait()
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `A soup ends although names of it wait in it`(matcher: Matcher) {
    let census = Census()
    do {
      let _: Soup.Control = Soup.define("inward", with: .init(matcher: matcher)) { soup in
        let captured = census.live()
        let name = soup.slow("name", of: Injector<Live>.self)
        let a = soup.slow("a", of: Live.self)
        soup.react(name, a) { name, live in
          withExtendedLifetime(captured) {}
          name(live)
        }
        name(a)
        return soup.control
      }
    }
    #expect(census.alive == 0)
  }

  @Test(arguments: Run.setups)
  func `Soups end while eight threads release them and inject`(setup: Setup) async throws {
    let census = Census()
    let results = try await onThreads(8) { thread in (0..<scaled(200)).map { _ in useOnce(setup, census) }.reduce(0, +)
    }
    #expect(results.reduce(0, +) == 8 * scaled(200) * 3)
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `A soup ends under names that are called at that moment`(matcher: Matcher) async throws {
    let census = Census()
    let rounds = scaled(300)
    let meeting = Rendezvous(3)
    let (mistakes, owner) = (Tally(), Shared<Soup.Control>(nil))
    let borrowed = Shared<Injector<Live>>(nil)
    try await onThreads(3) { thread in
      for round in 0..<rounds {
        if thread == 0 {
          let control: Soup.Control = Soup.define("moment", with: .init(matcher: matcher)) { soup in
            let a = soup.slow("a", of: Live.self)
            let b = soup.slow("b", of: Live.self)
            soup.react(a, b, on: .inline) { _, _ in }
            borrowed.put(a)
            return soup.control
          }
          owner.put(control)
        }
        meeting.meet()
        if thread == 0 {
          _ = owner.take()
        } else {
          // Calls before, during and after the end return true until one returns false, and then false for ever.
          let name = borrowed.value!
          var refused = false
          for n in 0..<20 {
            let accepted = name(census.live(n))
            if accepted && refused { mistakes.add() }
            refused = !accepted
          }
        }
        meeting.meet()
        if thread == 1, borrowed.value!(census.live(round)) { mistakes.add() }
        meeting.meet()
      }
    }
    #expect(mistakes.count == 0)
    await census.expectExtinction()
  }
}

/// Makes one soup, and returns two of its names in an array, which keep it.
private func keeping(_ live: Live, _ matcher: Matcher) -> [Injector<Int>] {
  Soup.define("kept", with: .init(matcher: matcher)) { soup in
    let a = soup.slow("a", of: Int.self)
    let b = soup.slow("b", of: Int.self)
    soup.react(a, b) { _, _ in withExtendedLifetime(live) {} }
    return [a, b]
  }
}

/// Makes a soup, injects three molecules, and releases it. Returns the number of accepted molecules.
private func useOnce(_ setup: Setup, _ census: Census) -> Int {
  let (a, b) = Soup.define("once", with: .init(matcher: setup.matcher)) { soup in
    let a = soup.slow("a", of: Live.self)
    let b = soup.slow("b", of: Live.self)
    soup.react(a, b, on: setup.placement) { x, y in withExtendedLifetime((x, y)) {} }
    return (a, b)
  }
  return [a(census.live()), b(census.live()), a(census.live())].count { $0 }
}
