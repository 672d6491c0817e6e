import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Contract 4, `.cancelled`: cancelling a task that awaits a call ends the wait, as a deadline does.
@Suite(.watched, .serialized)
struct `Cancellation` {
  /// No limit, and a limit that is not reached.
  static let limits: [Duration?] = [nil, patience]

  @Test(arguments: Run.setups, limits)
  func `A task that is cancelled before its call injects nothing`(setup: Setup, limit: Duration?) async {
    let (census, bodies) = (Census(), Tally())
    let (ask, control) = Soup.define("before", with: .init(matcher: setup.matcher)) { soup in
      let ask = soup.fast("ask", of: Live.self, returning: Int.self)
      soup.react(ask, on: setup.placement) { call in
        bodies.add()
        call.reply(1)
      }
      return (ask, soup.control)
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
  func `A cancelled caller withdraws its own waiting molecule, and no other`(setup: Setup, limit: Duration?) async {
    let census = Census()
    let (ask, partner, control) = Soup.define("queue", with: .init(matcher: setup.matcher)) { soup in
      let ask = soup.fast("ask", of: Live.self, returning: Int.self)
      let partner = soup.slow("partner", of: Int.self)
      soup.react(ask, partner, on: setup.placement) { call, n in call.reply(10 * n + call.input.number) }
      return (ask, partner, soup.control)
    }
    for middle in 0..<3 {
      var callers: [Task<Result<Int, CallError>, Never>] = []
      for number in 0..<3 {
        callers.append(Task { await ask.outcome(census.live(number), within: limit) })
        while control.snapshot()[ask] <= number { await Task.yield() }
      }
      let cancelled = callers.remove(at: middle)
      cancelled.cancel()
      #expect(await cancelled.value == .failure(.cancelled))
      #expect(control.snapshot()[ask] == 2)
      #expect(control.snapshot().withdrawn == middle + 1)
      for n in 1...2 {
        partner(n)
        await control.settle()
      }
      let others = [0, 1, 2].filter { $0 != middle }
      #expect(await callers[0].value == .success(10 + others[0]))
      #expect(await callers[1].value == .success(20 + others[1]))
    }
    partner(3)
    await control.settle()
    #expect(control.snapshot()[partner] == 1, "no caller is left for the last partner")
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups, limits)
  func `A body learns from its reply that its caller was cancelled`(setup: Setup, limit: Duration?) async throws {
    let (hasIt, mayReply, told) = (Gate(), Gate(), Log<Bool>())
    let (ask, token, control) = Soup.define("running", with: .init(matcher: setup.matcher)) { soup in
      let ask = soup.fast("ask", returning: Int.self)
      let token = soup.slow("token")
      soup.react(ask, token, on: setup.placement) { call, _ in
        hasIt.open()
        mayReply.waitBlocking()
        let isDelivered = call.reply(1)
        told.append(isDelivered)
        if !isDelivered { token() }
      }
      return (ask, token, soup.control)
    }
    let caller = Task { await ask.outcome(within: limit) }
    while control.snapshot()[ask] == 0 { await Task.yield() }
    // On another thread, because a body placed inline blocks.
    async let injecting: Void = onThread { _ = token() }
    await hasIt.wait()
    caller.cancel()
    #expect(await caller.value == .failure(.cancelled))
    mayReply.open()
    try await injecting
    await control.settle()
    #expect(told.all == [false])
    #expect(control.snapshot()[ask] == 0)
    #expect(control.snapshot()[token] == 1, "the body has put the token back")
    #expect(control.snapshot().withdrawn == 0)
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
    let (ask, control) = Soup.define("known", with: .init(matcher: setup.matcher)) { soup in
      let ask = soup.fast("ask", returning: Int.self)
      soup.react(ask, on: setup.placement) { call in body(call) { caller.value!.cancel() } }
      return (ask, soup.control)
    }
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

  @Test(arguments: Run.setups)
  func `A thousand callers that are cancelled at once leave nothing behind`(setup: Setup) async {
    let census = Census()
    let (ask, never, control) = Soup.define("thousand", with: .init(matcher: setup.matcher)) { soup in
      let ask = soup.fast("ask", of: Live.self, returning: Int.self)
      let never = soup.slow("never")
      soup.react(ask, never, on: setup.placement) { call, _ in call.reply(1) }
      return (ask, never, soup.control)
    }
    await withTaskGroup(of: Result<Int, CallError>.self) { group in
      for number in 0..<1000 {
        group.addTask { await ask.outcome(census.live(number), within: number % 2 == 0 ? nil : patience) }
      }
      while control.snapshot()[ask] < 1000 { await Task.yield() }
      group.cancelAll()
      for await outcome in group { #expect(outcome == .failure(.cancelled)) }
    }
    #expect(control.snapshot()[ask] == 0)
    #expect(control.snapshot().withdrawn == 1000)
    await census.expectExtinction()
    never()
    await control.settle()
    #expect(control.snapshot()[never] == 1)
  }
}

/// Contract 4: a call ends with its reply or an error. After an error its reaction, if any, learns of it.
@Suite(.watched, .serialized)
struct `Callers that may give up` {
  #if DEBUG
    /// The number of calls of each form on each setup.
    static let calls = scaled(4_000)
  #else
    /// The number of calls of each form on each setup, a million in all.
    static let calls = scaled(125_000)
  #endif

  @Test(arguments: Run.setups)
  func `Callers and bodies agree on every outcome when threads race their deadlines`(setup: Setup) async throws {
    try await racing(setup, seed: Run.seed(of: "threads and deadlines")) { race in
      try await onThreads(2) { _ in
        while let plan = race.nextCall() {
          let outcome = race.ask.blockingOutcome(race.census.live(plan.number), within: plan.limit)
          race.book.ended(plan.number, outcome, allowing: plan.limit == nil ? [] : [.timedOut])
        }
      }
    }
  }

  @Test(arguments: Run.setups)
  func `Callers and bodies agree on outcomes when tasks race deadlines and cancellation`(setup: Setup) async throws {
    try await racing(setup, seed: Run.seed(of: "tasks, deadlines and cancellation")) { race in
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<3 {
          group.addTask {
            while let plan = race.nextCall() { await call(plan, in: race) }
          }
        }
      }
      #expect(race.book.cancellations >= race.enough)
    }
  }

  @Test(arguments: Run.setups, CallForm.allCases)
  func `A thousand callers that give up leave nothing behind in a narrow field that spills`(
    setup: Setup, form: CallForm
  ) async throws {
    let seed = Run.seed(of: "a thousand callers")
    let census = Census()
    let book = CallBook(count: 1100)
    let unused = Tally()
    let (ask, token, control) = Soup.define("thousand", with: .init(matcher: setup.matcher, seed: seed)) { soup in
      let ask = soup.fast("ask", of: Live.self, returning: Live.self)
      let token = soup.slow("token")
      // Makes the component one of 31 names, so that the field of each holds one molecule only.
      let rest = soup.slow("rest", count: 29)
      soup.react([token] + rest, on: setup.placement) { _ in }
      soup.react(ask, token, on: setup.placement) { call, _ in
        let number = call.input.number
        let isDelivered = call.reply(census.live(CallBook.reply(to: number)))
        book.replied(to: number, isDelivered: isDelivered)
        if isDelivered { unused.add(-1) } else { token() }
      }
      return (ask, token, soup.control)
    }
    let isOver = Gate()
    async let feeding: Void = onThread {
      // First, half of the callers time out. Then tokens arrive for all remaining callers.
      while book.timeouts < 500 { sched_yield() }
      while !isOver.isOpen {
        if unused.count < 4 {
          unused.add()
          token()
        }
        sched_yield()
      }
    }
    // Every eleventh caller has no limit.
    @Sendable func limit(of number: Int) -> Duration? {
      var chance = Seeded(seed &+ UInt64(number))
      return number % 11 == 0 ? nil : .microseconds(Int64(chance.next() % 20_000))
    }
    await withTaskGroup(of: Void.self) { group in
      for number in 0..<1100 {
        group.addTask {
          let limit = limit(of: number)
          let outcome = await ask.outcome(census.live(number), within: limit, form)
          book.ended(number, outcome, allowing: limit == nil ? [] : [.timedOut])
        }
      }
    }
    isOver.open()
    try await feeding
    await control.settle()
    let balance = book.balance(of: 1100)
    #expect(balance.wrong == [])
    #expect(balance.delivered >= 100)
    #expect(balance.withdrawn + balance.refused >= 500)
    let snapshot = control.snapshot()
    #expect(snapshot[ask] == 0)
    #expect(snapshot.withdrawn == balance.withdrawn)
    #expect(snapshot[token] == unused.count)
    await census.expectExtinction()
  }

  private func call(_ plan: CallRace.Plan, in race: CallRace) async {
    let hasBegun = Tally()
    let caller = Task {
      hasBegun.add()
      return await race.ask.outcome(race.census.live(plan.number), within: plan.limit)
    }
    if let delay = plan.cancellation {
      while !plan.isCancelledEarly && hasBegun.count == 0 { await Task.yield() }
      spin(nanoseconds: delay)
      caller.cancel()
    }
    let errors: [CallError?] = [plan.limit.map { _ in .timedOut }, plan.cancellation.map { _ in .cancelled }]
    race.book.ended(plan.number, await caller.value, allowing: errors.compactMap(\.self))
  }

  /// Makes `callers` run the calls of a race, and checks the outcome.
  private func racing(_ setup: Setup, seed: UInt64, _ callers: (CallRace) async throws -> Void) async throws {
    let race = CallRace(calls: Self.calls, matcher: setup.matcher, placement: setup.placement, seed: seed)
    async let feeding: Void = onThread { race.feed() }
    try await callers(race)
    race.end()
    try await feeding
    await race.control.settle()

    let balance = race.book.balance(of: race.issued)
    #expect(balance.wrong == [])
    #expect(balance.delivered >= race.enough)
    #expect(balance.withdrawn >= race.enough)
    #expect(balance.refused >= race.enough)
    #expect(race.book.timeouts >= race.enough)
    let snapshot = race.control.snapshot()
    #expect(snapshot[race.ask] == 0)
    #expect(snapshot.waitingCallers == 0)
    #expect(snapshot[race.token] == race.tokensLeft)
    #expect(race.census.born == race.issued + balance.delivered + balance.refused)
    await race.census.expectExtinction()
  }
}
