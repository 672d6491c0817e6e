import Crucible
import CrucibleTestSupport
import Testing

/// Contract 9, stop: it ends in quiet, refuses from then on, and each molecule that had come in is consumed or dropped.
@Suite(.watched, .serialized)
struct `Stopping a soup` {
  @Test(arguments: Run.setups)
  func `makes injections return false, and calls throw .stopped`(setup: Setup) async throws {
    let census = Census()
    let reacted = Tally()
    let (a, plain, call, control) = Soup.define("refusing", matcher: setup.matcher) { soup in
      let state = soup.state("state", 0)
      let a = soup.slow("a", of: Live.self)
      let plain = soup.slow("plain")
      let call = soup.fast("call", of: Live.self, returning: Int.self)
      soup.react(a, on: setup.placement) { _ in reacted.add() }
      soup.react(state & plain, on: setup.placement) { _, _ in reacted.add() }
      soup.react(call, on: setup.placement) { call in
        reacted.add()
        call.reply(1)
      }
      return (a, plain, call, soup.control)
    }
    Watchdog.watch(control)
    #expect(a(census.live()))
    #expect(plain())
    for report in [await control.stop(within: patience), await control.stop(within: patience)] {
      #expect(report.description == "0 dropped, quiet")
    }
    #expect(reacted.count == 2)
    #expect(control.snapshot().isStopped)
    #expect(!a(census.live()))
    #expect(!plain())
    let accepted = try await onThreads(4) { _ in a(census.live()) }
    #expect(accepted == [false, false, false, false])
    for way in WayToCall.allCases { #expect(try await way.call(call, census.live()) == .failure(.stopped)) }
    await control.settle()
    #expect(reacted.count == 2)
    #expect(control.snapshot()[a] + control.snapshot()[plain] + control.snapshot()[call] == 0)
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `drops what waits, counts it, and gives callers .stopped, whichever way they called`(setup: Setup) async throws {
    let census = Census()
    let (a, b, call, control) = Soup.define("dropping", matcher: setup.matcher) { soup in
      let a = soup.slow("a", of: Live.self)
      let b = soup.slow("b")
      let call = soup.fast("call", of: Live.self, returning: Int.self)
      let never = soup.slow("never")
      soup.react(a & b & never, on: setup.placement) { _, _, _ in }
      soup.react(call & never, on: setup.placement) { call, _ in call.reply(1) }
      return (a, b, call, soup.control)
    }
    Watchdog.watch(control)
    let calls = WayToCall.allCases.map { way in Task { try await way.call(call, census.live()) } }
    while control.snapshot().waitingCallers < calls.count { await Task.yield() }
    for _ in 0..<5000 {
      a(census.live())
      b()
    }
    let report = await control.stop(within: patience)
    #expect(report.isQuiet)
    #expect(report.dropped == 10_000 + calls.count)
    #expect(report.description == "\(10_000 + calls.count) dropped, quiet")
    for call in calls { #expect(try await call.value == .failure(.stopped)) }
    #expect(control.snapshot().dropped == report.dropped)
    #expect(control.snapshot().counts.allSatisfy { $0.molecules == 0 })
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `waits for bodies, which go on to their end and inject in vain`(setup: Setup) async throws {
    let door = Door()
    let ended = Log<Bool>()
    let (go, control) = Soup.define("running", matcher: setup.matcher) { soup in
      let go = soup.slow("go")
      let next = soup.slow("next", of: Int.self)
      soup.react(go, on: setup.placement) { _ in
        door.pass()
        ended.append(next(1))
      }
      soup.react(next, on: setup.placement) { _ in }
      return (go, soup.control)
    }
    Watchdog.watch(control)
    let bodies = [aside { go() }, aside { go() }]
    await door.waitForVisitors(2)
    let task = Task { (await control.stop(within: patience), ended.count) }
    let thread = Task { try await onThread { (control.stopBlocking(within: patience), ended.count) } }
    while !control.snapshot().isStopped { await Task.yield() }
    door.open()
    for (report, count) in [await task.value, try await thread.value] {
      #expect(report.isQuiet)
      #expect(count == 2)
    }
    #expect(ended.all == [false, false])
    for body in bodies { try await body.value }
  }

  @Test(arguments: Run.setups)
  func `ends a chain of reactions that would go on for ever`(setup: Setup) async throws {
    let turns = Tally()
    let (token, control) = Soup.define("endless", matcher: setup.matcher) { soup in
      let token = soup.slow("token", of: Int.self)
      soup.react(token, on: setup.placement) { number in
        turns.add()
        token(number + 1)
      }
      return (token, soup.control)
    }
    Watchdog.watch(control)
    let chains = (0..<3).map { number in aside { token(number) } }
    while turns.count < 1000 { await Task.yield() }
    let report = await control.stop(within: patience)
    #expect(report.isQuiet)
    for chain in chains { try await chain.value }
    let last = turns.count
    await control.settle()
    #expect(turns.count == last)
    #expect(control.snapshot()[token] == 0)
  }

  @Test(arguments: Run.setups)
  func `takes what gathered in a paused soup`(setup: Setup) async throws {
    let reacted = Tally()
    let (a, control) = Soup.define("paused", matcher: setup.matcher) { soup in
      let a = soup.slow("a", of: Int.self)
      soup.react(a, on: setup.placement) { _ in reacted.add() }
      return (a, soup.control)
    }
    control.pause()
    for number in 0..<100 { a(number) }
    let report = await control.stop(within: patience)
    #expect(report.dropped == 100)
    control.resume()
    await control.settle()
    #expect(reacted.count == 0)
    #expect(!a(1), "to resume is not to restart")
  }

  @Test(arguments: Run.setups)
  func `by many threads at once ends for each of them, and drops each molecule once`(setup: Setup) async throws {
    for backlog in [0, 1, scaled(3000)] {
      let census = Census()
      let (a, control) = Soup.define("at once", matcher: setup.matcher) { soup in
        let a = soup.slow("a", of: Live.self)
        let never = soup.slow("never")
        soup.react(a & never, on: setup.placement) { _, _ in }
        return (a, soup.control)
      }
      Watchdog.watch(control)
      for _ in 0..<backlog { a(census.live()) }
      let reports = try await onThreads(8) { _ in
        let report = control.stopBlocking(within: patience)
        return (report, census.alive)
      }
      #expect(reports.allSatisfy { $0.0.isQuiet && $0.0.running.isEmpty })
      #expect(reports.allSatisfy { $0.1 == 0 }, "quiet means that all is destroyed")
      #expect(reports.reduce(0) { $0 + $1.0.dropped } == backlog)
    }
  }

  @Test(arguments: Run.setups)
  func `while threads inject: each that was accepted is consumed or dropped, each once`(setup: Setup) async throws {
    let census = Census()
    for round in 0..<scaled(12) {
      let ledger = Ledger(capacity: 8 * 2000)
      let accepted = Tally()
      let calls = (replied: Tally(), stopped: Tally(), wrong: Tally())
      let (a, b, call, control) = Soup.define("raced", matcher: setup.matcher) { soup in
        let count = soup.state("count", 0)
        let a = soup.slow("a", of: Live.self)
        let b = soup.slow("b", of: Live.self)
        let call = soup.fast("call", of: Live.self, returning: Int.self)
        soup.react(count & a & b, on: setup.placement) { count, a, b in
          count += 1
          ledger.consume(a.number)
          ledger.consume(b.number)
        }
        soup.react(a & call, on: setup.placement) { a, call in
          ledger.consume(a.number)
          ledger.consume(call.input.number)
          call.reply(call.input.number)
        }
        return (a, b, call, soup.control)
      }
      Watchdog.watch(control)
      let refused = Log<Int>()
      let begun = Latch(8)
      let reports = try await onThreads(9) { thread -> StopReport? in
        if thread == 8 {
          begun.waitBlocking()
          for _ in 0..<round * 30 { _ = control.snapshot().isStopped }
          return control.stopBlocking(within: patience)
        }
        for turn in 0... {
          guard let number = ledger.issue() else { break }
          let value = census.live(number)
          if turn == 10 { begun.countDown() }
          if thread < 7 {
            if !(thread < 4 ? a : b)(value) {
              refused.append(number)
              break
            }
            accepted.add()
          } else {
            let result = Result { () throws(CallError) in try call.blocking(value, within: patience) }
            if result == .success(number) {
              calls.replied.add()
            } else if result == .failure(.stopped) {
              calls.stopped.add()
              break
            } else {
              calls.wrong.add()
            }
          }
        }
        begun.countDown()
        return nil
      }
      let report = try #require(reports[8])
      let snapshot = control.snapshot()
      #expect(report.isQuiet)
      #expect(calls.wrong.count == 0)
      #expect(ledger.duplicates == 0)
      #expect(snapshot.counts.reduce(0) { $0 + $1.molecules } == 1, "the state alone is there")
      // A call that was refused and one that was dropped both throw .stopped: there is at most one of them.
      let lost = accepted.count + calls.replied.count - ledger.consumed - snapshot.dropped
      #expect(lost == 0 || (lost == -1 && calls.stopped.count == 1), "in round \(round)")
      let consumedBefore = ledger.consumed
      for number in refused.all { ledger.consume(number) }
      #expect(ledger.consumed == consumedBefore + refused.count, "what was refused has not reacted")
      #expect(ledger.duplicates == 0)
    }
    await census.expectExtinction()
  }

  @Test(arguments: Run.setups)
  func `in a task that is cancelled stops it all the same`(setup: Setup) async throws {
    let (a, control) = Soup.define("cancelled", matcher: setup.matcher) { soup in
      let a = soup.slow("a", of: Int.self)
      let never = soup.slow("never")
      soup.react(a & never, on: setup.placement) { _, _ in }
      return (a, soup.control)
    }
    a(1)
    let report = await Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await control.stop(within: patience)
    }.value
    #expect(report.dropped == 1)
    #expect(!a(2))
  }
}

/// Bodies that take long, and those that stop their own soup.
@Suite(.watched, .serialized)
struct `Stopping a soup while bodies run` {
  @Test(arguments: Run.setups)
  func `ends at its deadline, and tells which bodies still run and where they are written`(setup: Setup) async throws {
    let door = Door()
    let line = #line + 5
    let (go, state, control) = Soup.define("blocked", matcher: setup.matcher) { soup in
      let go = soup.slow("go")
      let with = soup.slow("with", of: Int.self)
      let state = soup.state("state", 0)
      soup.react(state & go & with, on: setup.placement) { _, _, _ in door.pass() }
      return (go, with, soup.control)
    }
    Watchdog.watch(control)
    go()
    let body = aside { state(1) }
    await door.waitForVisitors(1)
    go()
    let running = "1 × state & go & with (\(#fileID):\(line))"
    let first = await control.stop(within: .milliseconds(5))
    #expect(first.running.map(\.description) == [running])
    #expect(first.description == "1 dropped, not quiet, still running: \(running)")
    let second = try await onThread { control.stopBlocking(within: .milliseconds(5)) }
    #expect(!second.isQuiet)
    #expect(second.dropped == 0)
    #expect(second.running == first.running)
    #expect(!go(), "it is stopped for all that")
    door.open()
    let last = await control.stop(within: patience)
    #expect(last.isQuiet && last.running.isEmpty)
    #expect(control.snapshot()["state"] == 1)
    try await body.value
  }

  @Test(arguments: Run.setups)
  func `from inside one of them returns at once and reports it`(setup: Setup) async throws {
    let reports = Log<StopReport>()
    let line = #line + 5
    let (go, wait, control) = Soup.define("inside", matcher: setup.matcher) { soup in
      let go = soup.slow("go")
      let wait = soup.slow("wait", of: Int.self)
      let control = soup.control
      soup.react(go, on: setup.placement) { _ in reports.append(control.stopBlocking(within: patience)) }
      soup.react(wait & wait & wait, on: setup.placement) { _, _, _ in }
      return (go, wait, soup.control)
    }
    Watchdog.watch(control)
    wait(1)
    wait(2)
    go()
    await control.settle()
    #expect(reports.all.map(\.isQuiet) == [false])
    #expect(reports.all.map(\.dropped) == [2])
    #expect(reports.all.first?.running.map(\.description) == ["1 × go (\(#fileID):\(line))"])
    #expect(!wait(3))
    let second = await control.stop(within: patience)
    #expect(second.isQuiet)
  }

  @Test(arguments: Run.setups)
  func `from inside a body that runs in another one returns at once too`(setup: Setup) async throws {
    let reports = Log<StopReport>()
    let (inner, innerControl) = Soup.define("inner", matcher: setup.matcher) { soup in
      let inner = soup.slow("inner", of: Control.self)
      soup.react(inner, on: .inline) { outer in reports.append(outer.stopBlocking(within: patience)) }
      return (inner, soup.control)
    }
    let (outer, control) = Soup.define("outer", matcher: setup.matcher) { soup in
      let outer = soup.slow("outer")
      let control = soup.control
      soup.react(outer, on: setup.placement) { _ in inner(control) }
      return (outer, soup.control)
    }
    Watchdog.watch(control)
    outer()
    await control.settle()
    await innerControl.settle()
    #expect(reports.all.map(\.isQuiet) == [false], "it would have waited for itself")
    #expect(!outer())
  }

  @Test(arguments: Run.setups)
  func `from a task that one of them waits for ends at its deadline and reports it`(setup: Setup) async throws {
    let reports = Log<StopReport>()
    let line = #line + 4
    let (go, control) = Soup.define("task", matcher: setup.matcher) { soup in
      let go = soup.slow("go")
      let control = soup.control
      soup.react(go, on: setup.placement) { _ in
        let door = Door()
        Task {
          reports.append(await control.stop(within: .milliseconds(5)))
          door.open()
        }
        door.pass()
      }
      return (go, soup.control)
    }
    Watchdog.watch(control)
    let body = aside { go() }
    while reports.count == 0 { await Task.yield() }
    try await body.value
    await control.settle()
    #expect(reports.all.map(\.isQuiet) == [false])
    #expect(reports.all.first?.running.map(\.description) == ["1 × go (\(#fileID):\(line))"])
  }

  @Test(arguments: ["word", "locked"])
  func `lets firings that are reserved run to their end`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("reserved when stopped")
      Pool.workers = 1
      let begun = Gate()
      let gate = Gate()
      let reacted = Tally()
      let (a, control) = Soup.define("reserved", matcher: Matcher(named: matcher)) { soup in
        let a = soup.slow("a", of: Int.self)
        soup.react(a) { number in
          if number == 0 {
            begun.open()
            gate.waitBlocking()
          }
          reacted.add()
        }
        return (a, soup.control)
      }
      for number in 0..<10 { a(number) }
      await begun.wait()
      let early = await control.stop(within: .milliseconds(1))
      #expect(early.dropped == 0, "they are consumed already")
      #expect(!early.isQuiet)
      gate.open()
      let late = await control.stop(within: patience)
      #expect(late.isQuiet)
      #expect(reacted.count == 10)
    }
  }

  @Test(arguments: ["word", "locked"])
  func `by a body of another soup leaves a pool of one worker enough threads`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("stopped by another's body", within: .seconds(60))
      Pool.workers = 1
      let reports = Log<StopReport>()
      let (work, control) = Soup.define("work", matcher: Matcher(named: matcher)) { soup in
        let work = soup.slow("work", of: Int.self)
        soup.react(work) { _ in }
        return (work, soup.control)
      }
      let (stop, stopper) = Soup.define("stopper", matcher: Matcher(named: matcher)) { soup in
        let stop = soup.slow("stop", of: Control.self)
        soup.react(stop) { control in
          for number in 0..<10 { work(number) }
          reports.append(control.stopBlocking(within: .seconds(5)))
        }
        return (stop, soup.control)
      }
      stop(control)
      await stopper.settle()
      #expect(reports.all.map(\.isQuiet) == [true])
    }
  }
}

