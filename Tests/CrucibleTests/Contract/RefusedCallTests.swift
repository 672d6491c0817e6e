import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4 for calls that a body hands on to a soup which refuses them: the caller gets the soup's reason.
@Suite(.watched, .serialized)
struct `Calls that a soup refuses` {
  typealias Ask = Call<Int, Int>

  struct Wish: Sendable { let call: Ask }
  enum Work: Sendable {
    case none
    case serve(String, Ask)
  }
  /// A value that cannot be moved bit by bit.
  struct Watched: Sendable {
    final class Object: Sendable {}
    let call: Ask
    nonisolated(unsafe) weak var object: Object?
  }

  enum Refusal: CaseIterable, Sendable, CustomTestStringConvertible {
    case stopped, gone
    var testDescription: String { "\(self)" }
    var error: CallError { self == .stopped ? .stopped : .gone }
  }

  /// Makes a soup that consumes nothing, and that only `owner` owns.
  private func makeFar<Value: Sendable>(
    _ matcher: Matcher, of type: Value.Type, _ owner: inout Soup.Control?
  ) -> Injector<Value> {
    let (far, _, control) = matcher.react(slow("far", of: type), slow("never"), named: "far") { _, _ in }
    owner = control
    return far.weak
  }

  /// Makes a soup that refuses what `hand` gives it, and expects that the caller of a body that calls `hand` gets
  /// `end`.
  private func check<Value: Sendable>(
    _ setup: Setup, _ refusal: Refusal, of type: Value.Type, _ end: Result<Int, CallError>? = nil,
    _ hand: @escaping @Sendable (Injector<Value>, Ask) -> Void, _ location: SourceLocation = #_sourceLocation
  ) async {
    var owner: Soup.Control?
    let far = makeFar(setup.matcher, of: type, &owner)
    if refusal == .stopped { await owner!.stop() } else { owner = nil }
    let (near, _) = setup.react(fast("ask", of: Int.self, returning: Int.self)) { call in hand(far, call)
    }
    for way in WayToCall.allCases {
      let result = await way.call(near, 1)
      #expect(result == end ?? .failure(refusal.error), "\(way), \(type)", sourceLocation: location)
    }
    withExtendedLifetime(owner) {}
  }

  @Test(arguments: Run.setups, Refusal.allCases)
  func `A caller whose call a soup refuses gets the soup's reason, whatever value has the call`(
    setup: Setup, refusal: Refusal
  ) async {
    await check(setup, refusal, of: Ask.self) { far, call in far(call) }
    await check(setup, refusal, of: Wish.self) { far, call in far(Wish(call: call)) }
    await check(setup, refusal, of: Work.self) { far, call in far(.serve("a", call)) }
    await check(setup, refusal, of: Watched.self) { far, call in far(Watched(call: call, object: nil)) }
    await check(setup, refusal, of: (Int, Ask?).self) { far, call in far((1, call)) }
    await check(setup, refusal, of: [[Wish]].self) { far, call in far([[], [Wish(call: call)]]) }
    await check(setup, refusal, of: [String: Ask].self) { far, call in far(["a": call]) }
  }

  @Test(arguments: Run.setups, Refusal.allCases)
  func `A call that is refused by a timer, or together with others, ends with the soup's reason`(
    setup: Setup, refusal: Refusal
  ) async {
    await check(setup, refusal, of: Wish.self) { far, call in far.inject(contentsOf: [Wish(call: call)]) }
    await check(setup, refusal, of: Ask.self) { far, call in Soup.inject((far, call)) }
    await check(setup, refusal, of: Wish.self) { far, call in far.after(.seconds(3600), Wish(call: call)) }
  }

  @Test(arguments: Run.setups, Refusal.allCases)
  func `A body may still answer a call that a soup has refused`(setup: Setup, refusal: Refusal) async {
    await check(setup, refusal, of: Wish.self, .success(7)) { far, call in
      if !far(Wish(call: call)) && call.isAwaited { call.reply(7) }
    }
    await check(setup, refusal, of: Ask.self, .failure(.failed(Late()))) { far, call in
      if !far(call) { call.fail(Late()) }
    }
  }

