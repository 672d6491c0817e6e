import Crucible
import CrucibleTestSupport
import Glibc
import Testing

/// The pool grows up to its limit, reports that it is reached, and shrinks again.
@Suite(.watched)
struct `The pool's size` {
  @Test func `The pool grows up to its limit, and reports it once until a thread is idle again`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("limit", workers: 1, limit: 4)
      let told = Log<Soup.Pool.Shortage>()
      Soup.Pool.onLimit = { told.append($0) }
      let (hold, _, control) = bodies()
      for episode in 1...4 {
        let (gate, began) = (Gate(), Latch(4))
        let refusals = Soup.Pool.status.limitReached
        for _ in 0..<10 { hold(Held(began: began, gate: gate)) }
        await began.wait()
        await eventually("the handler is called") { told.count == episode }
        for _ in 0..<10 { hold(Held(began: began, gate: gate)) }
        let status = Soup.Pool.status
        #expect(status.threads == 4 && status.blocked == 4 && status.idle == 0 && status.queuedFirings == 16)
        #expect(status.limitReached >= refusals + 11, "once for the waiting firings, and once for each new one")
        #expect(control.snapshot().pending == 20)
        gate.open()
        await control.settle()
        await Soup.Pool.shrinks(to: 1)
        await eventually("a worker is idle") { Soup.Pool.status.idle == 1 }
      }
      #expect(told.count == 4)
      for shortage in told.all {
        #expect(shortage.error == nil)
        #expect(shortage.status.threads == 4 && shortage.status.blocked == 4)
      }
    }
  }

  @Test func `The pool reports its limit on standard error unless there is a handler`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("standard error")
      let error = StandardError()
      Soup.Pool.workers = 1
      Soup.Pool.limit = 2
      let (hold, _, control) = bodies()
      let gate = Gate()
      for _ in 0..<5 { hold(Held(began: Latch(5), gate: gate)) }
      let line = try await onThread { error.line() }
      let expected = "Crucible: the pool has reached its limit of 2 threads, 2 of which are blocked ("
      #expect(line.hasPrefix(expected) && line.contains("Pool.limit"), "\(line)")
      gate.open()
      await control.settle()
      await eventually("a worker is idle") { Soup.Pool.status.idle == 1 }
      // The default handler says the same.
      let first = Soup.Pool.onLimit
      let text = Shared<String>(nil)
      Soup.Pool.onLimit = {
        text.put($0.description)
        first($0)
      }
      let again = Gate()
      for _ in 0..<5 { hold(Held(began: Latch(5), gate: again)) }
      let second = try await onThread { error.line() }
      #expect(second == text.value! + "\n" && second.hasPrefix(expected))
      again.open()
      await control.settle()
    }
  }

  @Test func `The handler of the pool's limit may raise it, and may call and wait as any other code`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("raised", workers: 1, limit: 1)
      let (depth, _) = Soup.Options().define(fast("depth", of: Int.self, returning: Int.self)) { soup, depth in
        soup.react(depth) { call in
          call.reply(call.input == 0 ? 0 : 1 + ((try? depth.blocking(call.input - 1)) ?? -1000))
        }
      }
      let (calls, atOnce) = (Tally(), Tally())
      Soup.Pool.onLimit = { shortage in
        #expect(atOnce.add() == 1)
        // This call cannot succeed, because it needs a thread. So does every other one until the limit is raised.
        #expect(depth.blockingOutcome(0, within: .milliseconds(1)) == .failure(.timedOut))
        calls.add()
        Soup.Pool.limit = shortage.status.limit + 3
        atOnce.add(-1)
      }
      let reached = try await depth(30)
      #expect(reached == 30)
      #expect(calls.count > 1)
    }
  }

  @Test func `The pool ends threads above a lowered limit, but never the last one that can run`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("lowered", workers: 2)
      let (hold, go, control) = bodies()
      let gates = (0..<8).map { _ in Gate() }
      let began = Latch(8)
      for gate in gates { hold(Held(began: began, gate: gate)) }
      await began.wait()
      Soup.Pool.limit = 2
      #expect(Soup.Pool.status.threads >= 8)
      for (index, gate) in gates.enumerated() {
        gate.open()
        let one = Latch(1)
        go(one)
        await one.wait()
        let most = max(2, 8 - index)
        await eventually("the pool has at most \(most) threads") { Soup.Pool.status.threads <= most }
      }
      await control.settle()
      #expect(Soup.Pool.status.blocked == 0)
    }
  }

  @Test(arguments: [1, 8])
  func `The pool shrinks while the threads that are back go on`(workers: Int) async {
    await #expect(processExitsWith: .success) { [workers = workers as Int] in
      Watchdog.guardProcess("back", workers: workers)
      let (_, go, control) = bodies()
      let (begin, busy) = Soup.Options().react(slow("begin", of: Held.self)) { held in
        Soup.Pool.blocking {
          held.began.countDown()
          held.gate.waitBlocking()
        }
        held.end.waitBlocking()
      }
      for _ in 0..<scaled(20) {
        let held = Held(began: Latch(workers), gate: Gate())
        for _ in 0..<workers { begin(held) }
        await held.began.wait()
        let all = Latch(workers)
        for _ in 0..<workers { go(all) }
        await all.wait()
        await control.settle()
        await eventually("half of the threads sleep") {
          Soup.Pool.status.idle == workers && Soup.Pool.status.threads == 2 * workers
        }
        held.gate.open()
        await eventually("only threads that have continued are left") {
          Soup.Pool.status.threads == workers && Soup.Pool.status.idle == 0 && Soup.Pool.status.blocked == 0
        }
        held.end.open()
        await busy.settle()
      }
    }
  }

  @Test func `The pool follows the number of workers, up and down`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("up and down")
      let (_, go, control) = bodies()
      for workers in [8, 2, 5, 1] {
        Soup.Pool.workers = workers
        await eventually("the pool has at most \(workers) threads") { Soup.Pool.status.threads <= workers }
        let all = Latch(workers)
        for _ in 0..<workers { go(all) }
        await all.wait()
        await control.settle()
        #expect(Soup.Pool.status.threads == workers)
        await eventually("all workers sleep") { Soup.Pool.status.idle == workers }
      }
    }
  }

  @Test func `The pool describes its size and its threads in one line`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("one line", workers: 1, limit: 2)
      Soup.Pool.onLimit = { _ in }
      let (hold, _, control) = bodies()
      let (gate, began) = (Gate(), Latch(2))
      for _ in 0..<2 { hold(Held(began: began, gate: gate)) }
      await began.wait()
      #expect(
        Soup.Pool.status.description.hasPrefix(
          "2 threads for 1 workers, limit 2: 2 blocked, 0 idle; 0 firings queued; limit reached "))
      #expect(Soup.Pool.status.queuedFirings == 0)
      gate.open()
      await control.settle()
    }
  }

  @Test(arguments: matcherNames, [1, 2, 5])
  func `The pool runs as many bodies at once as it has workers, and no more`(matcher: String, workers: Int) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String, workers = workers as Int] in
      Watchdog.guardProcess("workers", workers: workers)
      #expect(Soup.Pool.workers == workers)
      let (running, most) = (Tally(), Shared<Int>(0))
      let (go, control) = Matcher(matcher)!.react(slow("go", of: Latch.self)) { all in
        let now = running.add()
        if now > most.value! { most.put(now) }
        // Continues when `workers` bodies run at once. With fewer threads it would wait for ever.
        all.countDown()
        all.waitBlocking()
        running.add(-1)
      }
      for _ in 0..<20 {
        let all = Latch(workers)
        for _ in 0..<workers { go(all) }
        await control.settle()
      }
      #expect(most.value == workers)
    }
  }

  @Test(arguments: matcherNames)
  func `A pool of one worker serves calls whose reply needs another body`(matcher: String) async {
    await #expect(processExitsWith: .success) { [matcher = matcher as String] in
      Watchdog.guardProcess("one worker, two bodies", workers: 1)
      let done = Log<Int>()
      let (start, _, _, _, control) = Matcher(matcher)!.define(
        slow("start", of: Int.self), fast("ask", of: Int.self, returning: Int.self), slow("help", of: Int.self),
        slow("ready", of: Int.self), named: "needs another"
      ) { soup, start, ask, help, ready in
        soup.react(start) { n in
          help(n)
          if let reply = try? ask.blocking(n) { done.append(reply) }
        }
        soup.react(help) { ready($0) }
        soup.react(ask, ready) { call, n in call.reply(n) }
      }
      for n in 0..<200 { start(n) }
      await control.settle()
      #expect(done.all.sorted() == Array(0..<200))
    }
  }

  @Test(arguments: matchers)
  func `The pool serves a molecule from outside while endless chains of its own run`(matcher: Matcher) async {
    let (stop, served) = (Gate(), Gate())
    let (chain, other, control) = matcher.define(slow("chain"), slow("other")) { soup, chain, other in
      soup.react(chain) { _ in if !stop.isOpen { chain() } }
      soup.react(other) { _ in served.open() }
    }
    // There are more endless chains than workers.
    for _ in 0..<2 * Soup.Pool.workers { chain() }
    other()
    await served.wait()
    stop.open()
    await control.settle()
  }

  @Test func `The pool reports threads that the system refuses, loses no work, and makes them later`() async {
    await #expect(processExitsWith: .success) {
      Watchdog.guardProcess("no thread")
      let error = StandardError()
      Soup.Pool.workers = 1
      let told = Log<Soup.Pool.Shortage>()
      Soup.Pool.onLimit = { told.append($0) }
      let (hold, go, control) = bodies()
      let (gate, began, all) = (Gate(), Gate(), Latch(1))
      let line = try await onThread {
        hold(Held(began: Latch(1), gate: began))
        while Soup.Pool.status.blocked == 0 { sched_yield() }
        return AddressSpace.withoutRoomForStacks {
          // The only thread blocks, and there is no other one for this.
          go(all)
          return error.line()
        }
      }
      let reason = String(cString: strerror(EAGAIN))
      let expected = "Crucible: the pool can get no more threads (\(reason)) than its 1, 1 of which"
      #expect(line.hasPrefix(expected), "\(line)")
      #expect(Soup.Pool.status.limitReached == 0 && Soup.Pool.status.queuedFirings == 1)
      #expect(told.count == 0, "no thread can run the handler either")
      // Nothing is lost. The blocked thread runs it when it continues.
      began.open()
      await all.wait()
      await control.settle()
      await eventually("the handler is called when a thread can be made") { told.count == 1 }
      #expect(told.all.first?.error == EAGAIN)
      // From now on, threads can be made again.
      hold(Held(began: Latch(1), gate: gate))
      let another = Latch(1)
      go(another)
      await another.wait()
      gate.open()
      await control.settle()
    }
  }
}
