import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Glibc
import Testing

/// A loop of the program's own as a placement.
@Suite(.watched, .serialized)
struct `A loop` {
  @Test(arguments: matchers)
  func `A loop runs bodies at once when the injector is on it, nested to a bounded depth`(matcher: Matcher) async {
    let length = scaled(10_000)
    let loop = ThreadLoop()
    let (order, bodies) = (Log<String>(), Tally())
    let (a, _, chain, later, control) = matcher.on(.loop(loop)).define(
      slow("a"), slow("b"), slow("chain", of: Int.self), slow("later", of: Int.self)
    ) { soup, a, b, chain, later in
      soup.react(a) { _ in
        order.append("a begins")
        b()
        order.append("a ends")
      }
      soup.react(b) { _ in order.append("b") }
      soup.react(chain) { n in
        bodies.add()
        if n > 0 { chain(n - 1) }
      }
      soup.react(later) { n in
        bodies.add()
        if n > 0 { later(n - 1) }
        await Task.yield()
      }
    }
    let done = Gate()
    loop.run {
      a()
      #expect(order.all == ["a begins", "b", "a ends"])
      chain(length)
      later(length)
      done.open()
    }
    await done.wait()
    await control.settle()
    #expect(bodies.count == 2 * (length + 1))
    loop.go()
  }

  @Test(arguments: matchers)
  func `A loop that goes away leaves an error for each body that did not run`(matcher: Matcher) async {
    let census = Census()
    let loop = ThreadLoop(isRunning: false)
    let (unreceived, ran) = (Log<ReactionError>(), Tally())
    let (ask, later, say, read, _, control) = matcher.on(.loop(loop)).with(onError: unreceived.append).define(
      fast("ask", of: Live.self, returning: Int.self), fast("later", of: Live.self, returning: Int.self),
      slow("say", of: Live.self), fast("read", returning: Int.self), slow("go")
    ) { soup, ask, later, say, read, go in
      let (s, t, u) = (soup.state("s", 1), soup.state("t", 2), soup.state("u", 3))
      soup.react(state: s, ask) { _, _ in ran.add() }
      soup.react(state: t, later) { _, _ in
        ran.add()
        await Task.yield()
      }
      soup.react(state: u, say) { _, _ in ran.add() }
      soup.react(state: s, state: t, Soup.Group(read, go), on: .inline) { s, t, values in values.all.0.reply(s + t) }
      soup.react(state: u, go, on: .inline) { _, _ in }
      go()
    }
    do {
      let first = Task { await ask.outcome(census.live()) }
      let second = Task { await later.outcome(census.live()) }
      say(census.live())
      while loop.waiting < 3 { await Task.yield() }
      #expect(control.snapshot().pending == 3)
      loop.go()
      #expect(await first.value == .failure(.failed(LoopGone())))
      #expect(await second.value == .failure(.failed(LoopGone())))
    }
    await control.settle()
    #expect(ran.count == 0)
    #expect(unreceived.all.map { $0.error is LoopGone } == [true, true, true])
    #expect(Set(unreceived.all.map(\.reaction.pattern)) == ["s & ask", "t & later", "u & say"])
    await census.expectExtinction()
    // A call from now on is dropped on the injecting thread.
    #expect(await ask.outcome(census.live()) == .failure(.failed(LoopGone())))
    #expect(unreceived.count == 4)
    _ = read
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `An async body goes on elsewhere when its loop goes away`(matcher: Matcher) async {
    let loop = ThreadLoop()
    let (begun, suspended, resume) = (Gate(), Gate(), Gate())
    let seen = Log<Bool>()
    let (ask, next, control) = matcher.on(.loop(loop)).define(fast("ask", returning: Int.self), slow("next")) {
      soup, ask, next in
      let state = soup.state("state", 1)
      soup.react(state: state, ask) { state, call in
        seen.append(loop.isCurrent)
        begun.open()
        await resume.wait()
        seen.append(loop.isCurrent)
        state += 1
        call.reply(state)
      }
      soup.react(next) { _ in suspended.open() }
    }
    let caller = Task { await ask.outcome() }
    await begun.wait()
    next()  // the loop runs it once the body before has left the loop
    await suspended.wait()
    loop.go()
    resume.open()
    #expect(await caller.value == .success(2))
    await control.settle()
    #expect(seen.all == [true, false])
    #expect(control.snapshot()["state"] == 1)
  }

  @Test func `A loop that runs work twice, or in the middle of enqueue, ends the process with a message`() async {
    let twice = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Watchdog.guardProcess("twice")
      let loop = WrongLoop { work in
        Task.detached {
          work.run()
          work.run()
        }
      }
      await Self.inject(on: loop)
    }
    #expect(Self.message(twice).contains("Crucible: loop WrongLoop: a piece of work was run twice"))
    let inside = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      Watchdog.guardProcess("inside")
      await Self.inject(on: WrongLoop { work in work.run() })
    }
    #expect(Self.message(inside).contains("Crucible: loop WrongLoop: a piece of work was run in the middle of enqueue"))
  }

  private static func inject(on loop: WrongLoop) async {
    let (a, control) = Soup.Options(placement: .loop(loop)).react(slow("a")) { _ in }
    a()
    await control.quiet(within: patience)
    while true { await Task.yield() }
  }

  private static func message(_ result: ExitTest.Result?) -> String {
    String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
  }
}

