import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `A compound that is stopped` {
  @Test(arguments: Waiter.all, matchers)
  func `A caller of a compound that gives up leaves nothing behind`(waiter: Waiter, matcher: Matcher) async throws {
    try await waiter.expectNothingBehind(matcher)
  }

  @Test(arguments: Waiter.ofSynchronisation + Waiter.ofTiming + Waiter.ofChannels, matchers)
  func `A caller that waits in a compound gets .stopped at its stop`(waiter: Waiter, matcher: Matcher) async throws {
    let (control, call) = try await waiter.make(.init(matcher: matcher))
    let caller = Task { await call(nil, .suspending) }
    await control.callers(1)
    await control.stop(within: patience)
    #expect(await caller.value == .stopped)
  }

  /// The last owner of a compound goes while its closure works, or as its caller gives up.
  @Test func `A compound that is let go warns of none of its own names`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("let compounds go")
      let log = Log<Soup.Warning>()
      Soup.Warning.log = { log.append($0) }
      for matcher in matchers {
        let options = Soup.Options(matcher: matcher)
        for waiter in Waiter.all { try await waiter.expectNothingBehind(matcher) }
        for call in Self.calls(of: options) {
          let (hasBegun, mayEnd) = (Gate(), Gate())
          let caller = Task {
            _ = await call {
              hasBegun.open()
              await mayEnd.wait()
              return 1
            }
          }
          await hasBegun.wait()
          caller.cancel()
          await caller.value
          mayEnd.open()
        }
        await eventually("all soups are gone: \(Soup.all.definitions)") { Soup.all.count == 0 }
      }
      #expect(log.all.filter { $0.kind == .gone } == [])
    }
  }

  /// The stop comes while the first body of a compound runs, the second, or one of the next.
  @Test func `A caller that a stop meets while bodies of a compound hand its call on gets .stopped`() async {
    for matcher in matchers {
      for number in Self.asks(of: .init()).indices {
        for last in 1...5 {
          let begun = Tally()
          let options = Soup.Options(
            matcher: matcher,
            observer: { event in
              guard case .started = event.kind, begun.add() == last else { return }
              _ = Soup.all.controls.first { "\($0)".hasPrefix("\(event.soup)") }?.stopElsewhere()
            })
          let error = await Self.asks(of: options)[number]()
          #expect(error == nil || error == .stopped, "call \(number), body \(last), \(matcher)")
        }
      }
    }
  }

  /// Calls of new compounds that have to do some work. Each returns the error of its call.
  private static func calls(
    of options: Soup.Options
  ) -> [@Sendable (@escaping @Sendable () async -> Int) async -> CallError?] {
    [
      { work in await Generator<Int>(options: options) { try await $0(await work()) }.next.outcome().error },
      { work in await Coroutine<Int, Int>(options: options) { try await $1(await work()) }.next.outcome(1).error },
      { work in
        await Cache<Int, Int>(options: .init(observer: options.observer)) { _ in await work() }.value.outcome(1).error
      },
      { work in await Once(options: options) { await work() }.value.outcome().error },
      { work in await Promise(options: options) { await work() }.value.outcome().error },
      { work in await ConnectionPool(limit: 1, options: options) { await work() }.take.outcome().error },
    ]
  }

  /// These calls with short work, and questions to new agents.
  private static func asks(of options: Soup.Options) -> [@Sendable () async -> CallError?] {
    @Sendable func ask(_ agent: some Recipient<Int>) async -> CallError? {
      do throws(CallError) { _ = try await agent.ask { $0 } } catch { return error }
      return nil
    }
    return calls(of: options).map { call in { @Sendable in await call { 1 } } } + [
      { await ask(Agent(options: options) { 1 }) }, { await ask(AsyncAgent(options: options) { 1 }) },
      { await ask(AgentPool(members: 1, options: options) { 1 }) },
    ]
  }

  /// Both the writer that gives up and the last reader that leaves act before the pause ends.
  @Test(arguments: matchers)
  func `A writer that gave up as the last reader left lets no later one in early`(matcher: Matcher) async throws {
    let lock = ReadWriteLock(options: .init(matcher: matcher))
    for _ in 0..<20 {
      try await lock.enter(.reading)
      let first = Task { await lock.enter.outcome(.writing) }
      await lock.control.callers(1)
      await lock.control.expectRest(["next 1", "room 1"])
      lock.control.pause()
      lock.leave(.reading)
      first.cancel()
      await #expect(throws: CallError.cancelled) { try await first.value.get() }
      await lock.control.expectContents(["leave 1", "gave up 1", "room 1"])
      lock.control.resume()
      try await lock.enter(.reading)
      let second = Task { await lock.enter.outcome(.writing) }
      await lock.control.callers(1)
      await lock.control.settle()
      await #expect(throws: CallError.timedOut) { try await lock.enter(.reading, within: .zero) }
      #expect(lock.control.explain().callers.count == 1)
      lock.leave(.reading)
      try await second.value.get()
      lock.leave(.writing)
    }
  }
}

extension Result where Failure == CallError {
  fileprivate var error: CallError? { if case .failure(let error) = self { error } else { nil } }
}
