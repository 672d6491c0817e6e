import Crucible
import CrucibleTestSupport
import Testing

/// Contract 7: a soup ends at the right time, and leaves nothing and no caller behind.
@Suite(.watched, .serialized)
struct `The end of a soup` {
  @Test(arguments: matchers)
  func `The end of a soup waits for its running bodies, and then destroys all that waits`(matcher: Matcher) async {
    let census = Census()
    let (entered, leave) = (Latch(2), Gate())
    let alive = Log<Int>()
    let owner = Shared<Injector<Live>>(
      Soup.define("running", with: .init(matcher: matcher)) { soup in
        let captured = census.live()
        let go = soup.slow("go", of: Live.self)
        let waiting = soup.slow("waiting", of: Live.self)
        let never = soup.slow("never")
        soup.react(go) { live in
          entered.countDown()
          leave.waitBlocking()
          // Neither the waiting values nor the captured ones have been destroyed.
          alive.append(census.alive)
          withExtendedLifetime((live, captured)) {}
        }
        soup.react(waiting, never) { _, _ in }
        for n in 0..<100 { waiting(census.live(n)) }
        return go
      })
    owner.value!(census.live())
    owner.value!(census.live())
    await entered.wait()
    _ = owner.take()
    #expect(census.alive == 103)
    leave.open()
    await census.expectExtinction()
    #expect(alive.all.max() == 103)
    #expect(alive.all.allSatisfy { $0 >= 102 }, "at most the other body's own value was destroyed")
  }

  @Test(arguments: Run.setups)
  func `The end of a soup waits for the reply to a caller whose molecule a body has`(setup: Setup) async throws {
    let (entered, leave) = (Gate(), Gate())
    let (borrowed, census) = (Shared<(FastInjector<Int, Int>, Injector<Void>)>(nil), Census())
    let owner = Shared<Soup.Control>(
      Soup.define("answering", with: .init(matcher: setup.matcher)) { soup in
        let captured = census.live()
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let go = soup.slow("go")
        soup.react(ask, go, on: setup.placement) { call, _ in
          entered.open()
          leave.waitBlocking()
          call.reply(call.input + captured.number + 1)
        }
        borrowed.put((ask, go))
        return soup.control
      })
    let (ask, go) = borrowed.value!
    async let reply = onThread { try ask.blocking(1) }
    while owner.value!.snapshot()[ask] == 0 { await Task.yield() }
    async let injector = onThread { go() }
    await entered.wait()
    _ = owner.take()
    #expect(census.alive == 1)
    leave.open()
    #expect(try await reply == 2)
    _ = try await injector
    await census.expectExtinction()
    #expect(!go())
  }

  @Test(arguments: matchers)
  func `A soup does not end as long as an owner waits for a reply`(matcher: Matcher) async throws {
    for way in WayToCall.allCases {
      let borrowed = Shared<(Injector<Void>, Soup.Control)>(nil)
      async let reply = onThread {
        // The called name is the only owner, and this call is its last use.
        let (ask, _, _) = matcher.define(
          fast("ask", of: Live.self, returning: Int.self), slow("go"), named: "only owner"
        ) { soup, ask, go in
          soup.react(ask, go, on: .inline) { call, _ in call.reply(call.input.number) }
          borrowed.put((go, soup.control))
        }
        return try way.callFromThread(ask, Census().live(5))
      }
      while borrowed.value.map({ $0.1.snapshot()["ask"] }) != 1 { await Task.yield() }
      #expect(borrowed.value!.0())
      #expect(try await reply == 5)
    }
  }

  @Test(arguments: matchers)
  func `A caller that times out as its reply comes touches nothing of its soup`(matcher: Matcher) async throws {
    // AddressSanitizer reports any access to a soup that is gone.
    let clock = ContinuousClock()
    for round in 0..<scaled(50) {
      let limit = Duration.microseconds(100 + round % 300)
      let (ask, _) = matcher.react(fast("ask", of: ContinuousClock.Instant.self, returning: Int.self)) { call in
        while clock.now < call.input {}
        call.reply(1)
      }
      do throws(CallError) {
        let reply = try await ask(clock.now + limit, within: limit)
        #expect(reply == 1)
      } catch {
        #expect(error == .timedOut)
      }
    }
  }
}
