import Crucible
import CrucibleTestSupport
import Testing

/// Contract 4, `.failed`: an error of a body reaches its callers, or else the soup's `onError`. No error is lost.
@Suite(.watched, .serialized)
struct `Errors of bodies` {
  @Test(arguments: Run.setups)
  func `A body's error reaches the caller that has no reply yet, and not onError`(setup: Setup) async throws {
    let unreceived = Log<ReactionError>()
    let (divide, control) = Soup.define("divider", with: .init(matcher: setup.matcher, onError: unreceived.append)) {
      soup in
      let divide = soup.fast("divide", of: Int.self, returning: Int.self)
      soup.react(divide, on: setup.placement) { call in
        if call.input == 0 { throw Boom(7) }
        call.reply(12 / call.input)
      }
      return (divide, soup.control)
    }
    await #expect(throws: CallError.failed(Boom(7))) { try await divide(0) }
    await #expect(throws: CallError.failed(Boom(7))) { try await onThread { try divide.blocking(0) } }
    #expect(try await divide(3) == 4)
    #expect(try await onThread { try divide.blocking(4) } == 3)
    await control.settle()
    #expect(unreceived.count == 0)
  }

  @Test(arguments: Run.setups, PlacedForm<FastInjector<Void, Int>>.all)
  func `A body's error reaches every caller of the firing, whatever the pattern`(
    setup: Setup, form: PlacedForm<FastInjector<Void, Int>>
  ) async throws {
    let unreceived = Log<ReactionError>()
    let (calls, control) = Soup.define("throwing", with: .init(matcher: setup.matcher, onError: unreceived.append)) {
      soup in
      let calls = (0..<form.arity).map { soup.fast("call[\($0)]", returning: Int.self) }
      form.react(soup, calls, setup.placement, .report) { _, _ in throw Boom(1) }
      return (calls, soup.control)
    }
    for _ in 0..<3 {
      let outcomes = try await onThreads(form.arity) { calls[$0].blockingOutcome((), within: nil) }
      #expect(outcomes == Array(repeating: .failure(.failed(Boom(1))), count: form.arity))
    }
    await control.settle()
    #expect(unreceived.count == 0)
  }

  @Test(arguments: Run.setups)
  func `A body's error leaves alone the callers that have their replies`(setup: Setup) async throws {
    let unreceived = Log<ReactionError>()
    let (first, second, control) = Soup.define("half", with: .init(matcher: setup.matcher, onError: unreceived.append))
    { soup in
      let first = soup.fast("first", returning: Int.self)
      let second = soup.fast("second", returning: Int.self)
      soup.react(first, second, on: setup.placement) { first, _ in
        first.reply(1)
        throw Boom(2)
      }
      return (first, second, soup.control)
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
    let (call, control) = Soup.define("replied", with: .init(matcher: setup.matcher, onError: unreceived.append)) {
      soup in
      let call = soup.fast("call", returning: Int.self)
      soup.react(call, on: setup.placement) { call in
        call.reply(1)
        throw Boom(3)
      }
      return (call, soup.control)
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
    let (a, b, control) = Soup.define("quiet", with: .init(matcher: setup.matcher, onError: unreceived.append)) {
      soup in
      let a = soup.slow("a", of: Int.self)
      let b = soup.slow("b")
      let state = soup.state("state", 0)
      soup.react(state: state, a, b, b, on: setup.placement) { _, number, _, _ in throw Boom(number) }
      return (a, b, soup.control)
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
    #expect(error.reaction.source == Soup.Source(line: line + 5))
    #expect(error.error as? Boom == Boom(4))
    #expect(
      error.description
        == "soup 'quiet' (\(#fileID):\(line)): reaction state & a & b & b (\(#fileID):\(line + 5)): Boom(number: 4)")
    #expect(control.snapshot()[a] + control.snapshot()[b] == 0, "consumed molecules stay consumed")
  }

  @Test(arguments: Run.setups)
  func `A body's error goes to the onError of its own soup`(setup: Setup) async throws {
    let logs = [Log<ReactionError>(), Log<ReactionError>()]
    let soups = logs.enumerated().map { index, log in
      Soup.define("soup \(index)", with: .init(matcher: setup.matcher, onError: log.append)) { soup in
        let go = soup.slow("go", of: Int.self)
        soup.react(go, on: setup.placement) { number in throw Boom(number) }
        return (go, soup.control)
      }
    }
    for (index, soup) in soups.enumerated() { for number in 0...index { soup.0(number) } }
    for soup in soups { await soup.1.settle() }
    #expect(logs.map { Set($0.all.map(\.soup.label)) } == [["soup 0"], ["soup 1"]])
    #expect(logs.map { $0.all.compactMap { ($0.error as? Boom)?.number }.sorted() } == [[0], [0, 1]])
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
        "Crucible: soup 'loud' (\(#fileID):\(Self.line)): reaction go & log (\(#fileID):\(Self.line + 3)): "
          + "Boom(number: 5)"
      ])
  }

