import Crucible
import CrucibleTestSupport
import Dispatch
import Testing

/// Selects over names whose reactions run in tasks: whose context bodies have, and what becomes of it when a select is
/// decided otherwise.
@Suite(.watched, .serialized)
struct `A select with bodies in tasks` {
  @Test(arguments: matchers, Place.all)
  func `A select gives the body of its branch its own context`(matcher: Soup.Matcher, place: Place) async throws {
    for isAsync in [false, true] { try await Self.select(matcher, place, isAsync) }
  }

  private static func select(_ matcher: Soup.Matcher, _ place: Place, _ isAsync: Bool) async throws {
    let actor = PlainActor()
    let (onActor, put) = Soup.define("actor", with: .init(matcher: matcher)) { soup in
      let take = soup.fast("take", returning: Int.self)
      let put = soup.slow("put")
      soup.react(take, put, on: .actor(actor)) { _, call, _ in call.reply(Context.number) }
      return (take, put)
    }
    let (placed, go) = Soup.define("place", with: .init(matcher: matcher, placement: place.placement)) { soup in
      let take = soup.fast("take", returning: Int.self)
      let go = soup.slow("go")
      if isAsync {
        soup.react(take, go) { call, _ in
          await Task.yield()
          call.reply(10 * Context.number)
        }
      } else {
        soup.react(take, go) { call, _ in call.reply(10 * Context.number) }
      }
      return (take, go)
    }
    let inherits = isAsync || Place.tasks.contains { $0.testDescription == place.testDescription }
    for round in 1...4 {
      let caller = Context.$number.withValue(round) {
        Task { try await Soup.first(of: onActor.call(), placed.call()) }
      }
      Context.$number.withValue(-1) { _ = round % 2 == 0 ? put() : go() }
      let got = try await caller.value
      if round % 2 == 0 { #expect(got == round) } else if inherits { #expect(got == 10 * round) }
    }
  }

  /// Both bodies wait for a queue, with what they have taken, while their select is decided for another branch.
  @Test(arguments: matchers, [false, true])
  func `A select that is decided otherwise puts values and calls back with their own contexts`(
    matcher: Soup.Matcher, isAsync: Bool
  ) async throws {
    let census = Census()
    do {
      let queue = Held()
      let quick = `A select`.box("quick", Setup(matcher: matcher, placement: .inline))
      let slow = Slow(matcher, on: queue.placement, isAsync: isAsync)
      Watchdog.watch(slow.control)
      await Self.bound(census, 1) { _ = slow.put(1) }
      let asked = await Self.bound(census, 2) { Task { try await slow.ask() } }
      while slow.control.snapshot()[slow.ask] == 0 { await Task.yield() }
      let first = await Self.bound(census, 3) {
        Task { try await Soup.first(of: slow.take.call(), quick.take.call { -$0 }) }
      }
      while slow.control.explain().reactions[0].placed == 0 { await Task.yield() }
      quick.put(7)
      #expect(try await first.value == -7)
      queue.release()
      await slow.control.settle()
      #expect(slow.control.snapshot()[slow.put] == 1 && slow.control.snapshot()[slow.ask] == 1)
      #expect(slow.control.snapshot()[slow.take] == 0)
      await Self.bound(census, -1) { _ = slow.show.inject(count: 2) }
      #expect(try await asked.value == 2)
      await slow.control.settle()
      #expect(slow.seen.all == [1])
    }
    await Self.expectNone(census)
  }

  /// The select that goes back stands first in the pattern, so the body was about to run by its origin.
  @Test(arguments: matchers, [false, true])
  func `A select that goes back, as another one is decided, keeps its own context`(
    matcher: Soup.Matcher, isAsync: Bool
  ) async throws {
    let census = Census()
    do {
      let queue = Held()
      let setup = Setup(matcher: matcher, placement: .inline)
      let (quick, other) = (`A select`.box("quick", setup), `A select`.box("other", setup))
      let pair = Slow(matcher, on: queue.placement, isAsync: isAsync)
      Watchdog.watch(pair.control)
      let stays = await Self.bound(census, 5) {
        Task { try await Soup.first(of: pair.left.call(), quick.take.call()) }
      }
      while quick.control.snapshot()[quick.take] == 0 { await Task.yield() }
      let goes = await Self.bound(census, 6) {
        Task { try await Soup.first(of: pair.right.call(), other.take.call()) }
      }
      while pair.control.explain().reactions[3].placed == 0 { await Task.yield() }
      other.put(8)
      #expect(try await goes.value == 8)
      queue.release()
      await pair.control.settle()
      #expect(pair.control.snapshot()[pair.left] == 1 && pair.control.snapshot()[pair.right] == 0)
      await Self.bound(census, -1) { _ = pair.show() }
      #expect(try await stays.value == 5)
      await quick.control.settle()
      #expect(quick.control.snapshot()[quick.take] == 0)
    }
    await Self.expectNone(census)
  }

  @Test(arguments: matchers, [false, true])
  func `A select that gives up before its body has begun runs none`(matcher: Soup.Matcher, isAsync: Bool) async throws {
    let census = Census()
    do {
      let queue = Held()
      let alone = Soup.define("alone", with: .init(matcher: matcher)) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        if isAsync {
          soup.react(ask, on: queue.placement) { call in
            await Task.yield()
            call.reply(call.input + Context.number)
          }
        } else {
          soup.react(ask, on: queue.placement) { call in call.reply(call.input + Context.number) }
        }
        return (ask: ask, control: soup.control)
      }
      Watchdog.watch(alone.control)
      _ = await Self.bound(census, 1) {
        await #expect(throws: CallError.timedOut) {
          try await Soup.first(of: alone.ask.call(10), within: .zero)
        }
      }
      let next = await Self.bound(census, 2) { Task { try await Soup.first(of: alone.ask.call(20)) } }
      while alone.control.snapshot()[alone.ask] == 0 && alone.control.explain().reactions[0].placed == 0 {
        await Task.yield()
      }
      queue.release()
      #expect(try await next.value == 22)
      await alone.control.settle()
      #expect(alone.control.snapshot()[alone.ask] == 0)
    }
    await Self.expectNone(census)
  }

  @Test(arguments: matchers)
  func `A select whose loop goes away before the body begins throws an error, and leaves nothing behind`(
    matcher: Soup.Matcher
  ) async throws {
    let census = Census()
    do {
      let loop = ThreadLoop(isRunning: false)
      let take = Soup.define("loop", with: .init(matcher: matcher, onError: { _ in })) { soup in
        let take = soup.fast("take", of: Live.self, returning: Int.self)
        let put = soup.slow("put")
        soup.react(take, put, on: .loop(loop)) { call, _ in call.reply(0) }
        put()
        return take
      }
      let caller = await Self.bound(census, 1) { Task { try await Soup.first(of: take.call(census.live())) } }
      while loop.waiting == 0 { await Task.yield() }
      loop.go()
      await #expect(throws: CallError.self) { try await caller.value }
    }
    await Self.expectNone(census)
  }

  // ---- How ----

  /// A queue on which nothing begins before it is released.
  private final class Held: @unchecked Sendable {
    private let queue = DispatchQueue(label: "held")
    var placement: Placement { .queue(queue) }

    init() { queue.suspend() }
    func release() { queue.resume() }
  }

  private final class Slow: Sendable {
    let put: Injector<Int>
    let show: Injector<Void>
    let ask: FastInjector<Void, Int>
    let take: FastInjector<Void, Int>
    let left: FastInjector<Void, Int>
    let right: FastInjector<Void, Int>
    let control: Soup.Control
    let seen = Log<Int>()

    init(_ matcher: Soup.Matcher, on placement: Placement, isAsync: Bool) {
      (put, show, ask, take, left, right, control) = Soup.define("slow", with: .init(matcher: matcher)) {
        [seen] soup in
        let put = soup.slow("put", of: Int.self)
        let show = soup.slow("show")
        let ask = soup.fast("ask", returning: Int.self)
        let take = soup.fast("take", returning: Int.self)
        let left = soup.fast("left", returning: Int.self)
        let right = soup.fast("right", returning: Int.self)
        if isAsync {
          soup.react(ask, take, put, on: placement) { ask, take, _ in
            await Task.yield()
            take.reply(0)
            ask.reply(0)
          }
        } else {
          soup.react(ask, take, put, on: placement) { ask, take, _ in
            take.reply(0)
            ask.reply(0)
          }
        }
        soup.react(put, show, on: .task) { _, _ in seen.append(Context.number) }
        soup.react(ask, show, on: .task) { call, _ in call.reply(Context.number) }
        if isAsync {
          soup.react(left, right, on: placement) { left, right in
            await Task.yield()
            left.reply(0)
            right.reply(0)
          }
        } else {
          soup.react(left, right, on: placement) { left, right in
            left.reply(0)
            right.reply(0)
          }
        }
        soup.react(left, show, on: .task) { call, _ in call.reply(Context.number) }
        return (put, show, ask, take, left, right, soup.control)
      }
    }
  }

  private static func bound<Result>(
    _ census: Census, _ number: Int, _ act: () async -> Result
  ) async -> Result {
    await Bound.$live.withValue(census.live()) { await Context.$number.withValue(number, operation: act) }
  }

  /// The last task ends on a thread of its own.
  private static func expectNone(_ census: Census) async {
    let deadline = ContinuousClock.now + patience
    while census.alive > 0 && ContinuousClock.now < deadline { await Task.yield() }
    #expect(census.alive == 0, "\(census.alive) of \(census.born)")
  }
}

private enum Bound {
  @TaskLocal static var live: Live?
}

private actor PlainActor {}
