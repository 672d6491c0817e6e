import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Foundation
import Glibc
import Testing

/// Contract 4, `.timedOut`: a limit covers the match and the reply. A molecule that still waits is withdrawn. A body
/// that has it learns that the caller has gone.
@Suite(.watched, .serialized)
struct `Deadlines` {
  @Test(arguments: Run.setups, CallForm.allCases)
  func `A call that finds no partner withdraws its molecule at its deadline`(setup: Setup, form: CallForm) async {
    let (census, bodies) = (Census(), Tally())
    let (ask, partner, control) = setup.react(fast("ask", of: Live.self, returning: Int.self), slow("partner")) {
      call, _ in
      bodies.add()
      call.reply(1)
    }
    // The first limit is a wait by the system's clock, which only time ends.
    let limits: [Duration] = [.milliseconds(1), .zero, .nanoseconds(-1), .seconds(Int64.min)]
    for limit in limits { #expect(await ask.outcome(census.live(), within: limit, form) == .failure(.timedOut)) }
    let snapshot = control.snapshot()
    #expect(snapshot[ask] == 0)
    #expect(snapshot.waitingCallers == 0 && control.explain().callers.isEmpty)
    #expect(snapshot.withdrawn == limits.count)
    #expect(census.born == limits.count)
    await census.expectExtinction()
    partner()
    await control.settle()
    #expect(bodies.count == 0)
    #expect(control.snapshot()[partner] == 1)
    #expect(await ask.outcome(census.live(), within: patience, form) == .success(1), "the partner still waits")
  }

  @Test(arguments: Run.setups, CallForm.allCases)
  func `A deadline ends the wait for a reply, and a later reply returns false`(setup: Setup, form: CallForm) async {
    let (kept, clock) = (Log<Call<Int, Int>>(), ManualClock())
    let (ask, token, control) = setup.with(clock: clock).react(
      fast("ask", of: Int.self, returning: Int.self), slow("token")
    ) { call, _ in kept.append(call) }
    token()
    #expect(await clock.expire { await ask.outcome(1, within: $0, form) } == .failure(.timedOut))
    await control.settle()
    #expect(kept.all.map(\.input) == [1], "the reaction reserved the call at once")
    #expect(control.snapshot()[token] == 0)
    #expect(!kept.all[0].reply(-1))
    #expect(!kept.all[0].reply(-1))
    token()
    async let second = ask.outcome(2, within: .seconds(1), form)
    while kept.count < 2 { await Task.yield() }
    #expect(kept.all[1].reply(-2))
    #expect(await second == .success(-2))
  }

  @Test(arguments: Run.setups, WayToGiveUp.allCases)
  func `A body learns from its reply that its caller gave up`(setup: Setup, way: WayToGiveUp) async throws {
    let (clock, hasBegun, isOver, told) = (ManualClock(), Gate(), Gate(), Log<Bool>())
    let (ask, token, control) = setup.with(clock: clock).define(fast("ask", returning: Int.self), slow("token")) {
      soup, ask, token in
      soup.react(ask, token) { call, _ in
        hasBegun.open()
        isOver.waitBlocking()
        told.append(call.reply(1))
        if !told.all[0] { token() }
      }
    }
    // On another thread, because a body placed inline waits for the caller.
    async let injection: Void = onThread {
      while control.snapshot()[ask] == 0 { sched_yield() }
      token()
    }
    #expect(await way.giveUp(ask, (), by: clock, once: hasBegun.wait) == .failure(way.error))
    isOver.open()
    try await injection
    await control.settle()
    let snapshot = control.snapshot()
    #expect(told.all == [false] && snapshot[ask] == 0 && snapshot.withdrawn == 0)
    #expect(snapshot[token] == 1, "the body has put the token back")
  }

  @Test(arguments: matchers, CallForm.allCases)
  func `A call without time still gets a reply that comes at once`(matcher: Matcher, form: CallForm) async {
    let (double, control) = matcher.react(
      fast("double", of: Int.self, returning: Int.self), on: .inline, named: "double"
    ) { call in call.reply(2 * call.input) }
    for limit: Duration in [.zero, .nanoseconds(-1), .seconds(Int64.min), .nanoseconds(1)] {
      #expect(await double.outcome(3, within: limit, form) == .success(6))
    }
    #expect(control.snapshot().withdrawn == 0)
  }

  @Test(arguments: Run.setups, CallForm.allCases)
  func `A call never reaches the longest limits that can be expressed`(setup: Setup, form: CallForm) async {
    let (ask, partner, control) = setup.react(fast("ask", of: Int.self, returning: Int.self), slow("partner")) {
      call, _ in call.reply(-call.input)
    }
    let longest = Duration(secondsComponent: .max, attosecondsComponent: 999_999_999_999_999_999)
    let beyond63Bits = Duration.seconds(9_223_372_037)
    let beyond64Bits = Duration.seconds(1 << 55)  // 0 nanoseconds if they were cut off
    let limits = [.seconds(Int64.max), longest, .nanoseconds(Int64.max), beyond63Bits, beyond64Bits]
    for (number, limit) in limits.enumerated() {
      let isOver = Gate()
      let caller = Task {
        let outcome = await ask.outcome(number, within: limit, form)
        isOver.open()
        return outcome
      }
      while control.snapshot()[ask] == 0 && !isOver.isOpen { await Task.yield() }
      partner()
      #expect(await caller.value == .success(-number), "limit \(limit)")
    }
  }

  @Test(arguments: Run.setups, WayToGiveUp.allCases)
  func `A caller that gives up withdraws its own molecule, and no other`(setup: Setup, way: WayToGiveUp) async {
    let (census, clock) = (Census(), ManualClock())
    let (ask, partner, control) = setup.with(clock: clock).react(
      fast("ask", of: Live.self, returning: Int.self), slow("partner", of: Int.self)
    ) { call, n in call.reply(10 * n + call.input.number) }
    for middle in 0..<3 {
      let allWait = Gate()
      var callers: [Task<Result<Int, CallError>, Never>] = []
      for number in 0..<3 {
        callers.append(
          Task {
            if number != middle { return await ask.outcome(census.live(number), .allCases[number % 2]) }
            return await way.giveUp(ask, census.live(number), by: clock, once: allWait.wait)
          })
        await control.callers(number + 1)
      }
      allWait.open()
      #expect(await callers.remove(at: middle).value == .failure(way.error))
      #expect(control.snapshot()[ask] == 2 && control.snapshot().withdrawn == middle + 1)
      for (n, other) in [0, 1, 2].filter({ $0 != middle }).enumerated() {
        partner(n)
        #expect(await callers[n].value == .success(10 * n + other))
      }
    }
    partner(3)
    await control.settle()
    #expect(control.snapshot()[partner] == 1, "no caller is left for the last partner")
    await census.expectExtinction()
  }

  @Test(arguments: matcherNames, [false, true])
  func `A call times out while the pool has no thread free for the reserved body`(matcher: String, goesOn: Bool) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String, goesOn = goesOn as Bool] in
      Watchdog.guardProcess("blocked pool", workers: 2)
      let (areBlocked, mayGoOn) = (Latch(2), Gate())
      let (block, _) = Soup.Options().react(slow("block"), on: .pool) { _ in
        areBlocked.countDown()
        mayGoOn.waitBlocking()
      }
      for _ in 0..<2 { block() }
      await areBlocked.wait()

