import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Glibc
import Testing

/// A body learns that its caller has given up, without polling.
@Suite(.watched, .serialized)
struct `A call whose caller gives up` {

  /// Makes a soup whose reaction passes each call to `body`, and keeps nothing.
  private func taking(
    _ setup: Setup, by clock: (any Clock<Duration>)? = nil, _ body: @escaping @Sendable (Call<Int, Int>) -> Void
  ) -> (FastInjector<Int, Int>, Soup.Control) {
    setup.with(clock: clock).react(fast("ask", of: Int.self, returning: Int.self), body)
  }

  @Test(arguments: Run.setups, WayToGiveUp.allCases)
  func `A call whose caller gives up runs each of its onAbandoned closures once`(setup: Setup, way: WayToGiveUp) async {
    let (isTaken, told, times) = (Gate(), Latch(2), Tally())
    let (kept, clock) = (Shared<Call<Int, Int>>(nil), ManualClock())
    let (ask, _) = taking(setup, by: clock) { call in
      kept.put(call)
      for _ in 0..<2 {
        call.onAbandoned {
          #expect(!call.isAwaited)
          times.add()
          told.countDown()
        }
      }
      isTaken.open()
    }
    #expect(await way.giveUp(ask, 1, by: clock, once: isTaken.wait) == .failure(way.error))
    await told.wait()
    #expect(!kept.take()!.reply(1))
    #expect(times.count == 2, "each of the two closures ran once")
  }

  @Test(arguments: Run.setups, WayToGiveUp.allCases)
  func `An onAbandoned closure runs at once, on the same thread, if its caller gave up before it was set`(
    setup: Setup, way: WayToGiveUp
  ) async throws {
    let (isTaken, kept, clock) = (Gate(), Shared<Call<Int, Int>>(nil), ManualClock())
    let (ask, _) = taking(setup, by: clock) { call in
      kept.put(call)
      isTaken.open()
    }
    #expect(await way.giveUp(ask, 1, by: clock, once: isTaken.wait) == .failure(way.error))
    await isTaken.wait()
    let call = kept.take()!
    #expect(await call.abandoned())
    try await onThread {
      let here = pthread_self()
      let isHere = Shared<Bool>(nil)
      call.onAbandoned { isHere.put(pthread_equal(here, pthread_self()) != 0) }
      #expect(isHere.value == true)
    }
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A call that ends with a reply or an error destroys its onAbandoned closures without running them`(
    setup: Setup, way: WayToCall
  ) async {
    let (census, times) = (Census(), Tally())
    let (ask, control) = taking(setup) { call in
      for _ in 0..<2 {
        let live = census.live()
        call.onAbandoned { times.add(live.number + call.input) }
        if call.input == 1 { call.reply(2) }
        if call.input == 2 { call.fail(CallError.cleared) }
      }
    }
    #expect(await way.call(ask, 1) == .success(2))
    #expect(await way.call(ask, 2) == .failure(.failed(CallError.cleared)))
    await control.settle()
    await census.expectExtinction()
    #expect(times.count == 0)
  }

  @Test(arguments: Run.setups, WayToGiveUp.allCases)
  func `A task that awaits abandoned() resumes when the caller gives up`(setup: Setup, way: WayToGiveUp) async {
    let (isTaken, results, clock) = (Gate(), Log<Bool>(), ManualClock())
    let (ask, control) = setup.with(clock: clock).react(fast("ask", of: Int.self, returning: Int.self)) { call async in
      isTaken.open()
      results.append(await call.abandoned())
      results.append(call.reply(1))
    }
    #expect(await way.giveUp(ask, 1, by: clock, once: isTaken.wait) == .failure(way.error))
    await control.settle()
    #expect(results.all == [true, false])
  }

  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A task that awaits abandoned() gets false when the call gets a reply`(setup: Setup, way: WayToCall) async {
    let results = Log<Bool>()
    let (ask, control) = setup.react(fast("ask", of: Int.self, returning: Int.self)) { call async in
      await withTaskGroup { group in
        group.addTask { results.append(await call.abandoned()) }
        group.addTask { _ = call.reply(4) }
      }
      let cancelled = Task {
        withUnsafeCurrentTask { $0!.cancel() }
        return await call.abandoned()
      }
      results.append(await cancelled.value)
    }
    #expect(await way.call(ask, 1) == .success(4))
    await control.settle()
    #expect(results.all == [false, false])
  }

  @Test(arguments: Run.setups)
  func `A task that awaits abandoned() stops waiting when it is cancelled`(setup: Setup) async {
    let kept = Shared<Call<Int, Int>>(nil)
    let (ask, _) = taking(setup) { call in kept.put(call) }
    let caller = Task { await ask.outcome(1) }
    while kept.value == nil { await Task.yield() }
    let call = kept.take()!
    let waiting = Task { await call.abandoned() }
    waiting.cancel()
    #expect(await !waiting.value)
    call.reply(3)
    #expect(await caller.value == .success(3))
  }

  @Test(arguments: Run.setups)
  func `A call is either answered or abandoned, never both`(setup: Setup) async throws {
    try await explore(schedules: 50, seed: 1) { world in
      let (answered, abandoned, replies, gaveUp) = (Tally(), Tally(), Tally(), Tally())
      let (ask, control) = taking(setup) { call in
        call.onAbandoned { abandoned.add() }
        world.point()
        if call.reply(1) { answered.add() }
      }
      for number in 1...3 {
        world.thread("\(number)") {
          let reply = try ask.blockingOutcome(number, within: .seconds(number)).inTime()
          (reply == nil ? gaveUp : replies).add()
        }
      }
      await world.quiet()
      // A withdrawn call never reached a body.
      #expect(answered.count == replies.count)
      #expect(abandoned.count == gaveUp.count - Int(control.snapshot().withdrawn))
    }
  }
}
