import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4, `.failed`: an error of a body reaches its callers, or else the soup's `onError`. No error is lost.
@Suite(.watched, .serialized)
struct `Errors of bodies` {
  @Test(arguments: Run.setups)
  func `A body's error leaves alone the callers that have their replies`(setup: Setup) async throws {
    let unreceived = Log<ReactionError>()
    let (first, second, control) = setup.with(onError: unreceived.append).react(
      fast("first", returning: Int.self), fast("second", returning: Int.self)
    ) { first, _ in
      first.reply(1)
      throw Boom(2)
    }
    async let one = first()
    let outcome = await second.outcome(.blocking)
    #expect(try await one == 1)
    #expect(outcome == .failure(.failed(Boom(2))))
    await control.settle()
    #expect(unreceived.count == 0, "one of the callers received the error")
  }

  @Test(arguments: Run.setups)
  func `A body's error goes to onError when all callers have their replies`(setup: Setup) async throws {
    let unreceived = Log<ReactionError>()
    let (call, control) = setup.with(onError: unreceived.append).react(fast("call", returning: Int.self)) { call in
      call.reply(1)
      throw Boom(3)
    }
    #expect(try await call() == 1)
    #expect(try await onThread { try call.blocking() } == 1)
    await control.settle()
    #expect(unreceived.all.map { $0.error as? Boom } == [Boom(3), Boom(3)])
  }

  @Test(arguments: Run.setups)
  func `Without a caller, a body's error goes to onError, with soup, reaction and lines`(setup: Setup) async throws {
    let unreceived = Log<ReactionError>()
    let line = #line + 1
    let (a, b, control) = setup.with(onError: unreceived.append).define(
      slow("a", of: Int.self), slow("b"), named: "quiet"
    ) { soup, a, b in
      let state = soup.state("state", 0)
      soup.react(state: state, a, b, b) { _, number, _, _ in throw Boom(number) }
    }
    a(4)
    b()
    b()
    await control.settle()
    let error = try #require(unreceived.all.first)
    #expect(unreceived.count == 1)
    #expect(error.soup.label == "quiet")
    #expect(error.soup.source == Soup.Source(line: line))
    #expect(error.reaction.pattern == "state & a & b & b")
    #expect(error.reaction.source == Soup.Source(line: line + 4))
    #expect(error.error as? Boom == Boom(4))
    #expect(
      error.description
        == "soup 'quiet' (\(#fileID):\(line)): reaction state & a & b & b (\(#fileID):\(line + 4)): Boom(number: 4)")
    #expect(control.snapshot()[a] + control.snapshot()[b] == 0, "consumed molecules stay consumed")
  }

  @Test(arguments: matcherNames)
  func `A body's error goes to standard error, in one line, without an onError`(matcher: String) async throws {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      [matcher = matcher as String] in
      Watchdog.guardProcess("unreceived")
      let (go, log, control) = Self.loud(Matcher(matcher)!)
      go()
      log()
      await control.settle()
    }
    let lines = String(decoding: try #require(result).standardErrorContent, as: UTF8.self).split(separator: "\n")
    #expect(
      lines.filter { $0.contains("Crucible") } == [
        "Crucible: soup 'loud' (\(#fileID):\(Self.line)): reaction go & log (\(#fileID):\(Self.line)): "
          + "Boom(number: 5)"
      ])
  }

  /// The line of the soup's definition, which is here because the closure of an exit test has no lines of its own.
  private static let line = #line + 2
  private static func loud(_ matcher: Matcher) -> (Injector<Void>, Injector<Void>, Soup.Control) {
    matcher.react(slow("go"), slow("log"), named: "loud") { _, _ in throw Boom(5) }
  }

  @Test(arguments: Run.setups)
  func `A body's error ends a call that the body kept, and a later reply returns false`(setup: Setup) async throws {
    let (ask, answer, _) = setup.define(
      fast("ask", returning: Int.self), fast("answer", returning: Bool.self), named: "kept"
    ) { soup, ask, answer in
      let kept = soup.state("kept", Call<Void, Int>?.none)
      soup.react(state: kept, ask) { kept, call in
        kept = call
        throw Boom(6)
      }
      soup.react(state: kept, answer) { kept, call in call.reply(kept?.reply(1) ?? true) }
    }
    await #expect(throws: CallError.failed(Boom(6))) { try await ask() }
    #expect(try await !answer())
    await #expect(throws: CallError.failed(Boom(6))) { try await onThread { try ask.blocking() } }
    #expect(try await !answer())
  }

  @Test(arguments: Run.setups)
  func `A body may throw a typed error`(setup: Setup) async throws {
    let (call, _) = setup.define(fast("call", of: Int.self, returning: Int.self)) { soup, call in
      let state = soup.state("state", 0)
      let typed: @Sendable (inout Int, Call<Int, Int>) throws(Boom) -> Void = { n, call throws(Boom) in
        n += 1
        if call.input < 0 { throw Boom(n) }
        call.reply(n)
      }
      soup.react(state: state, call, typed)
    }
    #expect(try await call(1) == 1)
    await #expect(throws: CallError.failed(Boom(2))) { try await call(-1) }
    #expect(try await onThread { try call.blocking(1) } == 3)
  }

  @Test(arguments: Run.setups)
  func `Errors of bodies leave nothing behind`(setup: Setup) async throws {
    let (census, others) = (Census(), Census())
    do {
      let (call, slow, control) = setup.with(onError: { _ in }).define(
        fast("call", of: Live.self, returning: Live.self), slow("slow", of: Live.self)
      ) { soup, call, slow in
        soup.react(call) { call in throw Holding(call.input) }
        soup.react(slow) { value in throw Holding(value) }
      }
      for number in 0..<20 {
        let expected = CallError.failed(Holding(others.live(number)))
        await #expect(throws: expected) { try await call(census.live(number)) }
        await #expect(throws: expected) { try await onThread { try call.blocking(census.live(number)) } }
        slow(census.live(number))
      }
      await control.settle()
    }
    #expect(census.born == 60)
    await census.expectExtinction()
    await others.expectExtinction()
  }
}

/// The error type itself.
struct `Errors of calls` {
  @Test func `Two call errors are equal if they are of one kind, and their errors of one type and equal`() {
    let errors: [CallError] = [
      .neverReplied, .failed(Boom(1)), .failed(Boom(2)), .failed(Other(number: 1)), .failed(NoMemory()), .stopped,
      .cleared, .timedOut, .cancelled, .gone,
    ]
    for (i, a) in errors.enumerated() {
      for (j, b) in errors.enumerated() { #expect((a == b) == (i == j), "\(a) \(b)") }
    }
    #expect(CallError.failed(Incomparable()) != .failed(Incomparable()))
  }

  @Test func `Every call error describes itself in a sentence of its own`() {
    let errors: [CallError] = [.neverReplied, .failed(Boom(1)), .stopped, .cleared, .timedOut, .cancelled, .gone]
    let sentences = errors.map { "\($0)" }
    #expect(Set(sentences).count == errors.count)
    #expect(sentences.allSatisfy { $0.contains(" ") })
    #expect(sentences[1].contains("Boom(number: 1)"))
  }
}

private struct Other: Error, Equatable { let number: Int }

private struct Incomparable: Error {}

/// An error whose destruction a census notices.
private struct Holding: Error, Equatable {
  let value: Live
  init(_ value: Live) { self.value = value }
}