/// Contract 9 and 7: control that does not own its soup.
@Suite(.watched, .serialized)
struct `Control of a soup that is gone` {
  @Test(arguments: matchers)
  func `does nothing`(matcher: Matcher) async throws {
    var smuggled: Control?
    let census = Census()
    do {
      let _: Injector<Live> = Soup.define("gone", matcher: matcher) { soup in
        let a = soup.slow("a", of: Live.self)
        let never = soup.slow("never")
        soup.react(a & never) { _, _ in }
        a(census.live())
        smuggled = soup.control
        return a
      }
    }
    let control = smuggled!
    #expect(census.alive == 0)
    control.pause()
    control.resume()
    #expect(control.clear() == 0)
    for report in [await control.stop(), try await onThread { control.stopBlocking() }] {
      #expect(report.description == "0 dropped, quiet")
    }
    await #expect(throws: RestartError.notStopped) { try await control.restart() }
    await #expect(throws: RestartError.notStopped) { try await onThread { try control.restartBlocking() } }
    #expect(control.snapshot().dropped == 0)
  }

  @Test(arguments: ["word", "locked"])
  func `restarts nothing, whatever its states were`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("restart of a soup that is gone")
      for isStopped in [false, true] {
        var smuggled: Control?
        do {
          let (_, owner): (Injector<Void>, Control) = Soup.define("gone", matcher: Matcher(named: matcher)) { soup in
            let list = soup.state("list", initially: { [1, 2, 3] })
            let go = soup.slow("go")
            soup.react(list & go) { list, _ in list.append(4) }
            smuggled = soup.control
            return (go, soup.control)
          }
          if isStopped { await owner.stop(within: patience) }
        }
        let control = smuggled!
        await #expect(throws: RestartError.notStopped) { try await control.restart() }
        await #expect(throws: RestartError.notStopped) { try await onThread { try control.restartBlocking() } }
      }
    }
  }

  @Test(arguments: Run.setups)
  func `ends well if the soup goes while it is being stopped`(setup: Setup) async throws {
    let census = Census()
    for round in 0..<scaled(40) {
      let owner = Shared<Injector<Live>>(nil)
      let smuggled = Shared<Control>(nil)
      owner.put(
        Soup.define("going", matcher: setup.matcher) { soup in
          let a = soup.slow("a", of: Live.self)
          soup.react(a & a & a, on: setup.placement) { _, _, _ in }
          smuggled.put(soup.control)
          return a
        })
      let control = smuggled.value!
      let meeting = Rendezvous(3)
      let reports = try await onThreads(3) { thread -> StopReport? in
        for number in 0..<4 where thread == 2 { owner.value?(census.live(number)) }
        meeting.meet()
        if thread == 0 { return control.stopBlocking(within: patience) }
        if thread == 1 {
          if round % 2 == 0 { control.clear() } else { control.pause() }
        } else {
          _ = owner.take()
        }
        return nil
      }
      let report = try #require(reports[0])
      #expect(report.isQuiet)
      #expect(report.dropped <= 1)
    }
    await census.expectExtinction()
  }
}
