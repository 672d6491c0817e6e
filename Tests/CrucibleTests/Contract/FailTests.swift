import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 4, `.failed` without a throw: `call.fail(error)`.
@Suite(.watched, .serialized)
struct `A call that a body fails` {
  @Test(arguments: Run.setups, WayToCall.allCases)
  func `A caller gets the error with which a body fails its call`(setup: Setup, way: WayToCall) async {
    for isAsync in [false, true] { await failOne(setup, way, isAsync: isAsync) }
  }

  private func failOne(_ setup: Setup, _ way: WayToCall, isAsync: Bool) async {
    let (reported, went) = (Tally(), Tally())
    let options = Soup.Options(matcher: setup.matcher, placement: setup.placement, onError: { _ in reported.add() })
    let (divide, control) = options.define(fast("divide", of: Int.self, returning: Int.self)) { soup, divide in
      let body: @Sendable (Call<Int, Int>) -> Void = { call in
        if call.input == 0 { #expect(call.fail(Wrong(7)) && !call.isAwaited) }
        #expect(call.reply(call.input) == (call.input != 0), "only the first outcome counts")
        #expect(!call.fail(Wrong(8)), "only the first outcome counts")
        went.add()
      }
      if isAsync {
        soup.react(divide) { call async throws in body(call) }
      } else {
        soup.react(divide) { call in body(call) }
      }
    }
    #expect(await way.call(divide, 0) == .failure(.failed(Wrong(7))))
    #expect(await way.call(divide, 3) == .success(3))
    await control.settle()
    #expect(went.count == 2)
    #expect(reported.count == 0)
  }

  @Test(arguments: Run.setups)
  func `A failed call keeps its error if the body throws another one, which is reported`(setup: Setup) async throws {
    let reported = Log<String>()
    let options = Soup.Options(
      matcher: setup.matcher, placement: setup.placement, onError: { reported.append("\($0.error)") })
    let (ask, control) = options.react(fast("ask", returning: Int.self)) { call in
      call.fail(Wrong(1))
      throw Wrong(2)
    }
    await #expect(throws: CallError.failed(Wrong(1))) { try await ask() }
    await control.settle()
    #expect(reported.all == ["\(Wrong(2))"])
  }

  @Test(arguments: Run.setups)
  func `A body cannot fail a call after its caller has given up`(setup: Setup) async {
    let (kept, clock) = (Shared<Call<Void, Int>>(nil), ManualClock())
    let options = Soup.Options(matcher: setup.matcher, placement: setup.placement, clock: clock)
    let (ask, _) = options.react(fast("ask", returning: Int.self)) { call in kept.put(call) }
    #expect(await clock.expire { await ask.outcome(within: $0) } == .failure(.timedOut))
    while kept.value == nil { await Task.yield() }
    #expect(!kept.take()!.fail(Wrong(1)))
  }

  @Test(arguments: Run.setups)
  func `A call that a body fails twice destroys each error once`(setup: Setup) async {
    struct Heavy: Error { let value: Live }
    let census = Census()
    let (ask, control) = setup.react(fast("ask", returning: Int.self)) { call in
      call.fail(Heavy(value: census.live()))
      call.fail(Heavy(value: census.live()))
    }
    for way in WayToCall.allCases {
      guard case .failure(.failed(is Heavy)) = await way.call(ask) else { fatalError("no error") }
    }
    await control.settle()  // a body may end after its caller
    #expect(census.born == 8)
    await census.expectExtinction()
  }

  @Test func `A call error describes its cause once, however many bodies have passed it on`() {
    let error = CallError.failed(CallError.failed(CallError.failed(Wrong(3))))
    #expect("\(error)" == "The call failed: \(Wrong(3))")
    #expect("\(CallError.failed(CallError.timedOut))" == "The call failed: There was no reply in time.")
  }
}

private struct Wrong: Error, Equatable {
  let number: Int
  init(_ number: Int) { self.number = number }
}
