import Crucible
import CrucibleTestSupport
import Testing

/// Bodies of every form that throw. `DecidedRecoveryTests` has retries of the synchronous bodies of a placement.
@Suite(.watched)
struct `Bodies of every form that throw` {
  @Test(arguments: [Matcher.automatic])
  func `A retry puts inputs back, whatever the form and the isolation`(matcher: Matcher) async throws {
    let teller = DefaultTeller()
    for form in AsyncForm<Injector<Int>>.all {
      for place in Place.all {
        try await retry(form, matcher, place.placement) { attempt in
          { values, _ in try await attempt.yielding(values) }
        }
      }
    }
    for form in MainForm<Injector<Int>>.all {
      try await retry(form, matcher, .main) { attempt in { values, _ in try attempt(values) } }
    }
    for form in AsyncMainForm<Injector<Int>>.all {
      try await retry(form, matcher, .main) { attempt in { values, _ in try await attempt.yielding(values) } }
    }
    for form in ActorForm<Injector<Int>, DefaultTeller>.all {
      try await retry(form, matcher, teller) { attempt in { _, values, _ in try await attempt.yielding(values) } }
    }
  }

  @Test(arguments: [Matcher.automatic])
  func `A body's error reaches every caller, whatever the form and isolation`(matcher: Matcher) async throws {
    let teller = DefaultTeller()
    for form in PlacedForm<FastInjector<Void, Int>>.all {
      for place in Place.all { try await fail(form, matcher, place.placement) { _, _ in throw Boom(1) } }
    }
    for form in AsyncForm<FastInjector<Void, Int>>.all {
      for place in Place.all { try await fail(form, matcher, place.placement) { _, _ in try await Boom.yielding() } }
    }
    for form in MainForm<FastInjector<Void, Int>>.all {
      try await fail(form, matcher, .main) { _, _ in throw Boom(1) }
    }
    for form in AsyncMainForm<FastInjector<Void, Int>>.all {
      try await fail(form, matcher, .main) { _, _ in try await Boom.yielding() }
    }
    for form in ActorForm<FastInjector<Void, Int>, DefaultTeller>.all {
      try await fail(form, matcher, teller) { _, _, _ in try await Boom.yielding() }
    }
  }

  /// The body fails twice, and gets the same inputs each time.
  private func retry<Where, Body>(
    _ form: Form<Injector<Int>, Where, Body>, _ matcher: Matcher, _ place: Where, _ body: (Attempt) -> Body
  ) async throws {
    let attempt = Attempt()
    let unreceived = Tally()
    let options = matcher.with(onError: unreceived.report)
    let (names, control) = options.define(slow("n", of: Int.self, count: form.arity)) { soup, names in
      form.react(soup, names, place, .retry(limit: 2), body(attempt))
    }
    try await onThread { for (index, name) in names.enumerated() { name(index) } }
    await control.settle()
    #expect(
      attempt.bodies.all == Array(repeating: Array(0..<form.arity), count: 3), "\(Body.self) \(form.testDescription)")
    #expect(unreceived.count == 0, "\(Body.self) \(form.testDescription)")
  }

  /// Calls each name once, at the same time.
  private func fail<Where, Body>(
    _ form: Form<FastInjector<Void, Int>, Where, Body>, _ matcher: Matcher, _ place: Where, _ body: Body
  ) async throws {
    let unreceived = Tally()
    let options = matcher.with(onError: unreceived.report)
    let (calls, control) = options.define(fast("call", returning: Int.self, count: form.arity)) { soup, calls in
      form.react(soup, calls, place, .report, body)
    }
    let ends = try await onThreads(form.arity) { calls[$0].blockingOutcome((), within: nil) }
    let expected = Array(repeating: Result<Int, CallError>.failure(.failed(Boom(1))), count: form.arity)
    #expect(ends == expected, "\(Body.self) \(form.testDescription)")
    await control.settle()
    #expect(unreceived.count == 0, "\(Body.self) \(form.testDescription)")
  }
}

/// The behaviour of a body that fails twice.
private struct Attempt: Sendable {
  let bodies = Log<[Int]>()

  func callAsFunction(_ values: [Int]) throws {
    bodies.append(values)
    if bodies.count < 3 { throw Boom(1) }
  }

  func yielding(_ values: [Int]) async throws {
    await Task.yield()
    try self(values)
  }
}

extension Boom {
  fileprivate static func yielding() async throws {
    await Task.yield()
    throw Boom(1)
  }
}
