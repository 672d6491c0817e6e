import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Contract 4: the rules of a reply, seen from both ends of the call.
@Suite(.watched, .serialized)
struct `Fast molecules` {
  @Test(arguments: Run.setups)
  func `Several fast molecules in one reaction each get their own reply, even of one name`(setup: Setup) async throws {
    let (ask, tell, control) = setup.define(
      fast("ask", of: Int.self, returning: [Int].self), fast("tell", of: String.self, returning: String.self)
    ) { soup, ask, tell in
      soup.react(ask, tell, ask) { first, tell, second in
        // The last call gets the first reply. Replies contain the inputs of other calls.
        second.reply([second.input, first.input])
        tell.reply(tell.input + " told")
        first.reply([first.input, second.input])
      }
    }
    let asking = (1...2).map { number in Task { try await ask(number) } }
    await control.callers(2)
    #expect(try await tell("3") == "3 told")
    #expect(try await asking[0].value == [1, 2])
    #expect(try await asking[1].value == [2, 1])
  }

  @Test(arguments: Run.setups)
  func `A body goes on after its reply`(setup: Setup) async throws {
    let (goOn, ended, accepted) = (Gate(), Gate(), Log<Bool>())
    let (ask, go, control) = setup.react(fast("ask", returning: Int.self), slow("go")) { call, _ in
      accepted.append(call.reply(1))
      // Only the caller that has its reply opens this.
      goOn.waitBlocking()
      accepted.append(call.reply(2))
      ended.open()
    }
    // Another thread completes the reaction, so that an inline body does not run on the caller's.
    async let other = onThread {
      while control.snapshot()[ask] == 0 { sched_yield() }
      go()
    }
    #expect(try await ask() == 1)
    #expect(!ended.isOpen)
    goOn.open()
    await ended.wait()
    _ = try await other
    #expect(accepted.all == [true, false])
  }

  @Test(arguments: Run.setups)
  func `A kept call gets a reply after its soup is gone, or neverReplied when it is dropped`(setup: Setup) async {
    for isAnswered in [true, false] {
      let kept = Log<Call<Int, Int>>()
      let (borrowed, census) = (Shared<FastInjector<Int, Int>>(nil), Census())
      var owner: Soup.Control? = Soup.define("kept", with: .init(matcher: setup.matcher)) { soup in
        let captured = census.live()
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        soup.react(ask, on: setup.placement) { call in
          kept.append(call)
          withExtendedLifetime(captured) {}
        }
        borrowed.put(ask)
        return soup.control
      }
      let ask = borrowed.value!
      async let task = ask.outcome(20)
      async let thread = ask.outcome(20, .blocking)
      while kept.count < 2 { await Task.yield() }
      withExtendedLifetime(owner) {}
      owner = nil
      await census.expectExtinction()
      if isAnswered { for call in kept.all { #expect(call.reply(21)) } }
      _ = kept.takeAll()
      let expected: Result<Int, CallError> = isAnswered ? .success(21) : .failure(.neverReplied)
      #expect(await task == expected)
      #expect(await thread == expected)
    }
  }

  @Test(arguments: matchers)
  func `A call that waits in a molecule or a state throws gone when its soup goes`(matcher: Matcher) async {
    for isState in [true, false] {
      let (borrowed, taken) = (Shared<FastInjector<Void, Int>>(nil), Latch(2))
      var owner: Soup.Control? = Soup.define("kept within", with: .init(matcher: matcher)) { soup in
        let calls = soup.state("calls", [Call<Void, Int>]())
        let ask = soup.fast("ask", returning: Int.self)
        let kept = soup.slow("kept", of: Call<Void, Int>.self)
        let never = soup.slow("never")
        soup.react(state: calls, ask, on: .inline) { calls, call in
          if isState { calls.append(call) } else { kept(call) }
          taken.countDown()
        }
        soup.react(kept, never) { call, _ in call.reply(1) }
        borrowed.put(ask)
        return soup.control
      }
      let ask = borrowed.value!
      async let task = ask.outcome()
      async let thread = ask.outcome(.blocking)
      await taken.wait()
      await owner!.settle()
      owner = nil
      #expect(await task == .failure(.gone))
      #expect(await thread == .failure(.gone))
    }
  }

  @Test(arguments: Run.setups)
  func `A call throws neverReplied when the state that kept it drops it`(setup: Setup) async throws {
    let (ask, forget, _) = setup.define(fast("ask", returning: Int.self), slow("forget")) { soup, ask, forget in
      let kept = soup.state("kept", [Call<Void, Int>]())
      soup.react(state: kept, ask) { kept, call in kept.append(call) }
      soup.react(state: kept, forget) { kept, _ in kept = [] }
    }
    let done = Gate()
    async let forgetting: Void = {
      while !done.isOpen {
        forget()
        await Task.yield()
      }
    }()
    await #expect(throws: CallError.neverReplied) { try await ask() }
    await #expect(throws: CallError.neverReplied) { try await onThread { try ask.blocking() } }
    done.open()
    await forgetting
  }

  @Test(arguments: matchers)
  func `A soup that is gone destroys the values of injections and calls`(matcher: Matcher) async throws {
    let census = Census()
    let (put, ask, _, owner) = unowned(
      matcher.react(slow("put", of: Live.self), fast("ask", of: Live.self, returning: Live.self)) { $1.reply($0) })
    _ = owner.take()
    put(census.live())
    await #expect(throws: CallError.gone) { try await ask(census.live()) }
    await #expect(throws: CallError.gone) { try await onThread { try ask.blocking(census.live()) } }
    await #expect(throws: CallError.gone) { try await ask.owning()(census.live()) }
    #expect(census.born == 4)
    await census.expectExtinction()
  }

  @Test(arguments: matchers, [false, true])
  func `A body that throws fails the open calls of an array of fast names`(
    matcher: Matcher, grouped: Bool
  ) async throws {
    let (go, ask, control) = matcher.define(slow("go"), fast("ask", returning: Int.self, count: 3)) { soup, go, ask in
      let s = soup.state("s", 0)
      if grouped {
        soup.react(state: s, Soup.Group(go, ask)) { s, values throws in
          values.all.1[1].reply(s)
          s += 1
          throw Boom(1)
        }
      } else {
        soup.react(state: s, go, ask) { s, _, calls throws in
          calls[1].reply(s)
          s += 1
          throw Boom(1)
        }
      }
    }
    go()
    async let a = ask[0].outcome()
    async let b = ask[1].outcome()
    async let c = ask[2].outcome()
    let refused = Result<Int, CallError>.failure(.failed(Boom(1)))
    #expect(await [a, b, c] == [refused, .success(0), refused])
    await control.settle()
    #expect(control.snapshot()["s"] == 1)
  }

  @Test(arguments: matchers, [false, true])
  func `A dropped call of an array of fast names throws neverReplied`(matcher: Matcher, grouped: Bool) async throws {
    let (ask, a, _) = matcher.define(fast("ask", returning: Int.self, count: 2), slow("a", of: Int.self)) {
      soup, ask, a in
      if grouped {
        soup.react(Soup.Group(a, ask)) { values in values.all.1[0].reply(values.all.0) }
      } else {
        soup.react(a, ask) { a, calls in calls[0].reply(a) }
      }
    }
    a(7)
    async let first = ask[0]()
    async let second = ask[1].outcome()
    #expect(try await first == 7)
    #expect(await second == .failure(.neverReplied))
  }
}
