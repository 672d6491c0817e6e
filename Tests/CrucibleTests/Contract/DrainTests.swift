import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Contract 11, drain: injections from outside are refused, accepted molecules are finished, and the rest is reported.
@Suite(.watched, .serialized)
struct `Draining a soup` {
  @Test(arguments: Run.setups)
  func `A drain refuses all injections from outside, and lets bodies finish the rest`(setup: Setup) async throws {
    let census = Census()
    let door = Door()
    let (finished, inside) = (Log<String>(), Log<Bool>())
    let (go, next, plain, call, control) = setup.define(
      slow("go", of: Live.self), slow("next", of: Int.self), slow("plain"),
      fast("call", of: Int.self, returning: Int.self)
    ) { soup, go, next, plain, call in
      let count = soup.state("count", 0)
      soup.react(go) { _ in
        door.pass()
        inside.append(next(1))
        inside.append(plain())
        inside.append(plain.inject(count: 2))
        inside.append(next.inject(contentsOf: [2, 3]))
        inside.append(Soup.inject((next, 4), (plain, ())))
        inside.append((try? call.blocking(20)) == 21)
        inside.append((try? call.blocking(30, within: patience)) == 31)
        finished.append("go")
      }
      soup.react(next) { number in finished.append("next \(number)") }
      soup.react(state: count, plain) { count, _ in
        count += 1
        finished.append("plain")
      }
      soup.react(call) { call in call.reply(call.input + 1) }
    }
    let body = aside { go(census.live()) }
    await door.waitForVisitors(1)
    let suspended = Task { await control.drain(within: patience) }
    let blocked = Task { try await onThread { control.blocking.drain(within: patience) } }
    while !control.snapshot().isDraining { await Task.yield() }
    #expect(control.explain().condition == .draining)
    #expect(!go(census.live()))
    #expect(!plain())
    #expect(!plain.inject(count: 3))
    #expect(!next.inject(contentsOf: [7, 8]))
    #expect(!Soup.inject((next, 9), (plain, ())))
    for way in WayToCall.allCases { #expect(await way.call(call, 1) == .failure(.stopped)) }
    #expect(control.snapshot().isDraining, "the body that the drain waits for has not ended")
    door.open()
    for report in [await suspended.value, try await blocked.value] {
      #expect(report.description == "quiet")
      #expect(report.unfinished.isEmpty && report.running.isEmpty && report.reserved == 0)
    }
    try await body.value
    #expect(inside.all == Array(repeating: true, count: 7))
    #expect(
      finished.all.sorted() == ["go", "next 1", "next 2", "next 3", "next 4"] + Array(repeating: "plain", count: 4))
    #expect(control.snapshot().isStopped && !control.snapshot().isDraining)
    #expect(!next(5))
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `A drain waits for async bodies and for inputs that are put back`(matcher: Matcher) async throws {
    struct Failure: Error {}
    let (gate, begun, results) = (Gate(), Latch(2), Log<String>())
    let (failures, clock) = (Tally(), ManualClock())
    let (go, job, _, _, control) = matcher.with(clock: clock).define(
      slow("go"), slow("job", of: Int.self), slow("next", of: String.self),
      fast("double", of: Int.self, returning: Int.self), named: "async"
    ) { soup, go, job, next, double in
      soup.react(go, on: .task) { _ async throws in
        begun.countDown()
        await gate.wait()
        next("after a suspension")
        next("\(try await double(21))")
        Task { next("of a task") }
      }
      soup.react(job, recovery: .retry(limit: 3, backoff: .seconds(1))) { number throws in
        if failures.add() == 1 { begun.countDown() }
        if failures.count < 3 { throw Failure() }
        next("of a job that failed")
      }
      soup.react(next) { text in results.append(text) }
      soup.react(double) { call in call.reply(2 * call.input) }
    }
    go()
    job(1)
    await begun.wait()
    let drain = Task { await control.drain(within: patience) }
    while !control.snapshot().isDraining { await Task.yield() }
    gate.open()
    for pause in [Duration.seconds(1), .seconds(2)] { await clock.advanceOnceAwaited(by: pause) }
    #expect(await drain.value.isQuiet)
    // The task is no body, so the drain may end, and stop the soup, before it.
    let expected: Set = ["after a suspension", "42", "of a job that failed"]
    #expect(expected.isSubset(of: results.all))
    #expect(Set(results.all).isSubset(of: expected.union(["of a task"])))
  }

  @Test(arguments: Run.setups)
  func `A draining soup accepts what its bodies inject by an owning name`(setup: Setup) async throws {
    let door = Door()
    let (accepted, reacted) = (Log<Bool>(), Tally())
    let (_, _, enter, control) = setup.define(
      slow("go", of: Injector<Int>.self), slow("next", of: Int.self), slow("enter")
    ) { soup, go, next, enter in
      soup.react(go) { name in
        door.pass()
        accepted.append(name(1))
        accepted.append(name.inject(contentsOf: [2, 3]))
      }
      soup.react(next) { _ in reacted.add() }
      soup.react(enter) { _ in go(next.owning()) }
    }
    let body = aside { enter() }
    await door.waitForVisitors(1)
    let drain = Task { await control.drain(within: patience) }
    while !control.snapshot().isDraining { await Task.yield() }
    door.open()
    #expect(await drain.value.description == "quiet")
    try await body.value
    #expect(accepted.all == [true, true])
    #expect(reacted.count == 3)
  }

  @Test(arguments: Run.setups)
  func `A drain reports by name the molecules without a partner, and callers get .stopped`(setup: Setup) async {
    let census = Census()
    let (a, b, call, _, control) = setup.define(
      slow("a", of: Live.self), slow("b"), fast("call", of: Live.self, returning: Int.self), slow("never")
    ) { soup, a, b, call, never in
      let count = soup.state("count", 0)
      soup.react(state: count, a, b) { count, _, _ in count += 1 }
      soup.react(call, never) { call, _ in call.reply(1) }
    }
    let calls = WayToCall.allCases.map { way in Task { await way.call(call, census.live()) } }
    while control.snapshot().waitingCallers < calls.count { await Task.yield() }
    for _ in 0..<5 { a(census.live()) }
    b()
    let report = await control.drain(within: patience)
    #expect(report.isQuiet)
    #expect(report.unfinished.map(\.label) == ["a", "call"])
    #expect(report.unfinished.map(\.molecules) == [4, calls.count])
    #expect(report.description == "quiet, left: 4 × a, \(calls.count) × call")
    for call in calls { #expect(await call.value == .failure(.stopped)) }
    #expect(control.snapshot().dropped == 4 + calls.count)
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `A drain becomes a stop at its deadline, and reports the bodies that still run`(setup: Setup) async throws {
    let door = Door()
    let inside = Log<Bool>()
    let line = #line + 3
    let (go, wait, _, control) = setup.define(slow("go"), slow("wait", of: Int.self), slow("never")) {
      soup, go, wait, never in
      soup.react(go) { _ in
        door.pass()
        inside.append(wait(2))
      }
      soup.react(wait, never) { _, _ in }
    }
    wait(1)
    let body = aside { go() }
    await door.waitForVisitors(1)
    let report = await control.drain(within: .microseconds(1))
    #expect(!report.isQuiet)
    #expect(report.running.map(\.description) == ["1 × go (\(#fileID):\(line))"])
    #expect(report.description == "not quiet, still running: 1 × go (\(#fileID):\(line)), left: 1 × wait")
    #expect(control.snapshot().isStopped)
    let again = await control.drain(within: .microseconds(1))
    #expect(!again.isQuiet && again.unfinished.isEmpty, "a stopped soup drains nothing more")
    door.open()
    try await body.value
    await control.settle()
    #expect(inside.all == [false])
    try await control.restart()
    #expect(wait(3))
    #expect(control.snapshot()[wait] == 1)
  }

  @Test(arguments: Run.setups)
  func `A stop ends a drain, and the soup may be restarted and drained again`(setup: Setup) async throws {
    let door = Door()
    let (go, a, _, control) = setup.define(slow("go"), slow("a", of: Int.self), slow("never")) { soup, go, a, never in
      soup.react(go) { _ in door.pass() }
      soup.react(a, never) { _, _ in }
    }
    let body = aside { go() }
    await door.waitForVisitors(1)
    control.pause()
    let drain = Task { await control.drain(within: patience) }
    while !control.snapshot().isDraining { await Task.yield() }
    #expect(!a(1))
    await control.stop(within: .zero)
    #expect(!control.snapshot().isDraining)
    door.open()
    try await body.value
    let report = await drain.value
    #expect(report.isQuiet)
    #expect(control.snapshot().isStopped)
    try await control.restart()
    #expect(a(1))
    let paused = await control.drain(within: patience)
    #expect(paused.description == "quiet, left: 1 × a")
  }

  @Test(arguments: Run.setups)
  func `A drain announces itself once, and what states then give out is finished`(setup: Setup) async throws {
    let (stored, announced) = (Log<Int>(), Tally())
    let (gate, begun) = (Gate(), Latch(1))
    let (row, _, _, _, control) = setup.matcher.define(
      slow("row", of: Int.self), slow("flush"), slow("last"), slow("store", of: [Int].self), named: "rows"
    ) { soup, row, flush, last, store in
      let rows = soup.state("rows") { [Int]() }
      soup.react(state: rows, row, on: setup.placement) { rows, row in rows.append(row) }
      soup.react(state: rows, flush, on: setup.placement) { rows, _ in
        announced.add()
        store(rows)
        rows = []
      }
      soup.react(store, on: setup.placement) { rows in for row in rows { stored.append(row) } }
      soup.react(last) { _ async in
        begun.countDown()
        await gate.wait()
        stored.append(0)
      }
      soup.whenDraining(flush)
      soup.whenDraining(last)
    }
    #expect(control.warnings == [])
    for round in 1...2 {
      for number in 1...3 { row(number) }
      #expect(await control.quiet(within: patience))
      let drains = (0..<3).map { _ in Task { await control.drain(within: patience) } }
      if round == 1 { await begun.wait() }
      gate.open()
      for drain in drains { #expect(await drain.value.description == "quiet") }
      #expect(announced.count == round)
      #expect(stored.all.sorted() == (0..<round).flatMap { _ in 0...3 }.sorted())
      try await control.restart()
    }
    await control.stop()
    #expect(await control.drain(within: patience).isQuiet)
    #expect(announced.count == 2, "neither a stop nor a stopped soup announces a drain")
  }

  @Test(arguments: matchers)
  func `A drain announces itself also from a thread that has no counters of its own`(matcher: Matcher) async throws {
    let announced = Tally()
    let count = 80  // the last ones share the crowd's counters
    let ready = Latch(count)
    let reports = try await onThreads(count) { _ in
      let (_, control) = matcher.on(.inline).define(slow("flush")) { soup, flush in
        soup.react(flush) { _ in announced.add() }
        soup.whenDraining(flush)
      }
      ready.countDown()
      ready.waitBlocking()  // all threads have their records
      return control.blocking.drain(within: .seconds(1)).description
    }
    #expect(Set(reports) == ["quiet"])
    #expect(announced.count == count)
  }
}
