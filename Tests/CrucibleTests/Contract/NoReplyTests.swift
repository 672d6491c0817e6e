import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4, the other outcomes: a caller that gets no reply gets exactly one error, and never waits for ever.
@Suite(.watched, .serialized)
struct `Calls without a reply` {
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
