import Crucible
import CrucibleTestSupport
import Dispatch
import Glibc
import Testing

/// A thread that is itself a placement, and blocks.
@Suite(.watched, .serialized)
struct `The main thread` {
  @Test(arguments: matchers, [nil, patience]) @MainActor
  func `The main thread serves the call that it blocks in`(matcher: Matcher, limit: Duration?) {
    let (ask, add, _) = Self.counter(matcher)
    for _ in 0..<10 { add() }
    #expect(ask.blockingOutcome((), within: limit) == .success(10))
  }

  @Test(arguments: matchers, [nil, patience])
  func `The main thread serves the call that it awaits`(matcher: Matcher, limit: Duration?) async {
    let (ask, add, _) = Self.counter(matcher)
    let reply = await MainActor.run {
      add()
      return Task { @MainActor in await ask.outcome(within: limit) }
    }
    #expect(await reply.value == .success(1))
  }

  /// Makes a state on the main actor, a call that reads it, and a molecule that adds to it.
  private static func counter(_ matcher: Matcher) -> (FastInjector<Void, Int>, Injector<Void>, Soup.Control) {
    matcher.define(fast("ask", returning: Int.self), slow("add"), named: "counter") { soup, ask, add in
      let count = soup.state("count", 0)
      soup.react(state: count, add, on: .main) { count, _ in count += 1 }
      soup.react(state: count, ask, on: .main) { count, call in call.reply(count) }
    }
  }

  @Test(arguments: matchers, [nil, patience])
  func `The main thread serves the call that it blocks in, though a body elsewhere had the state at first`(
    matcher: Matcher, limit: Duration?
  ) async throws {
    let (held, go) = (Gate(), Gate())
    let (take, ask, control) = matcher.define(slow("take"), fast("ask", returning: Int.self)) { soup, take, ask in
      let state = soup.state("state", 1)
      soup.react(state: state, take) { state, _ in
        held.open()
        go.waitBlocking()
        state += 1
      }
      soup.react(state: state, ask, on: .main) { state, call in
        MainActor.assertIsolated()
        call.reply(state)
      }
    }
    take()
    await held.wait()
    let helper = aside {
      while control.snapshot()[ask] == 0 { sched_yield() }
      go.open()
    }
    let outcome = await MainActor.run { ask.blockingOutcome((), within: limit) }
    #expect(outcome == .success(2))
    try await helper.value
  }

  @Test(arguments: matchers, [nil, patience])
  func `The main thread serves the bodies that its call waits for`(matcher: Matcher, limit: Duration?) async {
    let (ask, _, _) = matcher.define(
      fast("ask", of: Int.self, returning: Int.self), fast("show", of: Int.self, returning: Int.self)
    ) { soup, ask, show in
      soup.react(ask) { call in call.reply((try? show.blocking(call.input + 1)) ?? -1) }
      soup.react(show, on: .main) { call in
        MainActor.assertIsolated()
        // The serving thread calls again.
        call.reply(call.input > 5 ? call.input : (try? ask.blocking(call.input + 1)) ?? -1)
      }
    }
    #expect(await MainActor.run { ask.blockingOutcome(0, within: limit) } == .success(7))
  }

  /// The caller's own thread replies while it waits.
  @Test(arguments: matchers, [nil, patience])
  func `The main thread ends its own call by another soup's body`(matcher: Matcher, limit: Duration?) async throws {
    let (ask, done, control) = matcher.react(fast("ask", returning: Int.self), slow("done", of: Int.self), on: .inline)
    { call, n in call.reply(n) }
    let (show, _) = matcher.define(slow("show", of: Int.self), named: "other") { soup, show in
      soup.react(show, on: .main) { n in done(n + 1) }
    }
    let helper = aside {
      while control.snapshot()[ask] == 0 { sched_yield() }
      show(1)
    }
    #expect(await MainActor.run { ask.blockingOutcome((), within: limit) } == .success(2))
    try await helper.value
  }

  @Test(arguments: matchers)
  func `The main thread stops serving at its deadline, though there is always another body`(matcher: Matcher) async {
    let stop = Gate()
    let (tick, _, ask, never, control) = matcher.define(
      slow("tick"), slow("tock"), fast("ask", returning: Int.self), slow("never")
    ) { soup, tick, tock, ask, never in
      // At any time some ticks are on their way here, except for those that run.
      soup.react(tick, on: .main) { _ in if !stop.isOpen { tock() } }
      soup.react(tock) { _ in tick() }
      soup.react(ask, never, on: .main) { call, _ in call.reply(1) }
    }
    _ = never
    for _ in 0..<100 { tick() }
    #expect(await MainActor.run { ask.blockingOutcome((), within: .milliseconds(5)) } == .failure(.timedOut))
    #expect(await MainActor.run { control.blocking.quiet(within: .microseconds(1)) } == false)
    stop.open()
    #expect(await MainActor.run { control.blocking.quiet(within: patience) })
  }

