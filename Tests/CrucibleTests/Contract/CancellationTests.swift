import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4, `.cancelled`: cancelling a task that awaits a call ends the wait, as a deadline does.
@Suite(.watched, .serialized)
struct `Cancellation` {
  /// No limit, and a limit that is not reached.
  static let limits: [Duration?] = [nil, patience]

  @Test(arguments: Run.setups, limits)
  func `A task that is cancelled before its call injects nothing`(setup: Setup, limit: Duration?) async {
    let (census, bodies) = (Census(), Tally())
    let (ask, control) = setup.react(fast("ask", of: Live.self, returning: Int.self)) { call in
      bodies.add()
      call.reply(1)
    }
    let isCancelled = Gate()
    let caller = Task {
      await isCancelled.wait()
      return await ask.outcome(census.live(), within: limit)
    }
    caller.cancel()
    isCancelled.open()
    #expect(await caller.value == .failure(.cancelled))
    await control.settle()
    #expect(bodies.count == 0)
    #expect(control.snapshot().withdrawn == 0)
    #expect(census.born == 1)
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups, limits)
  func `A cancellation after the reply takes nothing back`(setup: Setup, limit: Duration?) async {
    let (outcome, rest) = await call(setup, limit) { call, cancel in
      call.reply(7)
      cancel()
    }
    #expect(outcome == .success(7))
    #expect(rest.withdrawn == 0)
  }

  @Test(arguments: Run.setups, limits)
  func `A body that cancels its caller learns whether it still waited`(setup: Setup, limit: Duration?) async {
    let told = Log<Bool>()
    let (outcome, rest) = await call(setup, limit) { call, cancel in
      cancel()
      told.append(call.reply(7))
    }
    #expect(told.count == 1)
    #expect(outcome == (told.all[0] ? .success(7) : .failure(.cancelled)))
    #expect(rest.withdrawn == 0, "a call that a body has is not withdrawn")
    #expect(rest["ask"] == 0)
  }

  @Test(arguments: Run.setups, limits)
  func `A body that cancels its caller and keeps the call ends the caller's wait`(setup: Setup, limit: Duration?) async
  {
    let kept = Log<Call<Void, Int>>()
    let (outcome, _) = await call(setup, limit) { call, cancel in
      kept.append(call)
      cancel()
    }
    #expect(outcome == .failure(.cancelled))
    #expect(kept.all.map { $0.reply(7) } == [false])
  }

  /// Makes one call, whose body can cancel the caller. Returns the outcome of the call, and a snapshot at rest.
  private func call(
    _ setup: Setup, _ limit: Duration?, _ body: @escaping @Sendable (Call<Void, Int>, () -> Void) -> Void
  ) async -> (Result<Int, CallError>, Soup.Snapshot) {
    let caller = Shared<Task<Result<Int, CallError>, Never>>(nil)
    let (ask, control) = setup.react(fast("ask", returning: Int.self)) { call in body(call) { caller.value!.cancel() } }
    let isKnown = Gate()
    caller.put(
      Task {
        await isKnown.wait()
        return await ask.outcome(within: limit)
      })
    isKnown.open()
    let outcome = await caller.value!.value
    await control.settle()
    return (outcome, control.snapshot())
  }
}
