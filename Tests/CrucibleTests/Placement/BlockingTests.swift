import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// Bodies that block do not starve the others. The pool grows while they block, and shrinks when they continue.
@Suite(.watched)
struct `Blocking in bodies` {
  /// Each body waits for the next one, which has no thread unless the pool replaces the waiting ones.
  @Test(arguments: matcherNames, WayToBlock.allCases.map(\.rawValue))
  func `Twenty nested bodies that block do not starve the reaction that they wait for, with one worker`(
    matcher: String, way: String
  ) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String, way = way as String] in
      Watchdog.guardProcess("twenty deep", workers: 1)
      let end = Gate()
      let (begin, control) = chain(Matcher(matcher)!, WayToBlock(rawValue: way)!, end)
      begin(20)
      await end.wait()
      await control.settle()
      #expect(Soup.Pool.status.limitReached == 0)
      await Soup.Pool.shrinks(to: 1)
    }
  }

  @Test(arguments: matcherNames)
  func `Code marked as blocking keeps nothing that it injects on its own thread`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("injected while blocking", workers: 1, limit: 1)
      Soup.Pool.onLimit = { _ in }
      let done = Gate()
      let (begin, _, _) = Matcher(matcher)!.define(slow("begin"), slow("open", of: Gate.self)) { soup, begin, open in
        soup.react(begin) { _ in
          let gate = Gate()
          Soup.Pool.blocking {
            open(gate)
            #expect(Soup.Pool.status.queuedFirings == 1, "no other thread can take the firing yet")
            Soup.Pool.limit = 2
            gate.waitBlocking()
          }
          done.open()
        }
        soup.react(open) { $0.open() }
      }
      begin()
      await done.wait()
    }
  }

  @Test func `Bodies that block leave as many other bodies running as there are workers`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("beside", workers: 3)
      let (hold, go, control) = bodies()
      let (gate, began) = (Gate(), Latch(7))
      for _ in 0..<7 { hold(Held(began: began, gate: gate)) }
      await began.wait()
      // These block unmarked, so that three of them run at once only if three threads can.
      let all = Latch(3)
      for _ in 0..<3 { go(all) }
      await all.wait()
      #expect(Soup.Pool.status.blocked == 7)
      #expect(Soup.Pool.status.threads == 10)
      gate.open()
      await control.settle()
      await Soup.Pool.shrinks(to: 3)
    }
  }

  @Test func `The pool lists its threads, with the bodies that block and work`() async {
    let (entered, spinning, gate, end) = (Gate(), Gate(), Gate(), Gate())
    let (block, spin, control) = Soup.Options().define(slow("block"), slow("spin"), named: "shown") {
      soup, block, spin in
      soup.react(block, on: .pool) { _ in
        Soup.Pool.blocking {
          entered.open()
          gate.waitBlocking()
        }
      }
      soup.react(spin, on: .pool) { _ in
        spinning.open()
        while !end.isOpen {}
      }
    }
    block()
    await entered.wait()
    spin()
    await spinning.wait()
    let threads = Soup.Pool.threads.filter { $0.runs(in: control) }
    end.open()
    gate.open()
    await control.settle()
    let shown = threads.map { "\($0.state) in \($0.body?.reaction.pattern ?? "nothing")" }
    #expect(shown.sorted() == ["blocked in block", "working in spin"])
    #expect(Set(threads.map(\.number)).count == 2)
    #expect(Soup.Pool.threads.allSatisfy { !$0.runs(in: control) })
  }

  @Test func `The pool counts a blocked thread once, however deeply its code is marked`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("nested marks", workers: 1)
      let gates = (0..<3).map { _ in (entered: Gate(), left: Gate()) }
      let (begin, _, control) = Soup.Options().define(
        slow("begin"), fast("answer", returning: Int.self), named: "nested"
      ) { soup, begin, answer in
        soup.react(begin) { _ in
          Soup.Pool.blocking {
            Soup.Pool.blocking {
              Soup.Pool.sleep(for: .nanoseconds(1))
              // Runs on another thread, because this one blocks.
              #expect((try? answer.blocking()) == 1)
              gates[0].entered.open()
              gates[0].left.waitBlocking()
            }
            gates[1].entered.open()
            gates[1].left.waitBlocking()
          }
          gates[2].entered.open()
          gates[2].left.waitBlocking()
        }
        soup.react(answer) { $0.reply(1) }
      }
      begin()
      for (index, blocked) in [1, 1, 0].enumerated() {
        await gates[index].entered.wait()
        #expect(Soup.Pool.status.blocked == blocked, "at mark \(index)")
        gates[index].left.open()
      }
      await control.settle()
      #expect(Soup.Pool.status.blocked == 0)
      await Soup.Pool.shrinks(to: 1)
    }
  }

  @Test func `Code marked as blocking passes on what it returns or throws, and counts on the pool alone`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("other threads")
      try await onThread {
        #expect(Soup.Pool.blocking { Soup.Pool.status.blocked } == 0)
        let error = #expect(throws: Boom.self) { () throws(Boom) in
          try Soup.Pool.blocking { () throws(Boom) -> Int in throw Boom(1) }
        }
        #expect(error == Boom(1))
      }
    }
  }

  @Test func `The pool counts no thread as blocked once its marked code has thrown`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("thrown", workers: 1)
      let blocked = Log<Int>()
      let (begin, control) = Soup.Options().react(slow("begin")) { _ in
        try? Soup.Pool.blocking { () throws(Boom) in
          blocked.append(Soup.Pool.status.blocked)
          throw Boom(1)
        }
        blocked.append(Soup.Pool.status.blocked)
      }
      begin()
      await control.settle()
      #expect(blocked.all == [1, 0])
    }
  }

  /// Inline bodies that nest too deeply are deferred to their thread. It would run them only after the marked code.
  @Test func `Code marked as blocking keeps nothing that inline bodies deferred before`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("deferred", workers: 1)
      let (_, go, control) = bodies()
      let (end, began) = (Gate(), Latch(2))
      let (a, _) = Soup.Options().define(slow("a", of: Int.self)) { soup, a in
        soup.react(a, on: .inline) { n in
          if n == 0 { return end.open() }
          a(n - 1)
          if n != 20 { return }
          Soup.Pool.blocking {
            #expect(Soup.Pool.status.queuedFirings == 1, "the only worker is busy")
            began.countDown()
            end.waitBlocking()
          }
        }
      }
      go(began)
      while Soup.Pool.status.threads == 0 || Soup.Pool.status.queuedFirings > 0 { await Task.yield() }
      try await onThread { a(40) }
      #expect(end.isOpen)
      await control.settle()
    }
  }
}

