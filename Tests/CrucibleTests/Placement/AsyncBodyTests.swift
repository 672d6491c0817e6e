import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// An `async` body keeps its inputs until it ends, however often it suspends.
@Suite(.watched, .serialized)
struct `An async body` {
  @Test(arguments: matcherNames)
  func `By default an async body runs on the library's pool if a thread of it injects, else on Swift's`(
    matcher: String
  ) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      let (onSwifts, onPool) = (Log<Int>(), Log<Int>())
      let (go, pass, control) = Matcher(matcher)!.define(slow("go", of: Int.self), slow("pass")) { soup, go, pass in
        soup.react(go) { injector in
          (Place.onSwiftsPool ? onSwifts : onPool).append(injector)
          await Task.yield()
          (Place.onSwiftsPool ? onSwifts : onPool).append(injector)
        }
        soup.react(pass, on: .pool) { _ in go(3) }
      }
      await Task.detached { _ = go(0) }.value
      try await onThread { _ = go(1) }
      await Task(executorPreference: Soup.Pool.executor) { _ = go(2) }.value
      pass()
      await control.settle()
      #expect(onSwifts.all.sorted() == [0, 0, 1, 1])
      #expect(onPool.all.sorted() == [2, 2, 3, 3])
    }
  }

  @Test func `Bodies that block every thread of the pool until async bodies reply get their replies`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("a full pool", workers: 1, limit: 2)
      let (ask, _, _) = Soup.Options().define(
        fast("ask", of: Int.self, returning: Int.self), fast("look", of: Int.self, returning: Int.self)
      ) { soup, ask, look in
        soup.react(look) { call async in call.reply(call.input + 1) }
        soup.react(ask, on: .pool) { call throws in call.reply(try look.blocking(call.input)) }
      }
      let sum = try await withThrowingTaskGroup(of: Int.self) { group in
        for number in 0..<20 { group.addTask { try await ask(number) } }
        return try await group.reduce(0, +)
      }
      #expect(sum == 210)
    }
  }

  @Test(arguments: matchers)
  func `An inline async body begins on the injecting thread, not on Swift's pool`(matcher: Matcher) async throws {
    let (threads, isThere) = (Log<UInt>(), Log<Bool>())
    let (go, control) = matcher.react(slow("go", of: Gate.self), on: .inline) { resume in
      threads.append(UInt(pthread_self()))
      await resume.wait()
      isThere.append(Place.onSwiftsPool)
    }
    let inject = { @Sendable in
      let resume = Gate()
      go(resume)
      #expect(threads.all.last == UInt(pthread_self()))
      resume.open()
    }
    try await onThread { inject() }
    await Task(executorPreference: Soup.Pool.executor) { inject() }.value
    await control.settle()
    #expect(isThere.all == [true, true])
  }

  @Test(arguments: matchers, Place.all)
  func `An async body keeps its state from other reactions meanwhile`(matcher: Matcher, place: Place) async throws {
    let (begun, resume) = (Gate(), Gate())
    let (change, value, control) = matcher.on(place.placement).define(
      slow("change"), fast("value", returning: [Int].self)
    ) { soup, change, value in
      let state = soup.state("state", [Int]())
      soup.react(state: state, change) { state, _ in
        state.append(1)
        begun.open()
        await resume.wait()
        state.append(2)
      }
      soup.react(state: state, value, on: .pool) { state, call in call.reply(state) }
    }
    change()
    await begun.wait()
    let reply = Task { try await value() }
    while control.snapshot()[value] == 0 { await Task.yield() }
    #expect(control.snapshot()["state"] == 0)
    #expect(await value.outcome(within: .zero) == .failure(.timedOut))
    resume.open()
    #expect(try await reply.value == [1, 2])
    await control.settle()
  }

  @Test(arguments: matchers, Place.all)
  func `An async body that drops its call ends the caller's wait before its states are back`(
    matcher: Matcher, place: Place
  ) async throws {
    let executor = CountingTaskExecutor()
    let (jobs, held) = (Log<Int>(), Gate())
    let (ask, next, control) = matcher.on(place.placement).define(fast("ask", returning: Int.self), slow("next")) {
      soup, ask, next in
      let state = soup.state("state", 0)
      soup.react(state: state, ask) { _, _ in await held.wait() }
      soup.react(state: state, next, on: .pool) { _, _ in jobs.append(executor.jobs) }
    }
    let caller = Task(executorPreference: executor) { await ask.outcome() }
    while control.snapshot()["state"] == 1 { await Task.yield() }
    // The caller has suspended once its executor runs a later job.
    await Task(executorPreference: executor) {}.value
    let before = executor.jobs
    next()
    held.open()
    #expect(await caller.value == .failure(.neverReplied))
    await control.settle()
    #expect(jobs.all == [before + 1], "the caller had resumed by then")
  }

  @Test(arguments: matchers, [Place.automatic, .pool, .inline, .serial])
  func `An async body without a value counts its failures in a row`(matcher: Matcher, place: Place) async {
    let (bodies, unreceived) = (Tally(), Tally())
    let (go, control) = matcher.on(place.placement).with(onError: unreceived.report).define(slow("go")) { soup, go in
      let state = soup.state("state", 0)
      soup.react(state: state, go, recovery: .retry(limit: 2)) { state, _ in
        state += 1
        bodies.add()
        await Task.yield()
        if state % 3 != 0 { throw Boom(state) }  // two failures, then a success
      }
    }
    for round in 1...4 {
      go()
      await control.settle()
      #expect(bodies.count == 3 * round)
    }
    #expect(unreceived.count == 0)
  }

  @Test(arguments: matchers, Place.all)
  func `An async body keeps its soup, and leaves nothing behind`(matcher: Matcher, place: Place) async {
    let census = Census()
    let (begun, resume, ended) = (Gate(), Gate(), Gate())
    do {
      let (go, _, _) = matcher.on(place.placement).define(slow("go", of: Live.self), slow("next", of: Live.self)) {
        soup, go, next in
        let state = soup.state("state", census.live())
        soup.react(state: state, go) { state, live in
          begun.open()
          await resume.wait()
          state = live
          next(census.live())
        }
        soup.react(state: state, next, on: .pool) { _, _ in ended.open() }
      }
      go(census.live())
    }
    await begun.wait()
    #expect(census.alive >= 2)
    resume.open()
    await ended.wait()
    await census.expectExtinction()
  }

  @Test(arguments: matchers, Place.all)
  func `A snapshot shows each running async body, in a soup not quiet`(matcher: Matcher, place: Place) async {
    let (begun, resume) = (Latch(3), Gate())
    let (go, control) = matcher.on(place.placement).react(slow("go", of: Int.self)) { _ in
      begun.countDown()
      await resume.wait()
    }
    for n in 0..<3 { go(n) }
    await begun.wait()
    #expect(await !control.quiet(within: .microseconds(1)))
    // Bodies that have just suspended may still be leaving their threads.
    while control.snapshot().running.map(\.bodies) != [3] { await Task.yield() }
    let snapshot = control.snapshot()
    #expect(snapshot.running.map(\.reaction.pattern) == ["go"])
    #expect(snapshot.reserved == 0)
    #expect(snapshot.pending == 3)
    resume.open()
    await control.settle()
    #expect(control.snapshot().running.isEmpty)
    #expect(control.snapshot().pending == 0)
  }

  @Test(arguments: matchers, Place.all)
  func `An async body goes on in a soup paused, cleared and stopped`(matcher: Matcher, place: Place) async throws {
    let (begun, resume) = (Gate(), Gate())
    let (go, value, control) = matcher.on(place.placement).define(
      slow("go", of: Int.self), fast("value", returning: Int.self)
    ) { soup, go, value in
      let state = soup.state("state") { 5 }
      soup.react(state: state, go) { state, n in
        state += n
        begun.open()
        await resume.wait()
        state += n
      }
      soup.react(state: state, value) { state, call in call.reply(state) }
    }
    go(10)
    await begun.wait()
    control.pause()
    go(1000)
    #expect(control.clear() == 1)
    control.resume()
    let report = await control.stop(within: .microseconds(1))
    #expect(!report.isQuiet)
    #expect(report.running.map(\.bodies) == [1])
    await #expect(throws: RestartError.running(report.running)) { try await control.restart(within: .microseconds(1)) }
    resume.open()
    #expect(await control.stop().isQuiet)
    try await control.restart()
    #expect(try await value() == 5)
    await control.settle()
  }
}