  /// The line of the soup's definition, which is here because the closure of an exit test has no lines of its own.
  private static let line = #line + 2
  private static func loud(_ matcher: Matcher) -> (Injector<Void>, Injector<Void>, Soup.Control) {
    Soup.define("loud", with: .init(matcher: matcher)) { soup in
      let go = soup.slow("go")
      let log = soup.slow("log")
      soup.react(go, log) { _, _ in throw Boom(5) }
      return (go, log, soup.control)
    }
  }

  @Test(arguments: Run.setups)
  func `A body that throws leaves the state as it changed it, in one copy`(setup: Setup) async throws {
    let unreceived = Tally()
    let perThread = scaled(1000)
    let count: Soup.ErrorHandler = { _ in unreceived.add() }
    let (add, sum, control) = Soup.define("sum", with: .init(matcher: setup.matcher, onError: count)) { soup in
      let total = soup.state("total", 0)
      let add = soup.slow("add", of: Int.self)
      let sum = soup.fast("sum", returning: Int.self)
      soup.react(state: total, add, on: setup.placement) { total, number in
        total += 1
        if number.isMultiple(of: 2) { throw Boom(number) }
        total += 1
      }
      soup.react(state: total, sum, on: setup.placement) { total, call in call.reply(total) }
      return (add, sum, soup.control)
    }
    try await onThreads(8) { _ in for number in 0..<2 * perThread { add(number) } }
    await control.settle()
    #expect(try await sum() == 8 * 3 * perThread)
    #expect(unreceived.count == 8 * perThread)
    await control.settle()
    #expect(control.snapshot()["total"] == 1)
  }

  @Test(arguments: Run.setups)
  func `A body's error ends a call that the body kept, and a later reply returns false`(setup: Setup) async throws {
    let (ask, answer) = Soup.define("kept", with: .init(matcher: setup.matcher)) { soup in
      let kept = soup.state("kept", Call<Void, Int>?.none)
      let ask = soup.fast("ask", returning: Int.self)
      let answer = soup.fast("answer", returning: Bool.self)
      soup.react(state: kept, ask, on: setup.placement) { kept, call in
        kept = call
        throw Boom(6)
      }
      soup.react(state: kept, answer, on: setup.placement) { kept, call in call.reply(kept?.reply(1) ?? true) }
      return (ask, answer)
    }
    await #expect(throws: CallError.failed(Boom(6))) { try await ask() }
    #expect(try await !answer())
    await #expect(throws: CallError.failed(Boom(6))) { try await onThread { try ask.blocking() } }
    #expect(try await !answer())
  }

  @Test(arguments: Run.setups)
  func `A body may throw a typed error`(setup: Setup) async throws {
    let call = Soup.define("typed", with: .init(matcher: setup.matcher)) { soup in
      let state = soup.state("state", 0)
      let call = soup.fast("call", of: Int.self, returning: Int.self)
      let typed: @Sendable (inout Int, Call<Int, Int>) throws(Boom) -> Void = { n, call throws(Boom) in
        n += 1
        if call.input < 0 { throw Boom(n) }
        call.reply(n)
      }
      soup.react(state: state, call, on: setup.placement, typed)
      return call
    }
    #expect(try await call(1) == 1)
    await #expect(throws: CallError.failed(Boom(2))) { try await call(-1) }
    #expect(try await onThread { try call.blocking(1) } == 3)
  }

  @Test(arguments: Run.setups)
  func `Errors of bodies leave nothing behind`(setup: Setup) async throws {
    let (census, others) = (Census(), Census())
    do {
      let ignore: Soup.ErrorHandler = { _ in }
      let (call, slow, control) = Soup.define("leaks", with: .init(matcher: setup.matcher, onError: ignore)) { soup in
        let call = soup.fast("call", of: Live.self, returning: Live.self)
        let slow = soup.slow("slow", of: Live.self)
        soup.react(call, on: setup.placement) { call in throw Holding(call.input) }
        soup.react(slow, on: setup.placement) { value in throw Holding(value) }
        return (call, slow, soup.control)
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
