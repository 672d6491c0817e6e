import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// A supervisor by a manual clock, whose events and errors are kept.
struct Setting {
  let clock = ManualClock()
  let events = Log<String>()
  let errors = Log<Fault>()
  let made = Tally()
  let options: Soup.Options
  let supervisor: Supervisor

  init(_ matcher: Matcher) {
    let (events, errors) = (events, errors)
    options = Soup.Options(matcher: matcher, clock: clock, onError: { errors.append($0.error as! Fault) })
    supervisor = Supervisor(options: options) { events.append($0.description) }
  }

  func agent(
    _ id: String, _ restarts: Supervisor.Restarts = Supervisor.Restarts(), made: Tally = Tally(),
    onCrash: Crash.Policy? = nil
  ) throws -> Agent<Register> {
    try supervisor.supervise(id, restarts: restarts, options: options, onCrash: onCrash) {
      made.add()
      return Register()
    }
  }
}

@Suite(.watched)
struct `A supervisor` {
  @Test(arguments: matchers)
  func `A supervisor replaces a crashed agent, and the new one handles what waits`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let made = Tally()
    let agent = try setting.agent("store", made: made)
    await #expect(throws: CallError.failed(Fault())) { try await agent.ask { _ in throw Fault() } }
    await agent.control.settle()
    #expect(setting.events.all == [] && made.count == 1, "a question that throws is no crash")
    agent.control.pause()
    agent.send { $0.values.append(1) }
    agent.send { _ in throw Fault() }
    for number in 2...20 { agent.send { $0.values.append(number) } }
    let question = Task { try await agent.ask { $0.values.contains(1) } }
    await agent.control.callers(1)
    agent.control.resume()
    _ = try await question.value
    await agent.control.settle()
    #expect(try await agent.ask { $0.values } == Array(2...20))
    #expect(made.count == 2)
    #expect(setting.errors.all == [Fault()])
    await setting.supervisor.control.settle()
    #expect(setting.events.all == ["'store' has crashed: \(Fault())"])
    #expect(agent.control.warnings == [] && setting.supervisor.control.warnings == [])
    await agent.control.expectRest(["up 1", "object 1"])
  }

  @Test(arguments: matchers)
  func `A supervisor hands the message of a crash to the policy`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let attempts = Tally()
    let agent = try setting.agent("store") { $0.resend() }
    agent.send { register in
      if attempts.add() < 3 { throw Fault() }
      register.values.append(attempts.count)
    }
    await agent.control.settle()
    #expect(try await agent.ask { $0.values } == [3])
    #expect(setting.errors.all == [])
  }

  @Test(arguments: matchers)
  func `A supervisor replaces all agents that are linked, directly or not`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let made = (0..<4).map { _ in Tally() }
    let agents = try (0..<4).map { try setting.agent("\($0)", made: made[$0]) }
    try setting.supervisor.link("0", to: "1")
    try setting.supervisor.link("1", to: "2")
    agents[0].crash(with: Fault())
    for agent in agents { await expectQuiet(agent.control, setting.supervisor.control) }
    for agent in agents { await agent.control.settle() }
    #expect(made.map(\.count) == [2, 2, 2, 1])
    agents[2].crash(with: Fault())
    await agents[2].control.settle()
    #expect(made.map(\.count) == [2, 2, 3, 1])
  }

  @Test(arguments: matchers)
  func `A supervisor refuses circles, unknown agents and ids that are taken`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let supervisor = setting.supervisor
    let agents = try ["a", "b", "c"].map { try setting.agent($0) }
    #expect(throws: SupervisionError.duplicate("a")) { try setting.agent("a") }
    try supervisor.link("a", to: "b")
    try supervisor.link("b", to: "c")
    #expect(throws: SupervisionError.circular("c", "a")) { try supervisor.link("c", to: "a") }
    #expect(throws: SupervisionError.circular("a", "a")) { try supervisor.link("a", to: "a") }
    #expect(throws: SupervisionError.unknown("d")) { try supervisor.link("a", to: "d") }
    #expect(throws: SupervisionError.unknown("d")) { try supervisor.unsupervise("d") }
    try supervisor.unsupervise("b")
    #expect(throws: SupervisionError.unknown("c")) { try supervisor.link("a", to: "c") }
    #expect(try await agents[2].ask { $0.values.count } == 0)
    _ = try setting.agent("c")
  }

  /// The supervisor handles the crash further out on the same thread.
  @Test(arguments: matchers)
  func `An inline onEvent that changes its supervisor gets Deadlock with the chain`(matcher: Matcher) async throws {
    let inline = Soup.Options(matcher: matcher, placement: .inline, onError: { _ in })
    let (own, found) = (Shared<Supervisor>(nil), Log<Deadlock>())
    let supervisor = Supervisor(options: inline) { _ in
      let changes: [() throws -> Void] = [
        { try own.value!.unsupervise("a") }, { try own.value!.link("a", to: "b") },
        { try own.value!.supervise("c", options: inline) { Register() } },
      ]
      for change in changes {
        do { try change() } catch { if case CallError.failed(let reason as Deadlock) = error { found.append(reason) } }
      }
    }
    own.put(supervisor)
    try await onThread {
      let agent = try supervisor.supervise("a", options: inline) { Register() }
      try supervisor.supervise("b", options: inline) { Register() }
      agent.crash(with: Fault())
    }
    let chain = ["family & crashed", "reports & event"]
    #expect(found.all.map { $0.bodies.map(\.reaction.pattern) } == [chain, chain, chain])
    #expect(supervisor.ids == ["a", "b"])
    _ = own.take()
  }

  @Test(arguments: matchers)
  func `A supervisor waits longer after each crash, and stops the agent in the end`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let made = Tally()
    let restarts = Supervisor.Restarts(2, within: .seconds(10), delay: .seconds(1))
    let agent = try setting.agent("store", restarts, made: made)
    for (crash, seconds) in [(1, 1), (2, 2)] {
      agent.crash(with: Fault())
      await expectQuiet(agent.control, setting.supervisor.control)
      await agent.control.settle(setting.clock, advancedBy: .seconds(seconds) - .milliseconds(1))
      #expect(made.count == crash)
      setting.clock.advance(by: .milliseconds(1))
      await agent.control.expectRest(["up 1", "object 1"])
      #expect(made.count == crash + 1)
    }
    setting.clock.advance(by: .seconds(10))
    await setting.supervisor.control.expectRest(["family 1", "reports 1"])
    for _ in 0..<3 {
      agent.crash(with: Fault())
      await expectQuiet(agent.control, setting.supervisor.control)
      setting.clock.advance(by: .seconds(2))
    }
    await agent.control.settle()
    #expect(setting.events.all.last == "'store' has been stopped.")
    await #expect(throws: CallError.stopped) { try await agent.ask { $0.values } }
    #expect(made.count == 5)
    let another = try setting.agent("store")
    #expect(try await another.ask { $0.values } == [])
  }

  @Test(arguments: matchers)
  func `A supervisor finds its agents and pools by their ids`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    #expect(setting.supervisor.ids == [])
    let agent = try setting.agent("store")
    let pool = try setting.pool(members: 2, crashes: 1)
    #expect(setting.supervisor.ids == ["pool", "store"])
    agent.send { $0.values.append(1) }
    await agent.control.settle()
    let found: Agent<Register>? = setting.supervisor["store"]
    #expect(found?.control == agent.control)
    #expect(try await found?.ask { $0.values } == [1])
    #expect(setting.supervisor["pool", as: AgentPool<Register>.self]?.control == pool.control)
    #expect(setting.supervisor["pool", as: Agent<Register>.self] == nil)
    #expect(setting.supervisor["none", as: Agent<Register>.self] == nil)
    try setting.supervisor.unsupervise("store")
    #expect(setting.supervisor.ids == ["pool"])
    #expect(setting.supervisor["store", as: Agent<Register>.self] == nil)
  }

  @Test(arguments: matchers)
  func `An agent is no longer made anew with another one from which it is unlinked`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let (first, second) = (Tally(), Tally())
    let parent = try setting.agent("parent")
    let children = [try setting.agent("first", made: first), try setting.agent("second", made: second)]
    try setting.supervisor.link("parent", to: "first")
    try setting.supervisor.link("parent", to: "second")
    try setting.supervisor.unlink("parent", from: "first")
    try setting.supervisor.unlink("first", from: "parent")
    #expect(throws: SupervisionError.unknown("none")) { try setting.supervisor.unlink("parent", from: "none") }
    parent.crash(with: Fault())
    await eventually("the linked one is made anew") { second.count == 2 }
    for control in [setting.supervisor.control] + children.map(\.control) { await control.settle() }
    #expect(first.count == 1)
    try setting.supervisor.link("first", to: "parent")
  }

  @Test(arguments: matchers)
  func `An agent or a pool that crashes without its supervisor is quiet and gone at once`(matcher: Matcher) async throws
  {
    let (setting, census) = (Setting(matcher), Census())
    do {
      let (agent, pool): (Agent<Live>, AgentPool<Live>)
      do {
        let supervisor = Supervisor(options: setting.options)
        agent = try supervisor.supervise("agent", options: setting.options) { census.live() }
        pool = try supervisor.supervise("pool", members: 2, crashes: 0, options: setting.options) { census.live() }
      }
      agent.crash(with: Fault())
      pool.crash(with: Fault())
      for control in [agent.control, pool.control] {
        await eventually("it is stopped") { control.snapshot().isStopped }
        // A body that waited for the stop of its own soup would wait for its limit of 10 seconds.
        #expect(await control.quiet(within: .seconds(8)))
      }
    }
    await census.expectExtinction()
  }

  @Test(arguments: matchers)
  func `An agent that crashes without its supervisor leaves no caller waiting`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let agent = try setting.agent("store")
    try setting.supervisor.unsupervise("store")
    agent.control.pause()
    agent.crash(with: Fault())
    let caller = Task { try await agent.ask { $0.values } }
    await agent.control.callers(1)
    agent.control.resume()
    // On some matchers the question may come before the crash.
    do { #expect(try await caller.value == []) } catch { #expect(error as? CallError == .stopped) }
    await #expect(throws: CallError.stopped) { while true { _ = try await agent.ask { $0.values } } }

    let orphan: Agent<Register>
    do {
      let supervisor = Supervisor(options: setting.options)
      orphan = try supervisor.supervise("orphan", options: setting.options) { Register() }
    }
    orphan.crash(with: Fault())
    await #expect(throws: CallError.stopped) { while true { _ = try await orphan.ask { $0.values } } }
  }
}