/// A loop whose treatment of its work a test decides.
private final class WrongLoop: ReactionLoop {
  let treat: @Sendable (LoopWork) -> Void
  init(_ treat: @escaping @Sendable (LoopWork) -> Void) { self.treat = treat }
  var isCurrent: Bool { false }
  func enqueue(_ work: LoopWork) { treat(work) }
}

/// An `async` body that makes a call that only its own state could serve.
@Suite(.watched, .serialized)
struct `An async body that calls a molecule which needs its own state` {
  @Test(arguments: matchers, Place.all)
  func `An async body that calls for its own state gets an error, but the tasks that it starts do not`(
    matcher: Matcher, place: Place
  ) async throws {
    let (errors, child) = (Log<CallError>(), Log<Result<Int, CallError>>())
    let clock = ManualClock()
    let (go, _, control) = matcher.on(place.placement).with(clock: clock).define(
      slow("go"), fast("read", of: Int.self, returning: Int.self), named: "account"
    ) { soup, go, read in
      let balance = soup.state("balance", 5)
      soup.react(state: balance, go) { balance, _ in
        do throws(CallError) { balance += try await read(1) } catch { errors.append(error) }
        await Task.yield()
        do throws(CallError) { balance += try await read(1, within: patience) } catch { errors.append(error) }
        // A child is another task, so its call waits until its time is over.
        async let outcome = clock.expire { await read.outcome(1, within: $0) }
        child.append(await outcome)
        await Task { child.append(await clock.expire { await read.outcome(1, within: $0) }) }.value
      }
      soup.react(state: balance, read) { balance, call in call.reply(balance) }
    }
    go()
    await control.settle()
    #expect(errors.count == 2)
    for error in errors.all {
      let deadlock = try #require(error.deadlock)
      #expect(deadlock.cause == .state("balance"))
      #expect(deadlock.molecule == "read")
    }
    #expect(child.all == [.failure(.timedOut), .failure(.timedOut)])
  }

  /// Tasks that inherited everything from the body outlive it, and may reuse the memory of its task.
  @Test(arguments: matchers, [Place.automatic, .pool, .inline, .serial])
  func `An async body with a state leaves no trace in tasks that outlive it`(matcher: Matcher, place: Place) async {
    let outcomes = Log<Result<Int, CallError>>()
    let rounds = scaled(2000)
    let (go, _, control) = matcher.on(place.placement).define(
      slow("go", of: Gate.self), fast("read", returning: Int.self)
    ) { soup, go, read in
      let state = soup.state("state", 5)
      soup.react(state: state, go) { _, ended in
        Task {
          await ended.wait()
          for _ in 0..<4 { await Task { outcomes.append(await read.outcome()) }.value }
        }
        await Task.yield()
      }
      soup.react(state: state, read) { state, call in call.reply(state) }
    }
    for round in 1...rounds {
      let ended = Gate()
      go(ended)
      await control.settle()
      ended.open()
      if round % 100 == 0 { while outcomes.count < 4 * round { await Task.yield() } }
    }
    while outcomes.count < 4 * rounds { await Task.yield() }
    #expect(outcomes.all.allSatisfy { $0 == .success(5) })
  }
}
