import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4, the other outcomes: a caller that gets no reply gets exactly one error, and never waits for ever.
@Suite(.watched, .serialized)
struct `Calls without a reply` {
  @Test(arguments: Run.setups)
  func `A call throws neverReplied when the body drops it`(setup: Setup) async throws {
    let drop = Soup.define("drop", with: .init(matcher: setup.matcher)) { soup in
      let drop = soup.fast("drop", of: Int.self, returning: Int.self)
      soup.react(drop, on: setup.placement) { call in _ = call.input }
      return drop
    }
    await #expect(throws: CallError.neverReplied) { try await drop(1) }
    await #expect(throws: CallError.neverReplied) { try await onThread { try drop.blocking(2) } }
  }

  @Test(arguments: Run.setups)
  func `A call throws neverReplied when the state that kept it drops it`(setup: Setup) async throws {
    let (ask, forget) = Soup.define("keep", with: .init(matcher: setup.matcher)) { soup in
      let kept = soup.state("kept", [Call<Void, Int>]())
      let ask = soup.fast("ask", returning: Int.self)
      let forget = soup.slow("forget")
      soup.react(state: kept, ask, on: setup.placement) { kept, call in kept.append(call) }
      soup.react(state: kept, forget, on: setup.placement) { kept, _ in kept = [] }
      return (ask, forget)
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

  @Test(arguments: Run.setups)
  func `Every call among many has an outcome, with a reply or without one`(setup: Setup) async throws {
    let rounds = scaled(500)
    let maybe = Soup.define("maybe", with: .init(matcher: setup.matcher)) { soup in
      let maybe = soup.fast("maybe", of: Int.self, returning: Int.self)
      soup.react(maybe, on: setup.placement) { call in if call.input % 3 != 0 { call.reply(call.input) } }
      return maybe
    }
    let wrong = Tally()
    try await onThreads(8) { thread in
      for round in 0..<rounds {
        let n = round * 8 + thread
        do throws(CallError) {
          if try maybe.blocking(n) != n || n % 3 == 0 { wrong.add() }
        } catch {
          if error != .neverReplied || n % 3 != 0 { wrong.add() }
        }
      }
    }
    #expect(wrong.count == 0)
  }

  @Test(arguments: matchers)
  func `A soup that is gone destroys the values of injections and calls`(matcher: Matcher) async throws {
    let census = Census()
    let slow: Injector<Live>
    let fast: FastInjector<Live, Live>
    do {
      var smuggled: (Injector<Live>, FastInjector<Live, Live>)?
      let _: Injector<Live> = Soup.define("gone", with: .init(matcher: matcher)) { soup in
        let slow = soup.slow("slow", of: Live.self)
        let fast = soup.fast("fast", of: Live.self, returning: Live.self)
        soup.react(slow, fast) { value, call in call.reply(value) }
        smuggled = (slow, fast)
        return slow
      }
      (slow, fast) = smuggled!
    }
    slow(census.live())
    await #expect(throws: CallError.gone) { try await fast(census.live()) }
    await #expect(throws: CallError.gone) { try await onThread { try fast.blocking(census.live()) } }
    await #expect(throws: CallError.gone) { try await fast.owning()(census.live()) }
    #expect(census.born == 4)
    await census.expectExtinction()
  }
}
