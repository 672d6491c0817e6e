import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The caller has no record of its own to suspend with until it is known that it must: whatever the body does with the
/// call by then, the call ends as any other does.
@Suite(.watched, .serialized)
struct `A call that an inline reaction consumes at once` {
  private static let ways: [Duration?] = [nil, patience]

  /// A body that keeps its call, and the name.
  private func keeping(
    _ matcher: Soup.Matcher, _ kept: Shared<Call<Int, Int>>, clock: (any Clock<Duration>)? = nil
  ) -> (FastInjector<Int, Int>, Soup.Control) {
    Soup.define("keeping", with: .init(matcher: matcher, clock: clock)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      soup.react(ask, on: .inline) { call in kept.put(call) }
      return (ask, soup.control)
    }
  }

  @Test(arguments: matchers, ways)
  func `gets a reply that the body leaves to another task`(matcher: Soup.Matcher, limit: Duration?) async {
    let kept = Shared<Call<Int, Int>>(nil)
    let (ask, control) = keeping(matcher, kept)
    for round in 0..<3 {
      let call = Task { await ask.outcome(round, within: limit) }
      _ = await control.callers(1)
      #expect(control.snapshot()[ask] == 0)
      #expect(kept.value!.isAwaited)
      #expect(kept.value!.reply(2 * round))
      #expect(!kept.value!.reply(0))
      #expect(await call.value == .success(2 * round))
      _ = kept.take()
    }
  }

  @Test(arguments: matchers, ways)
  func `is cancelled, and the body that has it is told so`(matcher: Soup.Matcher, limit: Duration?) async {
    let kept = Shared<Call<Int, Int>>(nil)
    let (ask, control) = keeping(matcher, kept)
    let call = Task { await ask.outcome(1, within: limit) }
    _ = await control.callers(1)
    let abandoned = Task { [call = kept.value!] in await call.abandoned() }
    call.cancel()
    #expect(await call.value == .failure(.cancelled))
    #expect(await abandoned.value)
    #expect(!kept.value!.isAwaited)
    #expect(!kept.value!.reply(1))
  }

  @Test(arguments: matchers, ways)
  func `is told when the last copy is dropped`(matcher: Soup.Matcher, limit: Duration?) async {
    let kept = Shared<Call<Int, Int>>(nil)
    let (ask, control) = keeping(matcher, kept)
    let call = Task { await ask.outcome(1, within: limit) }
    _ = await control.callers(1)
    _ = kept.take()
    #expect(await call.value == .failure(.neverReplied))
  }

  @Test(arguments: matchers)
  func `times out, and the body that has it is told so`(matcher: Soup.Matcher) async {
    let kept = Shared<Call<Int, Int>>(nil)
    let clock = ManualClock()
    let (ask, _) = keeping(matcher, kept, clock: clock)
    #expect(await clock.expire { await ask.outcome(1, within: $0) } == .failure(.timedOut))
    #expect(!kept.value!.reply(1))
  }

  @Test(arguments: matchers, ways)
  func `gets each of the ends that a body has at once, again and again`(
    matcher: Soup.Matcher, limit: Duration?
  ) async {
    struct Refused: Error {}
    let ask = Soup.define("ends", with: .init(matcher: matcher)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: [Int].self)
      soup.react(ask, on: .inline) { call throws in
        switch call.input % 4 {
        case 0: call.reply([call.input])
        case 1: break
        case 2: throw Refused()
        default: call.fail(Refused())
        }
      }
      return ask
    }
    for round in 0..<40 {
      var end = "reply"
      do throws(CallError) {
        if let limit { _ = try await ask(round, within: limit) } else { _ = try await ask(round) }
      } catch {
        if case .failed(let error) = error { end = error is Refused ? "refused" : "\(error)" } else { end = "\(error)" }
      }
      let expected = ["reply", "\(CallError.neverReplied)", "refused", "refused"]
      #expect(end == expected[round % 4])
    }
  }

  @Test(arguments: matchers, ways)
  func `leaves nothing to the next call of its thread, whatever the body does beside the reply`(
    matcher: Soup.Matcher, limit: Duration?
  ) async {
    struct Again: Error {}
    let kept = Shared<Call<Int, Int>>(nil)
    let abandoned = Shared<Int>(nil)
    let failed = Shared<Int>(nil)
    let (ask, control) = Soup.define("beside", with: .init(matcher: matcher, placement: .inline)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      let miss = soup.slow("miss", of: Call<Int, Int>.self)
      soup.react(miss) { call in call.reply(-call.input) }
      soup.react(ask, recovery: .retry(limit: 1)) { call throws in
        switch call.input % 6 {
        case 0: kept.put(call)
        case 1: call.onAbandoned { abandoned.put(call.input) }
        case 2:
          miss(call)
          return
        case 3 where failed.value != call.input:
          failed.put(call.input)
          throw Again()
        case 4: return kept.put(call)
        default: break
        }
        call.reply(-call.input)
      }
      return (ask, soup.control)
    }
    for round in 0..<36 {
      if round % 6 == 4 {
        let call = Task { await ask.outcome(round, within: limit) }
        _ = await control.callers(1)
        #expect(kept.value!.reply(-round))
        #expect(await call.value == .success(-round))
      } else {
        #expect(await ask.outcome(round, within: limit) == .success(-round))
      }
      #expect(!kept.value!.isAwaited)
      #expect(!kept.value!.reply(1))
    }
    #expect(abandoned.value == nil)
  }

  @Test(arguments: matchers)
  func `is not injected once its task is cancelled`(matcher: Soup.Matcher) async {
    let bodies = Shared(0)
    let ask = Soup.define("cancelled", with: .init(matcher: matcher)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: Int.self)
      soup.react(ask, on: .inline) { call in
        bodies.put(call.input)
        call.reply(call.input)
      }
      return ask
    }
    let task = Task {
      let first = await ask.outcome(1)
      withUnsafeCurrentTask { $0!.cancel() }
      return (first, await ask.outcome(2))
    }
    let (first, second) = await task.value
    #expect(first == .success(1))
    #expect(second == .failure(.cancelled))
    #expect(bodies.value == 1)
  }

  @Test(arguments: matchers)
  func `gets an answer of any size`(matcher: Soup.Matcher) async throws {
    let ask = Soup.define("large", with: .init(matcher: matcher)) { soup in
      let ask = soup.fast("ask", of: Int.self, returning: (Int, String, SIMD16<Int>).self)
      soup.react(ask, on: .inline) { call in call.reply((call.input, "\(call.input)", .init(repeating: call.input))) }
      return ask
    }
    for round in 0..<3 {
      let (number, text, many) = try await ask(round)
      #expect(number == round && text == "\(round)" && many == .init(repeating: round))
    }
  }
}
