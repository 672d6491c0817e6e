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
  func `A caller whose call a soup refuses gets its reason, in whatever value`(setup: Setup, refusal: Refusal) async {
    await check(setup, refusal, of: Ask.self) { far, call in far(call) }
    await check(setup, refusal, of: Wish.self) { far, call in far(Wish(call: call)) }
    await check(setup, refusal, of: Work.self) { far, call in far(.serve("a", call)) }
    await check(setup, refusal, of: Watched.self) { far, call in far(Watched(call: call, object: nil)) }
    await check(setup, refusal, of: (Int, Ask?).self) { far, call in far((1, call)) }
    await check(setup, refusal, of: [[Wish]].self) { far, call in far([[], [Wish(call: call)]]) }
    await check(setup, refusal, of: [String: Ask].self) { far, call in far(["a": call]) }
  }

  @Test(arguments: Run.setups, Refusal.allCases)
  func `A call refused by a timer, or together with others, gets the reason`(setup: Setup, refusal: Refusal) async {
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
  func `A call that a soup refuses and another one drops ends with neverReplied`(setup: Setup, refusal: Refusal) async {
    let (drop, _) = setup.react(slow("drop", of: Ask.self)) { _ in }
    await check(setup, refusal, of: Ask.self, .failure(.neverReplied)) { far, call in if !far(call) { drop(call) } }
  }

  /// The stop takes nothing from a body that has the call: the body has had its request, and could reply.
  @Test(arguments: Run.setups)
  func `A body that drops its call in a stopped soup ends it with neverReplied, and may reply`(setup: Setup) async {
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

  /// Where the body hands its call on: to a molecule that a stopped soup refuses, or to one that is then dropped.
  enum Fate: CaseIterable, Sendable { case refused, dropped, cleared }

  @Test(arguments: Run.setups, Fate.allCases)
  func `A call whose molecule is refused or dropped while its body still has a copy ends with the reason`(
    setup: Setup, fate: Fate
  ) async {
    for way in waysBeside(setup) {
      let (begun, gate) = (Gate(), Gate())
      let (ask, _, _, control) = setup.define(
        fast("ask", of: Int.self, returning: Int.self), slow("wish", of: [Wish].self), slow("never")
      ) { soup, ask, wish, never in
        soup.react(ask) { call in
          if fate != .refused { wish([Wish(call: call)]) }
          begun.open()
          gate.waitBlocking()
          if fate == .refused { wish([Wish(call: call)]) }
        }
        soup.react(wish, never) { _, _ in }
      }
      let caller = Task.detached {
        try await onThread { Result { () throws(CallError) in try way.callFromThread(ask, 1) } }
      }
      await begun.wait()
      if fate == .cleared { control.clear() } else { await control.stop(within: .zero) }
      gate.open()
      #expect(try! await caller.value == .failure(fate == .cleared ? .cleared : .stopped), "\(way)")
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

  @Test(arguments: Run.setups)
  func `A refused call throws its own reason, whatever its input injects at its end`(setup: Setup) async throws {
    let gone = setup.react(slow("gone")) { _ in }.0.weak
    let (call, control) = setup.react(fast("call", of: AtItsEnd.self, returning: Int.self)) {
      $0.reply(1)
    }
    _ = await control.stop(within: patience)
    let refused = Tally()
    let make = { @Sendable in AtItsEnd { if !gone() { refused.add() } } }
    let answers = try await onThread {
      [
        Result { () throws(CallError) in try call.blocking(make()) },
        Result { () throws(CallError) in try call.blocking(make(), within: patience) },
      ]
    }
    #expect(answers == [.failure(.stopped), .failure(.stopped)])
    await #expect(throws: CallError.stopped) { try await call(make()) }
    #expect(refused.count == 3)
  }
}
