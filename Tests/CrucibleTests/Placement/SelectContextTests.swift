import Crucible
import CrucibleTestSupport
import Dispatch
import Testing

/// Selects over names whose reactions run in tasks: the contexts of the bodies, also when another branch of the select
/// reacts.
@Suite(.watched, .serialized)
struct `A select with bodies in tasks` {
  @Test(arguments: matchers, TaskBody.placed)
  func `A select gives the body of its branch its own context`(matcher: Matcher, body: TaskBody) async throws {
    let branches = [.actor(DefaultTeller()), body].map { body in
      Soup.define("branch", with: .init(matcher: matcher)) { soup in
        let take = soup.fast("take", returning: Int.self)
        let put = soup.slow("put", of: Int.self)
        body.react(in: soup, take, put) { call, factor in call.reply(factor * Context.number) }
        return (take: take, put: put)
      }
    }
    for round in 1...4 {
      let caller = Context.$number.withValue(round) {
        Task { try await Soup.first(of: branches[0].take.call(), branches[1].take.call()) }
      }
      let branch = round % 2
      inject(-1) { _ = branches[branch].put(10 + branch) }
      #expect(try await caller.value == (10 + branch) * round)
    }
  }

  /// A body has its inputs and waits for a queue, while one of them, a select, is decided for another branch. The first
  /// input of the pattern goes back, a call or a select, so the body was about to run by its origin.
  @Test(arguments: matchers, [false, true])
  func `A select that is decided otherwise puts values, calls and other selects back with their own contexts`(
    matcher: Matcher, isAsync: Bool
  ) async throws {
    let census = Census()
    for isSelect in [false, true] {
      let queue = SuspendedQueue()
      let setup = Setup(matcher: matcher, placement: .inline)
      let (quick, other) = (`A select`.box("quick", setup), `A select`.box("other", setup))
      let slow = Slow(matcher, on: queue.placement, isAsync: isAsync)
      await Context.with(1, census) { _ = slow.put(1) }
      let stays = await Context.with(2, census) {
        Task { isSelect ? try await Soup.first(of: slow.ask.call(), quick.take.call()) : try await slow.ask() }
      }
      while slow.control.snapshot()[slow.ask] == 0 || isSelect && quick.control.snapshot()[quick.take] == 0 {
        await Task.yield()
      }
      let goes = await Context.with(3, census) {
        Task { try await Soup.first(of: slow.take.call(), other.take.call { -$0 }) }
      }
      while slow.control.explain().reactions[0].placed == 0 { await Task.yield() }
      other.put(7)
      #expect(try await goes.value == -7)
      queue.release()
      await slow.control.settle()
      #expect(slow.control.snapshot()[slow.put] == 1 && slow.control.snapshot()[slow.ask] == 1)
      #expect(slow.control.snapshot()[slow.take] == 0)
      await Context.with(-1, census) { _ = slow.show.inject(count: 2) }
      #expect(try await stays.value == 2)
      await slow.control.settle()
      #expect(slow.seen.all == [1])
      await quick.control.settle()
      #expect(quick.control.snapshot()[quick.take] == 0)
    }
    await census.expectExtinction()
  }

  @Test(arguments: matchers, [false, true])
  func `A select that gives up before its body has begun runs none`(matcher: Matcher, isAsync: Bool) async throws {
    let census = Census()
    do {
      let queue = SuspendedQueue()
      let alone = Soup.define("alone", with: .init(matcher: matcher)) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let body = isAsync ? TaskBody.async(queue.placement) : .placed(queue.placement)
        body.react(in: soup, ask) { call in call.reply(call.input + Context.number) }
        return (ask: ask, control: soup.control)
      }
      _ = await Context.with(1, census) {
        await #expect(throws: CallError.timedOut) {
          try await Soup.first(of: alone.ask.call(10), within: .zero)
        }
      }
      let next = await Context.with(2, census) { Task { try await Soup.first(of: alone.ask.call(20)) } }
      while alone.control.snapshot()[alone.ask] == 0 && alone.control.explain().reactions[0].placed == 0 {
        await Task.yield()
      }
      queue.release()
      #expect(try await next.value == 22)
      await alone.control.settle()
      #expect(alone.control.snapshot()[alone.ask] == 0)
    }
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `A select whose loop goes away before the body begins throws an error`(matcher: Matcher) async throws {
    let census = Census()
    do {
      let loop = ThreadLoop(isRunning: false)
      let (take, _, _) = matcher.with(onError: { _ in }).define(
        fast("take", of: Live.self, returning: Int.self), slow("put"), named: "loop"
      ) { soup, take, put in
        soup.react(take, put, on: .loop(loop)) { call, _ in call.reply(0) }
        put()
      }
      let caller = await Context.with(1, census) { Task { try await Soup.first(of: take.call(census.live())) } }
      while loop.waiting == 0 { await Task.yield() }
      loop.go()
      await #expect(throws: CallError.failed(LoopGone())) { try await caller.value }
    }
    await census.expectExtinction()
  }

  // ---- How ----

  /// A queue on which nothing begins before it is released.
  private final class SuspendedQueue: @unchecked Sendable {
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
    let control: Soup.Control
    let seen = Log<Int>()

    init(_ matcher: Matcher, on placement: Placement, isAsync: Bool) {
      (put, show, ask, take, control) = matcher.define(
        slow("put", of: Int.self), slow("show"), fast("ask", returning: Int.self), fast("take", returning: Int.self)
      ) { [seen] soup, put, show, ask, take in
        if isAsync {
          soup.react(ask, take, put, on: placement) { _, _, _ in await Task.yield() }
        } else {
          soup.react(ask, take, put, on: placement) { _, _, _ in }
        }
        soup.react(put, show, on: .task) { _, _ in seen.append(Context.number) }
        soup.react(ask, show, on: .task) { call, _ in call.reply(Context.number) }
      }
    }
  }
}
