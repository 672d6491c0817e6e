import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4, the other outcomes: a caller that gets no reply gets exactly one error, and never waits for ever.
@Suite(.watched, .serialized)
struct `Calls without a reply` {
  @Test(arguments: Run.setups)
  func `A call throws neverReplied when the body drops it`(setup: Setup) async throws {
    let (drop, control) = Soup.define("drop", with: .init(matcher: setup.matcher)) { soup in
      let drop = soup.fast("drop", of: Int.self, returning: Int.self)
      soup.react(drop, on: setup.placement) { call in _ = call.input }
      return (drop, soup.control)
    }
    Watchdog.watch(control)
    await #expect(throws: CallError.neverReplied) { try await drop(1) }
    await #expect(throws: CallError.neverReplied) { try await onThread { try drop.blocking(2) } }
  }

  @Test(arguments: Run.setups)
  func `A call throws neverReplied when the state that kept it drops it`(setup: Setup) async throws {
    let (ask, forget, control) = Soup.define("keep", with: .init(matcher: setup.matcher)) { soup in
      let kept = soup.state("kept", [Call<Void, Int>]())
      let ask = soup.fast("ask", returning: Int.self)
      let forget = soup.slow("forget")
      soup.react(state: kept, ask, on: setup.placement) { kept, call in kept.append(call) }
      soup.react(state: kept, forget, on: setup.placement) { kept, _ in kept = [] }
      return (ask, forget, soup.control)
    }
    Watchdog.watch(control)
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
    let (maybe, control) = Soup.define("maybe", with: .init(matcher: setup.matcher)) { soup in
      let maybe = soup.fast("maybe", of: Int.self, returning: Int.self)
      soup.react(maybe, on: setup.placement) { call in if call.input % 3 != 0 { call.reply(call.input) } }
      return (maybe, soup.control)
    }
    Watchdog.watch(control)
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
  func `A call throws gone when its soup has gone before`(matcher: Soup.Matcher) async throws {
    let (slow, fast) = smuggleNames(matcher)
    #expect(!slow(1))
    await #expect(throws: CallError.gone) { try await fast(1) }
    await #expect(throws: CallError.gone) { try await onThread { try fast.blocking(1) } }
    #expect(!slow.owning()(1), "owning a soup that is gone does not bring it back")
    await #expect(throws: CallError.gone) { try await fast.owning()(1) }
  }

  @Test(arguments: matchers)
  func `A call throws gone when its soup goes while it waits`(matcher: Soup.Matcher) async throws {
    for _ in 0..<scaled(50) {
      var smuggled: FastInjector<Void, Int>?
      var owner: Soup.Control? = Soup.define("going", with: .init(matcher: matcher)) { soup in
        let wait = soup.fast("wait", returning: Int.self)
        let never = soup.slow("never")
        soup.react(wait, never) { call, _ in call.reply(1) }
        smuggled = wait
        return soup.control
      }
      let wait = smuggled!
      async let task = wait.outcome()
      async let thread = wait.outcome(.blocking)
      while owner!.snapshot()[wait] < 2 { await Task.yield() }
      owner = nil
      #expect(await task == .failure(.gone))
      #expect(await thread == .failure(.gone))
    }
  }

  @Test(arguments: matchers)
  func `A soup that is gone destroys the values of injections and calls`(matcher: Soup.Matcher) async throws {
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
    #expect(census.born == 3)
    await census.expectExtinction()
  }

  private func smuggleNames(_ matcher: Soup.Matcher) -> (Injector<Int>, FastInjector<Int, Int>) {
    var smuggled: (Injector<Int>, FastInjector<Int, Int>)?
    let _: Injector<Int> = Soup.define("gone", with: .init(matcher: matcher)) { soup in
      let slow = soup.slow("slow", of: Int.self)
      let fast = soup.fast("fast", of: Int.self, returning: Int.self)
      soup.react(slow, fast) { _, call in call.reply(call.input) }
      smuggled = (slow, fast)
      return slow
    }
    return smuggled!
  }
}
