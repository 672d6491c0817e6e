import Crucible
import CrucibleTestSupport
import Testing

/// Explanations of a soup: the reactions that fire, and the reasons why others do not.
@Suite(.watched, .serialized)
struct `An explanation` {
  @Test(arguments: Run.setups)
  func `An explanation lists each reaction's present and missing inputs, and the reactions that compete for them`(
    setup: Setup
  ) async throws {
    let line = #line
    let (a, b, control) = Soup.define("misses", with: .init(matcher: setup.matcher)) { soup in
      let total = soup.state("total", 0)
      let a = soup.slow("a", of: Int.self)
      let b = soup.slow("b")
      soup.react(state: total, a, a, b, on: setup.placement) { _, _, _, _ in }
      soup.react(b, b, b, on: setup.placement) { _, _, _ in }
      return (a, b, soup.control)
    }
    a(1)
    for _ in 0..<2 { b() }
    let explanation = control.explain()
    func source(_ offset: Int) -> Soup.Source { Soup.Source(line: line + offset) }
    #expect(explanation.soup == "misses")
    #expect(explanation.source == source(1))
    #expect(explanation.condition == .running)
    #expect(explanation.molecules == 3)
    #expect(explanation.reserved == 0)
    #expect(explanation.calls.isEmpty && explanation.callers.isEmpty)
    #expect(explanation.verdict == "nothing reacts: every reaction lacks a molecule")
    let (first, second) = (explanation.reactions[0], explanation.reactions[1])
    #expect(first.info.pattern == "total & a & a & b")
    #expect(first.info.source == source(5))
    #expect(first.placement == setup.placement.testDescription)
    #expect(first.component == 0 && first.matcher == setup.matcher)
    #expect(first.bodies == 0 && !first.isEnabled)
    #expect(first.inputs.map(\.label) == ["total", "a", "b"])
    #expect(first.inputs.map(\.kind) == [.state, .slow, .slow])
    #expect(first.inputs.map(\.source) == [source(2), source(3), source(4)])
    #expect(first.inputs.map(\.needed) == [1, 2, 1])
    #expect(first.inputs.map(\.there) == [1, 1, 2])
    #expect(first.inputs.map(\.missing) == [0, 1, 0])
    #expect(first.missing == [first.inputs[1]])
    #expect(first.inputs.map(\.competitors) == [[], [], [second.info]])
    #expect(first.inputs.allSatisfy { $0.holders.isEmpty })
    #expect(second.inputs.map(\.needed) == [3])
    #expect(second.missing.map(\.missing) == [1])
    #expect(explanation.reactions.count == 2)
    a(2)
    await control.settle()
    #expect(control.explain().reactions.map(\.missing.count) == [1, 1])
    #expect(control.explain().molecules == 1)
  }

  @Test(arguments: Run.setups)
  func `An explanation names the body that holds an absent state`(setup: Setup) async throws {
    let door = Door()
    let (work, read, control) = setup.define(slow("work"), fast("read", returning: Int.self), named: "away") {
      soup, work, read in
      let total = soup.state("total", 0)
      soup.react(state: total, work) { _, _ in door.pass() }
      soup.react(state: total, read) { total, call in call.reply(total) }
    }
    let body = aside { work() }
    await door.waitForVisitors(1)
    let caller = Task { try await read() }
    await control.callers(1)
    let explanation = control.explain()
    let (working, reading) = (explanation.reactions[0], explanation.reactions[1])
    #expect(explanation.verdict == "1 body runs; nothing else has all that it needs; 1 caller waits")
    #expect(working.bodies == 1 && reading.bodies == 0)
    #expect(reading.inputs[0].holders == [working.info])
    #expect(reading.inputs[1].holders.isEmpty && reading.inputs[1].there == 1)
    #expect(
      explanation.description.contains(
        "\n  next:    'total' is away: a body of \(working.info) has it until it ends. What does that wait for?"))
    door.open()
    try await body.value
    #expect(try await caller.value == 0)
    await control.settle()
    #expect(control.explain().verdict == "quiet and nothing waits")
    #expect(control.explain().reactions[1].inputs[0].holders.isEmpty)
  }

  @Test(arguments: Run.setups)
  func `An explanation says whose call a body has, and whose still waits`(setup: Setup) async throws {
    let door = Door()
    let (ask, token, control) = setup.react(fast("ask", of: Int.self, returning: Int.self), slow("token")) { call, _ in
      door.pass()
      call.reply(call.input)
    }
    let calls = (0..<3).map { number in Task { try await ask(number) } }
    await control.callers(3)
    #expect(control.explain().calls.map(\.matched) == [0])
    #expect(control.explain().verdict == "nothing reacts: every reaction lacks a molecule; 3 callers wait")
    let body = aside { token() }
    await door.waitForVisitors(1)
    let explanation = control.explain()
    #expect(explanation.calls.map(\.label) == ["ask"])
    #expect(explanation.calls.map(\.unmatched) == [2])
    #expect(explanation.calls.map(\.matched) == [1])
    #expect(explanation.callers.count == 3)
    let sentence = "3 callers wait, 1 of them for the reply of a body that has the call"
    #expect(explanation.verdict == "1 body runs; nothing else has all that it needs; " + sentence)
    #expect(explanation.description.contains("\nask: \(sentence)\n  3 times, for "))
    door.open()
    for _ in 0..<2 { token() }
    try await body.value
    for (number, call) in calls.enumerated() { #expect(try await call.value == number) }
  }

  @Test(arguments: matchers)
  func `An explanation of a soup of the greatest size is complete`(matcher: Matcher) async {
    let (names, control) = Soup.Matcher.automatic.define(slow("name", of: Int.self, count: 64)) { soup, names in
      soup.react(names) { _ in }
      if matcher == .word { soup.react((0..<64).map { _ in names[0] }) { _ in } }
    }
    for (number, name) in names.enumerated() where number % 2 == 0 { name(number) }
    let explanation = control.explain()
    #expect(explanation.reactions[0].inputs.map(\.label) == (0..<64).map { "name[\($0)]" })
    #expect(explanation.reactions[0].missing.map(\.label) == (0..<32).map { "name[\(2 * $0 + 1)]" })
    let questions = explanation.description.split(separator: "\n").count { $0.contains("who injects") }
    #expect(questions == (matcher == .word ? 33 : 32))
    if matcher == .word {
      #expect(explanation.reactions[1].inputs.map(\.needed) == [64])
      #expect(explanation.description.contains("missing: name[0] (64 needed, 1 there)"))
    }
    for (number, name) in names.enumerated() where number % 2 == 1 { name(number) }
    await control.settle()
    #expect(control.explain().verdict == "quiet and nothing waits")
  }
}
