import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// A molecule keeps its injector's context until a body has it.
@Suite(.watched, .serialized)
struct `The context of an injector` {
  @Test(arguments: matchers, Place.tasks)
  func `A body has the context of a molecule that spilled`(matcher: Matcher, place: Place) async {
    let seen = SeenContexts()
    let (names, control) = matcher.on(place.placement).react(slow("n", of: Int.self, count: 31)) { values in
      seen.append(values[0])
    }
    for n in 1...40 { inject(n) { _ = names[0](n) } }
    inject(-1) { for name in names[1...] { name.inject(contentsOf: Array(repeating: 0, count: 40)) } }
    await control.settle()
    seen.expect(1...40)
  }

  @Test(arguments: matchers, Place.tasks)
  func `A body has the context of its first call, else of its first value, else of its first molecule`(
    matcher: Matcher, place: Place
  ) async throws {
    let seen = SeenContexts()
    let (a, b, pair, go, ask, control) = matcher.on(place.placement).define(
      slow("a"), slow("b", of: Int.self), slow("pair"), slow("go"), fast("ask", returning: Int.self)
    ) { soup, a, b, pair, go, ask in
      let state = soup.state("state", 0)
      soup.react(a, b) { _, x in seen.append(x) }
      soup.react(state: state, pair, go) { _, _, _ in seen.append(2) }
      soup.react(go, b, ask) { _, _, call in call.reply(Context.number) }
    }
    inject(-1) { _ = a() }
    inject(1) { _ = b(1) }
    await control.settle()
    inject(2) { _ = pair() }
    inject(-1) { _ = go() }
    await control.settle()
    inject(-1) { _ = go() }
    let caller = Context.$number.withValue(3) { Task { try await ask() } }
    while control.snapshot()[ask] == 0 { await Task.yield() }
    inject(-1) { _ = b(0) }
    #expect(try await caller.value == 3)
    await control.settle()
    seen.expect([1, 2])
  }

  /// An inline async body may begin on the thread that injects, which is another task's here.
  @Test(arguments: matchers, TaskBody.placed)
  func `A body has the context of a molecule injected in the definition, together with others, or by a timer`(
    matcher: Matcher, body: TaskBody
  ) async {
    let (seen, clock) = (Log<Int>(), ManualClock())
    let (a, v, control) = matcher.with(clock: clock).define(slow("a", of: Int.self), slow("v")) { soup, a, v in
      body.react(in: soup, a) { x in seen.append(Context.number - x) }
      body.react(in: soup, v) { _ in seen.append(Context.number - 9) }
      inject(1) { _ = a(1) }
      inject(9) { _ = v.inject(count: 3) }
      inject(2) { _ = Soup.inject((a, 2), (a, 2)) }
    }
    await control.settle()
    await paused(control) {
      inject(9) { _ = v.inject(count: 3) }
      inject(4) { _ = a.inject(contentsOf: [4, 4]) }
      inject(3) { _ = Soup.inject((a, 3), (v, ())) }
    }
    #expect(seen.all.filter { $0 != 0 } == [-6])
    let timer = Context.$number.withValue(5) {
      _ = a.after(.seconds(1), 5)
      return a.every(.seconds(1), 5)
    }
    for _ in 1...3 {
      await control.settle(clock, advancedBy: .seconds(1))
    }
    timer.cancel()
    #expect(seen.count == 3 + 3 + 3 + 2 + 2 + 4)
    #expect(seen.all.filter { $0 != 0 } == [-6])
  }

