import CCrucible
import CrucibleTestSupport
import Testing

@testable import Crucible

/// The events that observers get where one thing happens during another.
@Suite(.watched)
struct `Observations` {
  @Test func `An observation does not keep its soup`() async {
    let log = Log<String>()
    let observation: Soup.Observation
    do {
      let (a, control) = quick("short")
      observation = control.observe(told(to: log))
      a()
    }
    // Another test of all soups may hold this one for a moment.
    await eventually("the soup is gone: \(log.all)") { log.all.last == "gone" }
    #expect(log.all == ["injected a", "consumed a by a", "started a", "finished a", "gone"])
    observation.end()
  }

  @Test func `An observation of a soup without names sees that it is made and gone`() async {
    let log = Log<String>()
    Soup.define("void", with: .init(allowing: [.inert], observer: told(to: log))) { _ in }
    await eventually("the soup is gone: \(log.all)") { log.all.last == "gone" }
    #expect(log.all == ["made", "gone"])
  }

  @Test(arguments: matchers)
  func `An observation sees the end of a body in whose middle an async one throws`(matcher: Matcher) async {
    let log = Log<String>()
    let (outer, _, control) = matcher.on(.inline).with(onError: ignored).define(slow("outer"), slow("inner")) {
      soup, outer, inner in
      soup.react(outer) { _ in inner() }
      soup.react(inner) { (_) async throws -> Void in throw Boom(1) }
    }
    control.observe(told(to: log))
    outer()
    await control.settle()
    #expect(
      log.all == [
        "injected outer", "consumed outer by outer", "started outer", "injected inner", "consumed inner by inner",
        "started inner", "threw inner: \(Boom(1))", "finished outer",
      ])
  }

  @Test func `An observation sees the end of a body in whose middle one of another soup throws`() {
    let log = Log<String>()
    let (inner, _) = Soup.Options(placement: .inline, onError: ignored).react(slow("inner")) { _ in throw Boom(1) }
    let (outer, control) = Soup.Options(placement: .inline).react(slow("outer")) { _ in inner() }
    control.observe(told(to: log))
    outer()
    #expect(log.all == ["injected outer", "consumed outer by outer", "started outer", "finished outer"])
  }

  @Test(arguments: matchers)
  func `An observation sees inputs that are put back as injected again`(matcher: Matcher) async throws {
    let (log, failures) = (Log<String>(), Log<Bool>())
    let (value, void, call, control) = Soup.Options(matcher: matcher, placement: .inline, observer: told(to: log))
      .define(slow("value", of: Int.self), slow("void"), fast("call", returning: Int.self)) { soup, value, void, call in
        // Returns true on every second call, beginning with the first one.
        @Sendable func fails() -> Bool {
          failures.append(true)
          return failures.count % 2 == 1
        }
        soup.react(value, recovery: .retry(limit: 1)) { _ in if fails() { throw Boom(1) } }
        soup.react(void, recovery: .retry(limit: 1)) { _ in if fails() { throw Boom(1) } }
        soup.react(call, recovery: .retry(limit: 1)) { call in
          if fails() { throw Boom(1) }
          call.reply(1)
        }
      }
    value(1)
    void()
    #expect(try await call() == 1)
    #expect(try await onThread { try call.blocking() } == 1)
    await control.settle()
    func twice(_ name: String, _ inner: [String] = []) -> [String] {
      let begin = ["injected \(name)", "consumed \(name) by \(name)", "started \(name)"]
      return begin + ["threw \(name): \(Boom(1))"] + begin + inner + ["finished \(name)"]
    }
    let calls = twice("call", ["replied to call"])
    #expect(log.all == ["made"] + twice("value") + twice("void") + calls + calls)
  }

  @Test(arguments: matchers)
  func `An observation sees molecules that the definition held, in their order`(matcher: Matcher) async {
    let log = Log<String>()
    let (_, _, _, control) = Soup.Options(matcher: matcher, placement: .inline, observer: told(to: log)).define(
      slow("a", of: Int.self), slow("b"), slow("never")
    ) { soup, a, b, never in
      soup.react(a, b, never) { _, _, _ in }
      a(1)
      a.inject(contentsOf: [2, 3])
      b.inject(count: 2)
      b()
    }
    await control.settle()
    #expect(log.all == ["made", "injected a", "injected a", "injected a", "injected 2 b", "injected b"])
  }

  /// A lock-free matcher drops the molecule like one that was on its way at the stop.
  @Test(arguments: matchers)
  func `An observation sees the refusal of a held call when the soup is stopped`(matcher: Matcher) async throws {
    let (log, caller) = (Log<String>(), Shared<Task<Result<Int, CallError>, Never>>(nil))
    let control = try await onThread {
      Soup.define("stopped early", with: .init(matcher: matcher, placement: .inline, observer: told(to: log))) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let halt = soup.slow("halt")
        let control = soup.control
        soup.react(ask) { call in call.reply(call.input) }
        soup.react(halt) { _ in control.blocking.stop() }
        halt()
        caller.put(Task.detached { await WayToCall.suspending.call(ask, 4) })
        while control.explain().callers.isEmpty {}
        return control
      }
    }
    #expect(await caller.value!.value == .failure(.stopped))
    await control.settle()
    let refused = crucible_matcher_is_lock_free(matcher.core) ? [] : ["refused ask"]
    #expect(log.all.filter { $0.hasSuffix(" ask") } == ["injected ask"] + refused + ["failed: ask"])
  }

  @Test(arguments: matchers)
  func `An observation may begin and end while the soup is stopped`(matcher: Matcher) async throws {
    let log = Log<String>()
    let (a, control) = quick("stopped", matcher)
    await control.stop()
    let observation = control.observe(told(to: log))
    a()
    try await control.restart()
    a()
    let during = ["restarted", "injected a", "consumed a by a", "started a", "finished a", "stopped, 0 dropped"]
    await control.stop()
    observation.end()
    try await control.restart()
    a()
    #expect(log.all == during)
  }

  @Test(arguments: matchers)
  func `An observation sees nothing of a soup that is gone, not even a reply`(matcher: Matcher) async {
    let (log, kept, begun) = (Log<String>(), Shared<Call<Void, Int>>(nil), Gate())
    let smuggled = Shared<FastInjector<Void, Int>>(nil)
    let caller: Task<Result<Int, CallError>, Never>
    do {
      let (_, go, _) = matcher.on(.inline).with(observer: told(to: log)).define(
        fast("ask", returning: Int.self), slow("go")
      ) { soup, ask, go in
        soup.react(ask, go) { call, _ in
          kept.put(call)
          begun.open()
        }
        smuggled.put(ask)
      }
      go()
      caller = Task.detached { [ask = smuggled.value!] in await ask.outcome() }
      await begun.wait()
    }
    await eventually("the soup is gone: \(log.all)") { log.all.last == "gone" }
    kept.take()!.reply(7)
    #expect(await caller.value == .success(7))
    #expect(log.all.last == "gone" && !log.all.contains("replied to ask"))
  }

  @Test(arguments: matchers)
  func `An observer may look at the soup in the middle of whatever happens`(matcher: Matcher) async throws {
    let (log, looked) = (Log<String>(), Tally())
    let (a, ask, _, control) = Soup.Options(
      matcher: matcher, placement: .inline, onError: ignored, allowing: [.neverServed]
    ).define(slow("a", of: Int.self), fast("ask", returning: Int.self), slow("never")) { soup, a, ask, never in
      let n = soup.state("n", 0)
      soup.react(state: n, a) { _, k in if k < 0 { throw Boom(k) } }
      soup.react(ask, never) { call, _ in call.reply(1) }
    }
    control.observe { event in
      log.append(words(event))
      _ = (control.explain().description, control.snapshot(), control.description, control.graph, control.warnings)
      control.observe { _ in }.end()
      Soup.observe { _ in }.end()
      looked.add()
    }
    a(1)
    a(-1)
    a.inject(contentsOf: [1, 2])
    #expect(await ask.outcome(within: .zero) == .failure(.timedOut))
    control.pause()
    a(1)
    control.resume()
    control.clear()
    await control.stop()
    try await control.restart()
    await control.settle()
    #expect(looked.count == log.count && log.all.contains("withdrew ask") && log.all.last == "restarted")
  }

  @Test func `An observation that ends may end other observations with it`() async {
    await #expect(processExitsWith: .success) {
      let (a, control) = quick("chain")
      let log = Log<String>()
      for isReversed in [false, true] {
        let last = Ending([control.observe(told(to: log)), Soup.observe(told(to: log))])
        let first = [control.observe { [last] _ in _ = last }, Soup.observe { [last] _ in _ = last }]
        _ = consume last
        for observation in isReversed ? first.reversed() : first { observation.end() }
      }
      a()
      #expect(log.all == [])
    }
  }

  @Test(arguments: matchers)
  func `An observation sees the bodies that a loop drops when it goes away`(matcher: Matcher) async {
    let log = Log<String>()
    let loop = ThreadLoop(isRunning: false)
    let (a, b, control) = matcher.on(.loop(loop)).with(onError: ignored).define(slow("a"), slow("b"), named: "left") {
      soup, a, b in
      soup.react(a) { _ in }
      soup.react(b) { _ in await Task.yield() }
    }
    control.observe(told(to: log))
    a()
    while loop.waiting < 1 { await Task.yield() }
    b()
    while loop.waiting < 2 { await Task.yield() }
    loop.go()
    await control.settle()
    #expect(log.all.prefix(2) == ["injected a", "injected b"])
    let gone = "\(LoopGone())"
    #expect(
      Set(log.all.dropFirst(2)) == [
        "consumed a by a", "threw a: \(gone)", "consumed b by b", "threw b: \(gone)",
      ])
    #expect(log.count == 6)
  }
}

/// Observers of all soups.
@Suite(.watched, .serialized)
struct `Observing every soup` {
  @Test func `An observation of every soup may begin in the middle of a definition's end`() async {
    await #expect(processExitsWith: .success) {
      let log = Log<String>()
      let begin: @Sendable (Soup.Event) -> Void = { event in
        if case .made = event.kind { Soup.observe(told(to: log)) }
      }
      let (a, _) = Soup.Options(matcher: .word, placement: .inline, observer: begin).react(slow("a")) { _ in }
      a()
      #expect(log.all.suffix(4) == ["injected a", "consumed a by a", "started a", "finished a"])
    }
  }
}

/// Ends observations when it is destroyed.
private final class Ending: Sendable {
  private let observations: [Soup.Observation]

  init(_ observations: [Soup.Observation]) { self.observations = observations }
  deinit { for observation in observations { observation.end() } }
}