      let told = Log<Bool>()
      let (ask, token, control) = Matcher(matcher)!.define(
        fast("ask", of: Int.self, returning: Int.self), slow("token")
      ) { soup, ask, token in
        soup.react(ask, token, on: .pool) { call, _ in
          let isDelivered = call.reply(-call.input)
          told.append(isDelivered)
          if !isDelivered { token() }
        }
      }
      token()
      // By the system's clock, because a task that waits for another clock needs a thread of the pool.
      #expect(await ask.outcome(1, within: .milliseconds(1), .suspending) == .failure(.timedOut))
      #expect(control.snapshot()[ask] == 0)
      #expect(control.snapshot()[token] == 0)
      #expect(control.snapshot().reserved == 1)
      // One of these two is withdrawn, and the reserved body takes the other.
      #expect(await ask.outcome(2, within: .milliseconds(1), .blocking) == .failure(.timedOut))
      #expect(control.snapshot()[ask] == 0)
      #expect(control.snapshot().withdrawn == 1)
      let patient = goesOn ? Task { await ask.outcome(3) } : nil
      while goesOn && control.snapshot()[ask] + control.snapshot().withdrawn < 2 { await Task.yield() }
      #expect(told.count == 0)
      mayGoOn.open()
      #expect(await patient?.value == (goesOn ? .success(-3) : nil))
      await control.settle()
      let snapshot = control.snapshot()
      #expect(snapshot[ask] == 0)
      #expect(snapshot[token] == (goesOn ? 0 : 1))
      #expect(told.all.filter { $0 }.count == (goesOn ? 1 : 0))
      #expect(snapshot.withdrawn + told.all.filter { !$0 }.count == 2)
    }
  }

  @Test(arguments: matcherNames)
  func `Calls that time out or are answered, and retries that pause, share one alarm thread`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("many alarms")
      let (matcher, failures) = (Matcher(matcher)!, Tally())
      let (ask, _, mute) = matcher.react(fast("ask", returning: Int.self), slow("partner")) { call, _ in call.reply(1) }
      let (echo, _) = matcher.react(fast("echo", of: Int.self, returning: Int.self)) { call async in
        await Task.yield()
        call.reply(call.input)
      }
      let (job, jobs) = matcher.with(onError: { _ in failures.add() }).react(
        slow("job", of: Int.self), recovery: .retry(limit: 1, backoff: .milliseconds(50))
      ) { _ in throw CancellationError() }
      for n in 0..<2000 { job(n) }
      let most = await withTaskGroup(of: Int.self) { group in
        for n in 0..<2000 {
          group.addTask {
            for _ in 0..<3 { #expect(await echo.outcome(n, within: patience) == .success(n)) }
            #expect(await ask.outcome(within: .milliseconds(200)) == .failure(.timedOut))
            return threadCount()
          }
        }
        return await group.reduce(0) { max($0, $1) }
      }
      await jobs.settle()
      #expect(most < 16, "threads are only those of alarms, of Swift concurrency and of the pool")
      #expect(mute.snapshot().withdrawn == 2000 && failures.count == 2000)
    }
  }
}

/// The number of threads of this process.
private func threadCount() -> Int {
  try! FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count
}