  @Test(arguments: matchers)
  func `The main thread serves bodies while it waits for quiet, stops and restarts`(matcher: Matcher) async throws {
    let shown = Tally()
    let (show, _, control) = matcher.define(slow("show"), slow("next")) { soup, show, next in
      let total = soup.state("total") { 0 }
      soup.react(state: total, show, on: .main) { total, _ in
        total += 1
        shown.add()
        if total % 10 == 0 { next() }
      }
      soup.react(next) { _ in
        show()
        show()
      }
    }
    for round in 1...5 {
      // Another thread injects, so that these wait for the main one.
      let (quiet, report) = try await MainActor.run {
        let begun = Gate()
        _ = spawn {
          for _ in 0..<20 { show() }
          begun.open()
        }
        begun.waitBlocking()
        let quiet = control.blocking.quiet(within: patience)
        for _ in 0..<20 { show() }
        let report = control.blocking.stop(within: patience)
        try control.blocking.restart(within: patience)
        return (quiet, report)
      }
      #expect(quiet && report.isQuiet)
      #expect(shown.count >= 20 * round, "the stop may drop only the second 20")
    }
  }
}

/// A call that only the place that it blocks could answer.
@Suite(.watched, .serialized)
struct `A blocking call` {
  /// Makes a soup whose call only an async body serves, and another whose call can be served elsewhere, too.
  private func soups(
    _ matcher: Matcher, _ body: TaskBody
  ) -> (only: FastInjector<Void, Int>, helped: FastInjector<Void, Int>, help: Injector<Void>, [Soup.Control]) {
    let (only, first) = matcher.define(fast("only", returning: Int.self), named: "only") { soup, only in
      body.react(in: soup, only) { call in call.reply(1) }
    }
    let (helped, help, _, second) = matcher.define(
      fast("helped", returning: Int.self), slow("help"), slow("away"), named: "helped"
    ) { soup, helped, help, away in
      body.react(in: soup, helped, away) { call, _ in call.reply(1) }
      soup.react(away) { _ in }
      soup.react(helped, help, on: .inline) { call, _ in call.reply(2) }
    }
    return (only, helped, help, [first, second])
  }

  @available(*, noasync)
  private func check(
    _ only: FastInjector<Void, Int>, _ helped: FastInjector<Void, Int>, _ help: Injector<Void>, _ place: String
  ) {
    for limit in [nil, patience] {
      guard case .failure(.failed(let deadlock as Deadlock)) = only.blockingOutcome((), within: limit) else {
        Issue.record("no deadlock on \(place)")
        return
      }
      #expect(deadlock.soup == "only")
      #expect(deadlock.molecule == "only")
      #expect(deadlock.cause == .placement(place))
      #expect(deadlock.description.contains("needs \(place) to be free, which this very call blocks"))
      help()
      #expect(helped.blockingOutcome((), within: limit) == .success(2))
    }
  }

  @Test(arguments: matchers)
  func `A blocking call on the main thread throws, unless another reaction serves it`(matcher: Matcher) async throws {
    let (only, helped, help, controls) = soups(matcher, .asyncMain)
    await MainActor.run { check(only, helped, help, "main") }
    #expect(controls[0].snapshot()[only] == 0, "nothing was injected")
    #expect(try await only() == 1)
    #expect(try await onThread { try only.blocking() } == 1, "another thread may block")
  }

  #if CRUCIBLE_PUBLIC_RUNTIME
    private static let isActorKnown = false  // `RuntimeEntry.swift` says why
  #else
    private static let isActorKnown = true
  #endif

  @Test(.enabled(if: isActorKnown), arguments: matchers)
  func `A blocking call in an actor's method throws an error, on any executor`(matcher: Matcher) async throws {
    for teller in [DefaultTeller(), CustomTeller(), KnowingTeller()] as [any Teller] {
      let (only, helped, help, _) = soups(matcher, .actor(teller))
      await teller.run { check(only, helped, help, "actor \(type(of: teller))") }
      #expect(try await only() == 1)
      #expect(try await onThread { try only.blocking() } == 1, "another thread may block")
    }
  }

