import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `Observers` {
  @Test(arguments: Run.setups)
  func `An observer sees what is injected, consumed, begun and ended, in this order`(setup: Setup) async {
    let log = Log<String>()
    let (a, b, control) = setup.react(slow("a", of: Int.self), slow("b")) { _, _ in }
    let observation = control.observe { log.append(words($0)) }
    a(1)
    b()
    await control.settle()
    observation.end()
    a(2)
    b()
    await control.settle()
    #expect(
      log.all == [
        "injected a", "injected b", "consumed a by a & b", "consumed b by a & b", "started a & b", "finished a & b",
      ])
  }

  @Test(arguments: matchers)
  func `An observer sees errors, and callers that get replies`(matcher: Matcher) async throws {
    let log = Log<String>()
    let (good, bad, control) = Soup.Options(
      matcher: matcher, placement: .inline, onError: ignored, observer: told(to: log)
    ).define(fast("good", returning: Int.self), slow("bad")) { soup, good, bad in
      soup.react(good) { $0.reply(1) }
      soup.react(bad) { _ in throw Boom(1) }
    }
    #expect(try await good() == 1)
    #expect(try await onThread { try good.blocking() } == 1)
    bad()
    await control.settle()
    let call = ["injected good", "consumed good by good", "started good", "replied to good", "finished good"]
    let error = ["injected bad", "consumed bad by bad", "started bad", "threw bad: \(Boom(1))"]
    #expect(log.all == ["made"] + call + call + error)
  }

  @Test(arguments: matchers)
  func `An observer sees async bodies as it sees others`(matcher: Matcher) async throws {
    let log = Log<String>()
    let (call, control) = matcher.with(observer: told(to: log)).define(fast("call", returning: Int.self)) {
      soup, call in
      let n = soup.state("n", 0)
      soup.react(state: n, call) { n, call in
        n += 1
        await Task.yield()
        call.reply(n)
        if n == 2 { throw Boom(1) }
      }
    }
    #expect(try await call() == 1)
    await control.settle()
    #expect(try await call() == 2)
    await control.settle()
    let begin = ["injected call", "consumed n by n & call", "consumed call by n & call", "started n & call"]
    #expect(
      log.all == ["made"] + begin + ["replied to call", "finished n & call"] + begin
        + ["replied to call", "threw n & call: \(Boom(1))"])
  }

  @Test(arguments: matchers)
  func `An observer sees calls that are given up`(matcher: Matcher) async throws {
    let log = Log<String>()
    let (call, _, control) = matcher.with(observer: told(to: log)).define(
      fast("call", returning: Int.self), slow("never")
    ) { soup, call, never in
      soup.react(call, never) { call, _ in call.reply(1) }
      soup.allow(.neverServed, of: call)
    }
    await #expect(throws: CallError.timedOut) { try await call(within: .zero) }
    let task = Task { try await call() }
    while control.snapshot().waitingCallers == 0 { await Task.yield() }
    task.cancel()
    await #expect(throws: CallError.cancelled) { try await task.value }
    #expect(await call.outcome(within: .zero, .blocking) == .failure(.timedOut))
    #expect(
      log.all == [
        "made", "injected call", "timed out: call", "withdrew call", "injected call", "cancelled: call",
        "withdrew call",
        "injected call", "timed out: call", "withdrew call",
      ])
    #expect(control.snapshot().withdrawn == 3)
  }

  @Test(arguments: matchers)
  func `An observer sees what control does, and when the soup is gone`(matcher: Matcher) async throws {
    let log = Log<String>()
    do {
      let (a, go, control) = Soup.Options(matcher: matcher, observer: told(to: log)).react(
        slow("a"), slow("go"), on: .inline
      ) { _, _ in }
      control.pause()
      a.inject(count: 3)
      go()
      control.resume()
      control.clear()
      a()
      await control.stop()
      #expect(!a())
      try await control.restart()
    }
    await eventually("the soup is gone: \(log.all)") { log.all.last == "gone" }
    #expect(
      log.all == [
        "made", "paused", "injected 3 a", "injected go", "resumed", "consumed a by a & go", "consumed go by a & go",
        "started a & go", "finished a & go", "cleared, 2 dropped", "injected a", "stopped, 1 dropped", "restarted",
        "gone",
      ])
  }

  @Test func `An observer of every soup sees them all, but nothing before or after it observes`() async {
    await #expect(processExitsWith: .success) {
      let log = Log<String>()
      let before = quick("before").0
      let observation = Soup.observe { log.append("\($0.soup.label) \(words($0))") }
      before()
      do {
        let during = quick("during").0
        during()
      }
      observation.end()
      before()
      _ = quick("after")
      #expect(
        log.all == [
          "before injected a", "before consumed a by a", "before started a", "before finished a", "during made",
          "during injected a", "during consumed a by a", "during started a", "during finished a", "during gone",
        ])
    }
  }

  @Test(arguments: Run.setups)
  func `Observers come and go, and count what happens between two quiet moments`(setup: Setup) async throws {
    let (a, _, control) = setup.define(slow("a", of: Int.self), slow("token")) { soup, a, token in
      soup.react(a, token) { _, _ in token() }
      token()
    }
    for _ in 0..<4 {
      await control.settle()
      let (consumed, finished, others) = (Tally(), Tally(), Tally())
      let observation = control.observe { event in
        switch event.kind {
        case .consumed(let molecule, by: _): if molecule.is(a) { consumed.add() }
        case .finished: finished.add()
        default: break
        }
      }
      try await onThreads(4) { thread in
        for n in 0..<200 {
          a(n)
          if thread == 0 && n % 20 == 0 { control.observe { _ in others.add() }.end() }
        }
      }
      await control.settle()
      observation.end()
      #expect(consumed.count == 800 && finished.count == 800)
    }
  }

  @Test func `An observer may end its own observation, and inject`() async {
    let log = Log<String>()
    let (a, control) = Soup.Options().react(slow("a"), on: .inline) { _ in }
    let observation = Shared<Soup.Observation>(nil)
    observation.put(
      control.observe { event in
        log.append(words(event))
        if case .started = event.kind {
          observation.value!.end()
          a()
        }
      })
    a()
    await control.settle()
    #expect(log.all == ["injected a", "consumed a by a", "started a"])
  }
}
