import Crucible
import CrucibleTestSupport
import Testing

/// A body has the context of its first input's injector, not that of another thread that lets its reaction fire.
@Suite(.watched, .serialized)
struct `The context of a body` {
  @Test(arguments: matchers, TaskBody.placed)
  func `A body that has a task has the context of its first input's injector, whichever thread lets it fire`(
    matcher: Matcher, body: TaskBody
  ) async throws {
    try await Self.expectFirst(matcher, body)
  }

  /// Runs in a process of its own. There the main thread blocks in no call, so it runs no body that would find the
  /// caller's values.
  @Test(arguments: matcherNames)
  func `A body on the main actor or on an actor has the context of its first input's injector`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("isolated")
      for body in [TaskBody.actor(DefaultTeller()), .actor(CustomTeller()), .main, .asyncMain] {
        try await Self.expectFirst(Matcher(matcher)!, body)
      }
    }
  }

  /// Injects one molecule of each name at a time, in alternating order: by tasks, by a thread, and into a paused soup.
  private static func expectFirst(_ matcher: Matcher, _ body: TaskBody) async throws {
    let seen = SeenContexts()
    let (one, a, b, control) = matcher.define(
      slow("one", of: Int.self), slow("a", of: Int.self), slow("b", of: Int.self), named: "first"
    ) { soup, one, a, b in
      body.react(in: soup, one) { x in seen.append(x) }
      body.react(in: soup, a, b) { x, _ in seen.append(x) }
    }
    let count = scaled(200)
    let injectBoth = { @Sendable (n: Int) in
      if n % 2 == 0 { inject(-n) { _ = b(0) } }
      inject(n) { _ = (one(n), a(n)) }
      if n % 2 == 1 { inject(-n) { _ = b(0) } }
    }
    for n in 1...count { injectBoth(n) }
    await control.settle()
    try await onThread { for n in count + 1...2 * count { injectBoth(n) } }
    await control.settle()
    let all = 1...2 * count + 20
    await paused(control) { for n in all.suffix(20) { injectBoth(n) } }
    seen.expect(Array(all) + Array(all))
  }

  @Test(arguments: matchers, TaskBody.placed)
  func `Each of many calls gives its body its own caller's context`(matcher: Matcher, body: TaskBody) async throws {
    let (ask, _) = matcher.define(fast("ask", of: Int.self, returning: Int.self)) { soup, ask in
      body.react(in: soup, ask) { call in call.reply(Context.number) }
    }
    // One thread makes the calls in order, so that no race of injectors decides which call is which.
    let replies = try await onThread {
      (1...scaled(500)).map { n in
        let (done, gate) = (Shared<Int>(nil), Gate())
        Context.$number.withValue(n) {
          _ = Task.immediate {
            done.put(try await ask(n))
            gate.open()
          }
        }
        return (n, done, gate)
      }
    }
    for (n, done, gate) in replies {
      await gate.wait()
      #expect(done.value == n)
    }
  }

  /// The first body's task may run on a thread of the pool, so its end could run the second body at once.
  @Test(arguments: matchers, [false, true])
  func `A synchronous body that another body's end enables has its own injector's context, and on the pool none`(
    matcher: Matcher, onPool: Bool
  ) async {
    let seen = Log<Int>()
    let (first, second, control) = matcher.define(slow("first", of: Gate.self), slow("second")) { soup, first, second in
      let state = soup.state("state", 0)
      soup.react(state: state, first, on: onPool ? .inline : .task) { state, gate in
        gate.waitBlocking()
        state += Context.number
      }
      soup.react(state: state, second, on: onPool ? .pool : .automatic) { _, _ in seen.append(Context.number) }
    }
    for _ in 0..<50 {
      let gate = Gate()
      let injecting = Context.$number.withValue(7) {
        Task(executorPreference: onPool ? Soup.Pool.executor : globalConcurrentExecutor) { _ = first(gate) }
      }
      while control.snapshot()["state"] == 1 { await Task.yield() }
      Context.$number.withValue(8) { _ = second() }
      gate.open()
      await injecting.value
      await control.settle()
    }
    #expect(seen.all == Array(repeating: onPool ? 0 : 8, count: 50))
  }

  @Test(arguments: matchers, TaskBody.placed)
  func `A body that has a task has its injector's priority`(matcher: Matcher, body: TaskBody) async {
    let seen = Log<TaskPriority>()
    let (go, control) = matcher.define(slow("go")) { soup, go in
      body.react(in: soup, go) { _ in seen.append(Task.basePriority ?? .medium) }
    }
    let priorities = [TaskPriority.high, .low, .background]
    for priority in priorities {
      await Task.detached(priority: priority) { _ = go() }.value
      await control.settle()
    }
    #expect(seen.all == priorities)
  }

  @Test(arguments: matchers, Place.all)
  func `A body's task is not cancelled with its caller, but its call ends`(matcher: Matcher, place: Place) async {
    let (begun, resume) = (Gate(), Gate())
    let seen = Log<Bool>()
    let (ask, control) = matcher.on(place.placement).react(fast("ask", returning: Int.self), named: "cancelled") {
      call in
      seen.append(call.isAwaited)
      begun.open()
      await resume.wait()
      seen.append(call.isAwaited)
      seen.append(Task.isCancelled)
      seen.append(call.reply(1))
    }
    let caller = Task { await ask.outcome() }
    await begun.wait()
    caller.cancel()
    #expect(await caller.value == .failure(.cancelled))
    resume.open()
    await control.settle()
    #expect(seen.all == [true, false, false, false])
  }
}

/// Calls run on the executor of their caller, without leaving it needlessly.
@Suite(.watched, .serialized)
struct `Calls from an actor` {
  @Test(arguments: matchers)
  func `A call from an actor costs no job inline, and one if it suspends`(matcher: Matcher) async throws {
    let teller = CustomTeller()
    let (now, later, go, control) = matcher.define(
      fast("now", returning: Int.self), fast("later", returning: Int.self), slow("go")
    ) { soup, now, later, go in
      soup.react(now, on: .inline) { call in call.reply(1) }
      soup.react(later, go, on: .inline) { call, _ in call.reply(2) }
    }
    let inline = try await teller.jobs { _ = try await now() }
    #expect(inline == 0)
    let limited = try await teller.jobs { _ = try await now(within: patience) }
    #expect(limited == 0)
    for limit in [nil, patience] {
      let helper = Task {
        while control.snapshot()[later] == 0 { await Task.yield() }
        // The caller has suspended once the actor's executor is free.
        _ = await teller.seen
        return go()
      }
      let suspended = try await teller.jobs {
        if let limit { _ = try await later(within: limit) } else { _ = try await later() }
      }
      #expect(await helper.value)
      #expect(suspended == 2, "one job is the call's own, the other is the helper's look")
    }
    await control.settle()
  }

  @Test(arguments: matchers) @MainActor
  func `A call from the main actor runs an inline body on the main thread`(matcher: Matcher) async throws {
    let (ask, _) = matcher.react(fast("ask", returning: Bool.self), on: .inline) { call in
      MainActor.assertIsolated()
      call.reply(true)
    }
    #expect(try await ask())
    #expect(try await ask(within: patience))
  }
}

extension CustomTeller {
  /// The number of jobs that the actor's executor gets while `work` runs on it.
  fileprivate func jobs(_ work: nonisolated(nonsending) @Sendable () async throws -> Void) async rethrows -> Int {
    let before = executor.jobs
    try await work()
    return executor.jobs - before
  }
}