  @Test(arguments: Run.setups, Refusal.allCases)
  func `A call that one soup refuses and another takes and drops ends with neverReplied`(
    setup: Setup, refusal: Refusal
  ) async {
    let (drop, _) = setup.react(slow("drop", of: Ask.self)) { _ in }
    await check(setup, refusal, of: Ask.self, .failure(.neverReplied)) { far, call in if !far(call) { drop(call) } }
  }

  /// The stop takes nothing from a body that has the call: the body has had its request, and could reply.
  @Test(arguments: Run.setups)
  func `A body that drops its call after its soup was stopped ends it with neverReplied, and a reply still counts`(
    setup: Setup
  ) async {
    for answer in [nil, 5] {
      let (begun, gate) = (Gate(), Gate())
      let (ask, control) = setup.react(fast("ask", of: Int.self, returning: Int.self)) { call in
        begun.open()
        gate.waitBlocking()
        if let answer { call.reply(answer) }
      }
      async let result = WayToCall.blocking.call(ask, 1)
      await begun.wait()
      await control.stop(within: .zero)
      gate.open()
      #expect(await result == answer.map { .success($0) } ?? .failure(.neverReplied))
    }
  }

  /// The ways to call that block no thread of Swift's pool where the body blocks.
  private func waysBeside(_ setup: Setup) -> [WayToCall] {
    setup.placement == .pool ? WayToCall.allCases : [.blocking, .blockingForSome]
  }

  @Test(arguments: Run.setups)
  func `A caller whose body hands the call on while its soup is stopped gets .stopped`(setup: Setup) async {
    for way in waysBeside(setup) {
      let (begun, gate) = (Gate(), Gate())
      let (ask, control) = Soup.define("recipe", with: .init(matcher: setup.matcher)) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let wish = soup.slow("wish", of: Wish.self)
        soup.react(ask, on: setup.placement) { call in
          begun.open()
          gate.waitBlocking()
          wish(Wish(call: call))
        }
        soup.react(wish) { wish in wish.call.reply(1) }
        return (ask, soup.control)
      }
      let caller = Task.detached {
        try await onThread { Result { () throws(CallError) in try way.callFromThread(ask, 1) } }
      }
      await begun.wait()
      await control.stop(within: .zero)
      gate.open()
      #expect(try! await caller.value == .failure(.stopped), "\(way)")
    }
  }

  @Test(arguments: Run.setups, [.stopped, .cleared] as [CallError])
  func `A call whose molecule is dropped while its body still has a copy ends with the reason`(
    setup: Setup, error: CallError
  ) async {
    for way in waysBeside(setup) {
      let (handed, gate) = (Gate(), Gate())
      let (ask, control) = Soup.define("dropped", with: .init(matcher: setup.matcher)) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let wish = soup.slow("wish", of: [Wish].self)
        let never = soup.slow("never")
        soup.react(ask, on: setup.placement) { call in
          wish([Wish(call: call)])
          handed.open()
          gate.waitBlocking()
        }
        soup.react(wish, never) { _, _ in }
        return (ask, soup.control)
      }
      let caller = Task.detached {
        try await onThread { Result { () throws(CallError) in try way.callFromThread(ask, 1) } }
      }
      await handed.wait()
      if error == .stopped { await control.stop(within: .zero) } else { control.clear() }
      gate.open()
      #expect(try! await caller.value == .failure(error), "\(way)")
    }
  }

  @Test(arguments: matchers)
  func `A call in a timer that ends with its soup ends with the soup's reason`(matcher: Matcher) async {
    for isStopped in [true, false] {
      var owner: Soup.Control?
      let far = makeFar(matcher, of: Wish.self, &owner)
      let (ask, _) = matcher.react(fast("ask", of: Int.self, returning: Int.self)) { call in
        far.after(.seconds(3600), Wish(call: call))
      }
      let caller = Task { await ask.outcome(1) }
      while owner!.snapshot().timers.isEmpty { await Task.yield() }
      if isStopped { await owner!.stop() } else { owner = nil }
      #expect(await caller.value == .failure(isStopped ? .stopped : .gone))
      withExtendedLifetime(owner) {}
    }
  }

  private struct Late: Error, Equatable {}
}
