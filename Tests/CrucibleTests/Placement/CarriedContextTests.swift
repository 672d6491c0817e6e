import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// What a body injects, arms and begins has the context of a molecule that the body consumed, whichever thread runs it.
@Suite(.watched, .serialized)
struct `A context that bodies pass on` {
  /// The body in the middle: it gets a molecule, and something else follows from it.
  enum Middle: String, CaseIterable, CustomTestStringConvertible {
    case inline, pool, task, asyncInline, asyncPool, asyncAutomatic

    var testDescription: String { rawValue }

    func react<A: Soup.Input>(
      in soup: Soup, _ state: Soup.State<Int>, _ a: A, _ body: @escaping @Sendable (A.Argument) -> Void
    ) {
      func sync(_ placement: Placement) {
        soup.react(state: state, a, on: placement) { count, x in
          count += 1
          body(x)
        }
      }
      func async(_ placement: Placement) {
        soup.react(state: state, a, on: placement) { count, x in
          count += 1
          body(x)
          await Task.yield()
        }
      }
      switch self {
      case .inline: sync(.inline)
      case .pool: sync(.pool)
      case .task: sync(.task)
      case .asyncInline: async(.inline)
      case .asyncPool: async(.pool)
      case .asyncAutomatic: async(.automatic)
      }
    }
  }

  /// The call gives the body its context. The url completes the reaction, and is put back when the body throws.
  @Test(arguments: [Placement.automatic, .inline, .pool, .task])
  func `A molecule that an async body puts back keeps the context of its injector`(placement: Placement) async throws {
    let seen = Log<[Int]>()
    for number in 1...20 {
      let (get, url, _, control) = Soup.Options().define(
        fast("get", returning: Void.self), slow("url", of: Int.self), slow("flush")
      ) { soup, get, url, flush in
        soup.react(url, get, on: placement, recovery: .retry(limit: 63)) { _, _ async throws in
          flush()
          throw Boom(number)
        }
        soup.react(url, flush, on: .inline) { url, _ in seen.append([url, Context.number]) }
      }
      let caller = Context.$number.withValue(100) { Task { try? await get() } }
      await eventually("the call waits") { control.snapshot()[get] == 1 }
      await Task.detached { Context.$number.withValue(number) { _ = url(number) } }.value
      await eventually("the url is flushed") { seen.all.count == number }
      caller.cancel()
      await caller.value
    }
    #expect(seen.all == (1...20).map { [$0, $0] })
  }

  @Test(arguments: matchers, Middle.allCases)
  func `Bodies that one thread runs for many tasks pass on their contexts`(matcher: Matcher, middle: Middle) async {
    let (inBody, direct, timed, inTask) = (SeenContexts(), SeenContexts(), SeenContexts(), SeenContexts())
    let (clock, begun, timedAtOnce) = (ManualClock(), Tally(), SeenContexts())
    let (go, _, _, _, control) = matcher.with(clock: clock).define(
      slow("go", of: Int.self), slow("end", of: Int.self), slow("late", of: Int.self), slow("at once", of: Int.self)
    ) { soup, go, end, late, atOnce in
      let state = soup.state("state", 0)
      middle.react(in: soup, state, go) { n in
        inBody.append(n)
        end(n)
        late.after(.seconds(1), n)
        atOnce.after(.seconds(1), n)
        Task {
          inTask.append(n)
          begun.add()
        }
      }
      soup.react(end) { n async in direct.append(n) }
      soup.react(late) { n async in timed.append(n) }
      soup.react(atOnce, on: .inline) { n in timedAtOnce.append(n) }
    }
    let all = 1...scaled(50)
    await paused(control) { for n in all { inject(n) { _ = go(n) } } }
    await control.settle()
    Context.$number.withValue(-1) { clock.advance(by: .seconds(1)) }
    await control.settle()
    await eventually("all tasks have run") { begun.count == all.count }
    for seen in [inBody, direct, timed, timedAtOnce, inTask] { seen.expect(all) }
  }

  @Test(arguments: matchers, Middle.allCases)
  func `A call that is handed on carries its caller's context`(matcher: Matcher, middle: Middle) async throws {
    let (ask, _, _) = matcher.define(
      fast("ask", of: Int.self, returning: Int.self), slow("miss", of: Call<Int, Int>.self)
    ) { soup, ask, miss in
      let state = soup.state("state", 0)
      middle.react(in: soup, state, ask) { call in miss(call) }
      soup.react(miss) { call async in call.reply(Context.number) }
    }
    let wrong = try await withThrowingTaskGroup(of: Int.self) { group in
      for tenant in 1...4 {
        group.addTask {
          try await Context.$number.withValue(tenant) {
            var wrong = 0
            for _ in 0..<scaled(500) where try await ask(tenant) != tenant { wrong += 1 }
            return wrong
          }
        }
      }
      return try await group.reduce(0, +)
    }
    #expect(wrong == 0)
  }

  /// The body at the beginning belongs to a soup without tasks.
  @Test(arguments: matchers, [Placement.inline, .pool])
  func `A body of a soup without tasks passes on no context, or its molecule's if the soup carries contexts`(
    matcher: Matcher, placement: Placement
  ) async {
    for carries in [false, true] {
      let seen = Log<[Int]>()
      let clock = ManualClock()
      let (end, late, ended) = matcher.with(clock: clock).define(
        slow("end", of: Int.self), slow("late", of: Int.self), named: "end"
      ) { soup, end, late in
        soup.react(end) { n async in seen.append([n, Context.number]) }
        soup.react(late) { n async in seen.append([n, Context.number]) }
      }
      let options = Soup.Options(matcher: matcher, placement: placement, carriesContext: carries)
      let (go, control) = options.define(slow("go", of: Int.self)) { soup, go in
        let state = soup.state("state", 0)
        soup.react(state: state, go) { count, n in
          count += 1
          end(n)
          late.after(.seconds(1), n)
        }
      }
      let all = Array(1...20)
      await paused(control) { for n in all { inject(n) { _ = go(n) } } }
      await control.settle()
      await ended.settle()
      Context.$number.withValue(-1) { clock.advance(by: .seconds(1)) }
      await ended.settle()
      #expect(seen.all.sorted { $0[0] < $1[0] } == (all + all).sorted().map { [$0, carries ? $0 : 0] })
    }
  }
}