/// The ways in which a body may block, by the library's own means.
enum WayToBlock: String, CaseIterable {
  case call, limitedCall, marked, sleep, quiet
}

/// Makes `begin(n)`. Its body blocks until that of `n - 1` is done. The last one opens `end`.
private func chain(_ matcher: Matcher, _ way: WayToBlock, _ end: Gate) -> (Injector<Int>, Soup.Control) {
  matcher.define(slow("begin", of: Int.self)) { soup, begin in
    let links = Links(
      next: soup.fast("next", of: Int.self, returning: Int.self), open: soup.slow("open", of: Links.Opening.self))
    soup.react(begin) { n in
      links.block(way, n)
      end.open()
    }
    soup.react(links.next) { call in
      links.block(way, call.input - 1)
      call.reply(call.input)
    }
    soup.react(links.open) { opening in
      links.block(way, opening.rest - 1)
      opening.gate.open()
    }
  }
}

private struct Links: Sendable {
  /// A body that opens `gate` when it is done, and has `rest` to go.
  struct Opening: Sendable {
    let rest: Int
    let gate: Gate
  }

  let next: FastInjector<Int, Int>
  let open: Injector<Opening>

  /// Blocks until the next body of the chain is done. If `n` is 0, there is none.
  @available(*, noasync)
  func block(_ way: WayToBlock, _ n: Int) {
    if n == 0 { return }
    let gate = Gate()
    switch way {
    case .call: #expect((try? next.blocking(n)) == n)
    case .limitedCall: #expect((try? next.blocking(n, within: patience)) == n)
    case .marked:
      open(Opening(rest: n, gate: gate))
      Soup.Pool.blocking { gate.waitBlocking() }
    case .sleep:
      open(Opening(rest: n, gate: gate))
      while !gate.isOpen { Soup.Pool.sleep(for: .microseconds(100)) }
    case .quiet:
      let (other, control) = Soup.Options().react(slow("other")) { _ in
        open(Opening(rest: n, gate: gate))
        Soup.Pool.blocking { gate.waitBlocking() }
      }
      other()
      #expect(control.blocking.quiet(within: patience))
      #expect(gate.isOpen)
    }
  }
}

/// `Pool.sleep` lasts as long as asked for, on any thread.
@Suite(.watched)
struct `Sleeping` {
  @Test func `Pool.sleep lasts as long as asked for, whatever signals come`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("signals")
      signal(SIGUSR1) { _ in }
      let (slept, sleeper) = (Gate(), Shared<UInt>(nil))
      async let took = onThread {
        // The threads that made this one may block signals, which it inherits.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGUSR1)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        sleeper.put(UInt(pthread_self()))
        defer { slept.open() }
        return ContinuousClock().measure { Soup.Pool.sleep(for: .milliseconds(100)) }
      }
      while sleeper.value == nil { await Task.yield() }
      while !slept.isOpen {
        pthread_kill(pthread_t(sleeper.value!), SIGUSR1)
        await Task.yield()
      }
      let duration = try await took
      #expect(duration >= .milliseconds(100))
    }
  }

  @Test func `Pool.sleep ends at once for no time, or less`() async throws {
    try await onThread {
      Soup.Pool.sleep(for: .zero)
      Soup.Pool.sleep(for: .seconds(-1))
      Soup.Pool.sleep(for: .seconds(Int64.min))
    }
  }

  @Test func `Pool.sleep lasts as long as asked for in a body on the pool`() async {
    let took = Shared<Duration>(nil)
    let (begin, control) = Soup.Options().react(slow("begin")) { _ in
      took.put(ContinuousClock().measure { Soup.Pool.sleep(for: .milliseconds(20)) })
    }
    begin()
    await control.settle()
    #expect(took.value! >= .milliseconds(20))
  }
}
