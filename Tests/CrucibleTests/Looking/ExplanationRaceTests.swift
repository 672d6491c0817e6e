import Crucible
import CrucibleTestSupport
import Testing

/// Inspection does no harm, and never shows an impossible condition.
@Suite(.watched, .serialized)
struct `Explaining while all is at work` {
  @Test(arguments: Run.setups)
  func `An explanation of a soup at work shows its own callers, never more than there are`(setup: Setup) async throws {
    let desk = Desk(setup)
    let isOver = Gate()
    let (callers, calls) = (6, scaled(300))
    let looks = Tally()
    async let looking = onThreads(2) { _ in
      var wrong: [String] = []
      while !isOver.isOpen {
        let explanation = desk.control.explain()
        looks.add()
        if explanation.callers.count > callers { wrong.append("\(explanation.callers.count) callers") }
        for call in explanation.callers where !["ask", "tick"].contains(call.molecule) || call.duration < .zero {
          wrong.append(call.description)
        }
        if explanation.description.isEmpty || desk.control.description.isEmpty { wrong.append("no text") }
      }
      return wrong
    }
    async let feeding: Void = onThread {
      while !isOver.isOpen { if desk.control.snapshot()[desk.token] < 2 { desk.token() } }
    }
    async let blocked: [Void] = onThreads(2) { thread in
      for number in 0..<calls {
        if number % 3 == 0 { _ = desk.tick.blockingOutcome((), within: .microseconds(20 * thread)) }
        _ = try desk.ask.blocking(number)
      }
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for caller in 0..<4 {
        group.addTask {
          for number in 0..<calls {
            if number % 3 == 0 { _ = await desk.tick.outcome(within: .microseconds(20 * caller)) }
            _ = try await desk.ask(number)
          }
        }
      }
      try await group.waitForAll()
    }
    _ = try await blocked
    while looks.count < 10 { await Task.yield() }
    isOver.open()
    #expect(try await looking == [[], []])
    try await feeding
    await desk.control.settle()
    #expect(desk.control.explain().callers.isEmpty)
  }

  @Test(arguments: matchers, WayToCall.allCases)
  func `A thread may explain a soup while it goes`(matcher: Matcher, way: WayToCall) async throws {
    for _ in 0..<scaled(100) {
      var smuggled: (FastInjector<Int, Int>, Soup.Control)?
      var owner: Soup.Control? = Soup.define("going", with: .init(matcher: matcher)) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        let never = soup.slow("never")
        soup.react(ask, never) { call, _ in call.reply(1) }
        smuggled = (ask, soup.control)
        return soup.control
      }
      let (ask, control) = smuggled!
      smuggled = nil
      let call = Task { await way.call(ask, 1) }
      _ = await owner!.callers(1)
      async let looking = onThread {
        while control.explain().condition != .gone {}
        return control.explain().reactions.count
      }
      owner = nil
      #expect(await call.value == .failure(.gone))
      #expect(try await looking == 1)
    }
  }
}