  @Test(arguments: matchers, [Duration.zero, .seconds(1)])
  func `A retried body has the context of what was put back`(matcher: Matcher, backoff: Duration) async {
    let seen = SeenContexts()
    let (tried, clock) = (Tally(), ManualClock())
    let (a, b, ask, control) = matcher.with(clock: clock).define(
      slow("a", of: Int.self), slow("b"), fast("ask", returning: Int.self)
    ) { soup, a, b, ask in
      let recovery = Recovery.retry(limit: 1, backoff: backoff)
      soup.react(a, b, on: .task, recovery: recovery) { x, _ in
        if tried.add() == 1 { throw Failure() }
        seen.append(x)
      }
      soup.react(ask, b, on: .task, recovery: recovery) { call, _ in
        await Task.yield()
        if tried.add() == 3 { throw Failure() }
        call.reply(Context.number)
      }
    }
    inject(1) { _ = a(1) }
    inject(-1) { _ = b() }
    if backoff > .zero { await clock.advanceOnceAwaited(by: backoff) }
    await control.settle()
    seen.expect([1])
    let caller = Context.$number.withValue(2) { Task { try await ask() } }
    while control.snapshot()[ask] == 0 { await Task.yield() }
    inject(-1) { _ = b() }
    if backoff > .zero { await clock.advanceOnceAwaited(by: backoff) }
    #expect(await (try? caller.value) == 2)
    #expect(tried.count == 4)
  }

  /// The call is answered, and so is not put back.
  @Test(arguments: matchers, [Duration.zero, .seconds(1)])
  func `Inputs that a body without a task puts back each keep their own injector's context`(
    matcher: Matcher, backoff: Duration
  ) async throws {
    let seen = SeenContexts()
    let clock = ManualClock()
    let (a, b, go, ask, control) = matcher.with(clock: clock).define(
      slow("a", of: Int.self), slow("b", of: Int.self), slow("go"), fast("ask", returning: Int.self)
    ) { soup, a, b, go, ask in
      soup.react(ask, a, b, on: .inline, recovery: .retry(limit: 1, backoff: backoff)) { call, _, _ in
        call.reply(0)
        throw Failure()
      }
      soup.react(a, go, on: .task) { x, _ in seen.append(x) }
      soup.react(b, go, on: .task) { x, _ in seen.append(x) }
    }
    inject(1) { _ = a(1) }
    inject(2) { _ = b(2) }
    _ = try await ask()
    if backoff > .zero { await clock.advanceOnceAwaited(by: backoff) }
    await control.settle()
    inject(-1) { _ = go.inject(count: 2) }
    await control.settle()
    seen.expect([1, 2])
  }

  @Test(arguments: matchers)
  func `A molecule leaves nothing of its context when it is dropped, consumed otherwise, or its soup is gone`(
    matcher: Matcher
  ) async throws {
    let census = Census()
    do {
      let (a, v, never, ask, other, control) = matcher.define(
        slow("a", of: Int.self), slow("v"), slow("never"), fast("ask", returning: Int.self), slow("other")
      ) { soup, a, v, never, ask, other in
        soup.react(a, never, on: .task) { _, _ in }
        soup.react(v, never, on: .task) { _, _ in }
        soup.react(ask, never, on: .task) { _, _ in }
        soup.react(other, a, v, on: .inline) { _, _, _ in }
        bound(census) {
          _ = a(0)
          _ = v.inject(count: 2)
        }
      }
      bound(census) {
        _ = a(1)
        _ = v()
        _ = v.inject(count: 3)
      }
      #expect(census.alive > 0)
      other()
      control.clear()
      await census.expectExtinction()
      let caller = bound(census) { Task { await ask.outcome() } }
      while control.snapshot()[ask] == 0 { await Task.yield() }
      caller.cancel()
      #expect(await caller.value == .failure(.cancelled))
      await census.expectExtinction()
      bound(census) { _ = Soup.inject((a, 1), (v, ())) }
      await control.stop()
      bound(census) { #expect(!a(2)) }
      await census.expectExtinction()
      try await control.restart()
      bound(census) {
        _ = a(3)
        _ = v.inject(count: 2)
      }
      #expect(census.alive > 0)
      withExtendedLifetime(never) {}
    }
    await census.expectExtinction()
  }

  private struct Failure: Error {}
}

private func bound<Result>(_ census: Census, _ act: () -> Result) -> Result {
  Context.$live.withValue(census.live(), operation: act)
}
