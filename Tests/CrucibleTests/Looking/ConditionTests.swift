import Crucible
import CrucibleTestSupport
import Testing

/// Descriptions of a soup begin with its condition.
@Suite(.watched, .serialized)
struct `The verdict of an explanation` {
  @Test(arguments: Run.setups)
  func `An explanation says that a soup is paused, and what would react`(setup: Setup) async throws {
    let desk = Desk(setup)
    desk.control.pause()
    #expect(desk.control.explain().condition == .paused)
    #expect(desk.control.explain().verdict == "paused, and no reaction would react")
    desk.token()
    let call = Task { try await desk.ask(1) }
    let other = Task { try await desk.tick() }
    await desk.control.callers(2)
    let explanation = desk.control.explain()
    #expect(explanation.verdict == "paused: 2 reactions would react; 2 callers wait")
    #expect(explanation.reactions.map(\.isEnabled) == [true, true])
    #expect(explanation.description.contains("\n  next:    has all it needs: resume() the soup"))
    #expect(desk.control.description.contains("), paused\n  fast ask: 1, "))
    desk.token()
    desk.control.resume()
    #expect(try await call.value == -1)
    #expect(try await other.value == 7)
    await desk.control.settle()
    #expect(desk.control.explain().verdict == "quiet and nothing waits")
  }

  @Test(arguments: Run.setups)
  func `An explanation says that a soup is stopped, and whether it is quiet`(setup: Setup) async throws {
    let door = Door()
    let (go, control) = setup.react(slow("go")) { _ in door.pass() }
    let body = aside { go() }
    await door.waitForVisitors(1)
    await control.stop(within: .zero)
    #expect(control.explain().condition == .stopped)
    #expect(control.explain().verdict == "stopped, and not quiet yet: 1 body runs")
    door.open()
    try await body.value
    await control.settle()
    #expect(control.explain().verdict == "stopped: nothing reacts before restart()")
    #expect(control.explain().reactions.map(\.bodies) == [0])
    try await control.restart(within: patience)
    #expect(control.explain().verdict == "quiet and nothing waits")
  }

  @Test(arguments: matchers)
  func `An explanation says that a soup is gone`(matcher: Matcher) {
    let line = #line + 1
    let (a, _, control, owner) = unowned(matcher.react(slow("a"), slow("b"), named: "left") { _, _ in })
    a()
    _ = owner.take()
    let explanation = control.explain()
    #expect(explanation.condition == .gone)
    #expect(
      explanation.description
        == "soup 'left' (\(#fileID):\(line)): the soup is gone: nothing reacts in it any more")
    #expect(explanation.reactions.map(\.info.pattern) == ["a & b"])
    #expect(explanation.reactions[0].inputs.map(\.there) == [0, 0])
    #expect(control.description.contains("), gone\n  slow a: 0, "))
    #expect(control.graph.reactions.map(\.info.pattern) == ["a & b"])
  }

  @Test(arguments: matchers, WayToCall.allCases)
  func `An explanation says that a definition has not ended, and which callers wait for that`(
    matcher: Matcher, way: WayToCall
  ) async throws {
    let (outcome, told) = (Shared<Task<Result<Int, CallError>, Never>>(nil), Log<Explanation>())
    let described = Log<String>()
    let line = #line + 2
    let control = try await onThread {
      Soup.define("early", with: .init(matcher: matcher)) { soup in
        let ask = soup.fast("ask", of: Int.self, returning: Int.self)
        soup.react(ask, on: .inline) { call in call.reply(call.input) }
        let control = soup.control
        outcome.put(Task.detached { await way.call(ask, 4) })
        while control.explain().callers.isEmpty {}
        told.append(control.explain())
        described.append(control.description)
        return control
      }
    }
    #expect(await outcome.value!.value == .success(4))
    let explanation = told.all[0]
    #expect(explanation.condition == .beingDefined)
    #expect(explanation.verdict == "its definition has not ended: until then nothing reacts; 1 caller waits")
    #expect(explanation.reactions.isEmpty)
    #expect(explanation.callers.map(\.molecule) == ["ask"])
    #expect(described.all == ["soup 'early' (\(#fileID):\(line)), being defined"])
    #expect(control.explain().condition == .running)
    #expect(control.explain().reactions.count == 1)
    #expect(control.explain().callers.isEmpty)
  }

  @Test func `An explanation of a definition that was given up says that the soup is gone`() throws {
    struct Given: Error {}
    var smuggled: Soup.Control?
    #expect(throws: Given.self) {
      let _: Soup.Control = try Soup.define("given up") { soup throws(Given) in
        smuggled = soup.control
        throw Given()
      }
    }
    #expect(smuggled!.explain().condition == .gone)
    #expect(smuggled!.explain().verdict == "the soup is gone: nothing reacts in it any more")
    #expect(smuggled!.graph.names.isEmpty)
  }
}
