import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Contract 7: a soup ends at the right time, and leaves nothing and no caller behind.
@Suite(.watched, .serialized)
struct `The end of a soup` {
  /// A worker keeps the hold of the firing that it has run, for the next firing that it reserves in the same soup.
  @Test(arguments: matchers)
  func `The end of a soup waits for firings that another soup's bodies reserved`(matcher: Matcher) async {
    for round in 0..<20 {
      let (census, done) = (Census(), Latch(2))
      let (last, other) = matcher.react(slow("last", of: Live.self), named: "other") { live in
        if live.number == 0 { done.countDown() }
      }
      let (chain, control) = matcher.define(slow("chain", of: Live.self), named: "chain") { soup, chain in
        soup.react(chain) { live in
          last(census.live(live.number))
          if live.number > 0 { chain(census.live(live.number - 1)) } else { done.countDown() }
        }
      }
      chain(census.live(100 + round))
      await done.wait()
      await control.settle()
      await other.settle()
      #expect(control.snapshot().pending == 0 && other.snapshot().pending == 0)
      await census.expectExtinction()
    }
  }

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

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `The end of a soup at the very moment of a call ends that call, with its reply or as gone`(
    setup: Setup, way: WayToCall
  ) async throws {
    let rounds = scaled(way == .blocking ? 1500 : 400)
    let (census, wrong, owner) = (Census(), Log<String>(), Shared<Soup.Control>(nil))
    let borrowed = Shared<[FastInjector<Live, Int>]>(nil)
    let meeting = Rendezvous(3)
    try await onThreads(3) { thread in
      for round in 0..<rounds {
        if thread == 0 {
          let control: Soup.Control = Soup.define("moment", with: .init(matcher: setup.matcher)) { soup in
            let answered = soup.fast("answered", of: Live.self, returning: Int.self)
            let waiting = soup.fast("waiting", of: Live.self, returning: Int.self)
            let never = soup.slow("never")
            soup.react(answered, on: setup.placement) { call in call.reply(call.input.number) }
            soup.react(waiting, never, on: setup.placement) { call, _ in call.reply(-1) }
            borrowed.put([answered, waiting])
            return soup.control
          }
          owner.put(control)
        }
        meeting.meet()
        if thread == 0 {
          for _ in 0..<round % 50 { sched_yield() }
          _ = owner.take()
        } else {
          do throws(CallError) {
            let number = try way.callFromThread(borrowed.value![thread - 1], census.live(round))
            if number != round || thread != 1 { wrong.append("\(thread) got \(number)") }
          } catch {
            if error != .gone { wrong.append("\(thread) got \(error)") }
          }
        }
        meeting.meet()
      }
    }
    #expect(wrong.all == [])
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `A caller that times out as its reply comes touches nothing of its soup`(matcher: Matcher) async throws {
    // AddressSanitizer reports any access to a soup that is gone.
    let clock = ContinuousClock()
    for round in 0..<scaled(500) {
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
}