  @Test(arguments: matchers)
  func `A blocking call on a serial queue throws, not on a concurrent one, or another`(matcher: Matcher) async throws {
    let queue = DispatchQueue(label: "serial")
    let (only, helped, help, _) = soups(matcher, .async(.queue(queue)))
    queue.sync { check(only, helped, help, "queue 'serial'") }
    DispatchQueue(label: "on top", target: queue).sync { check(only, helped, help, "queue 'serial'") }
    try await onThread {
      DispatchQueue(label: "other").sync { #expect(only.blockingOutcome((), within: nil) == .success(1)) }
    }
    let wide = DispatchQueue(label: "wide", attributes: .concurrent)
    let (ask, _) = matcher.react(fast("ask", returning: Int.self), on: .queue(wide, isConcurrent: true)) { call in
      await Task.yield()
      call.reply(1)
    }
    try await onThread { wide.sync { #expect(ask.blockingOutcome((), within: nil) == .success(1)) } }
  }

  @Test(arguments: matchers)
  func `A blocking call on a serial queue or a loop gets its reply from a synchronous body on that thread`(
    matcher: Matcher
  ) async throws {
    let queue = DispatchQueue(label: "serial")
    let loop = ThreadLoop()
    for (place, isLoop) in [(Placement.queue(queue), false), (.loop(loop), true)] {
      let (ask, ring, _) = matcher.on(place).define(fast("ask", returning: Int.self), fast("ring", returning: Int.self))
      { soup, ask, ring in
        let state = soup.state("state", 0)
        soup.react(state: state, ask) { state, call in
          state += 1
          call.reply(state)
        }
        // Calls by way of the pool, and back here.
        soup.react(ring, on: .pool) { call in call.reply((try? ask.blocking()) ?? -1) }
      }
      let (asked, results) = (Latch(1), Log<Result<Int, CallError>>())
      let work = { @Sendable in
        for limit in [nil, patience] {
          results.append(ask.blockingOutcome((), within: limit))
          results.append(ring.blockingOutcome((), within: limit))
        }
        asked.countDown()
      }
      if isLoop { loop.run(work) } else { queue.async(execute: work) }
      await asked.wait()
      #expect(results.all == [.success(1), .success(2), .success(3), .success(4)])
    }
    loop.go()
  }

  @Test(arguments: matchers)
  func `A blocking call on a loop throws an error, unless another reaction could serve it`(matcher: Matcher) async {
    let loop = ThreadLoop()
    let (only, helped, help, _) = soups(matcher, .async(.loop(loop)))
    let done = Gate()
    loop.run {
      check(only, helped, help, "loop ThreadLoop")
      done.open()
    }
    await done.wait()
    loop.go()
  }

  @Test(.enabled(if: isActorKnown), arguments: matchers)
  func `A blocking call on an executor is not taken for one on a visited actor`(matcher: Matcher) async {
    let executor = ThreadExecutor()
    let teller = CustomTeller()
    let (ask, _) = matcher.react(fast("ask", returning: Bool.self), on: .executor(executor)) {
      call in call.reply(executor.isCurrent)
    }
    let there = await Task(executorPreference: executor) {
      executor.isCurrent && ask.blockingOutcomeHere() == .success(true)
    }
    .value
    #expect(there)
    let visiting = await Task(executorPreference: executor) { await teller.run { ask.blockingOutcomeHere() } }.value
    #expect(visiting == .success(true), "not on the actor's thread")
  }

  /// The pool has one thread. An actor's body blocks it, and waits for another body of the pool.
  @Test(arguments: matcherNames)
  func `A blocking call on an actor that runs on the pool does not use the pool up`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("actor on one worker", workers: 1)
      let teller = DefaultTeller()
      let (go, ask, done, _, _) = Matcher(matcher)!.define(
        slow("go", of: Int.self), fast("ask", of: Int.self, returning: Int.self), fast("done", returning: Int.self),
        slow("ended", of: Int.self)
      ) { soup, go, ask, done, ended in
        soup.react(go, on: .actor(teller)) { teller, n in ended(teller.ask(ask, n)) }
        soup.react(ask) { call in call.reply(call.input + 1) }
        soup.react(done, ended) { call, n in call.reply(n) }
      }
      go(1)
      let number = await done.outcome()
      #expect(number == .success(2))
      withExtendedLifetime(ask) {}
    }
  }
}

extension Teller {
  func run<Result: Sendable>(_ work: @Sendable () -> Result) -> Result { work() }

  func ask(_ ask: FastInjector<Int, Int>, _ n: Int) -> Int { (try? ask.blocking(n)) ?? -1 }
}

extension FastInjector where Input == Void, Output == Bool {
  fileprivate nonisolated func blockingOutcomeHere() -> Result<Bool, CallError> { blockingOutcome((), within: nil) }
}
