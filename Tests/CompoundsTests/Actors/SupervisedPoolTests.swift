import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

extension Setting {
  func pool(
    members: Int, crashes: Int, _ restarts: Supervisor.Restarts = Supervisor.Restarts(), onCrash: Crash.Policy? = nil
  ) throws -> AgentPool<Register> {
    try supervisor.supervise(
      "pool", members: members, crashes: crashes, within: .seconds(10), restarts: restarts, options: options,
      onCrash: onCrash
    ) { [made] in
      made.add()
      return Register()
    }
  }

  /// Waits until a pool and its supervisor rest.
  func expectQuiet(_ pool: AgentPool<Register>, _ location: SourceLocation = #_sourceLocation) async {
    // The last member informs the supervisor, which has the pool made anew.
    for _ in 0..<2 { await CompoundsTests.expectQuiet(pool.control, supervisor.control, location: location) }
  }
}

@Suite(.watched)
struct `A supervised pool` {
  @Test(arguments: matchers)
  func `A supervised pool replaces a member for each crash, and all for too many`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let pool = try setting.pool(members: 3, crashes: 2)
    await setting.expectQuiet(pool)
    #expect(setting.made.count == 3)
    let handled = Tally()
    pool.control.pause()
    for number in 1...3 {
      pool.send { _ in throw Fault(number: number) }
      for _ in 0..<10 { pool.send { _ in handled.add() } }
    }
    let question = Task { try await pool.ask { _ in 7 } }
    await pool.control.callers(1)
    pool.control.resume()
    #expect(try await question.value == 7)
    await setting.expectQuiet(pool)
    #expect(handled.count == 30)
    #expect(setting.made.count == 3 + 3 + 3)
    #expect(Set(setting.errors.all.map(\.number)) == [1, 2, 3] && setting.errors.count == 3)
    #expect(setting.events.count == 1 && setting.events.all[0].hasPrefix("'pool' has crashed: "))
    #expect(pool.control.warnings == [] && setting.supervisor.control.warnings == [])
    await pool.control.expectRest(["idle 3", "news 1"])
  }

  @Test(arguments: matchers)
  func `A supervised pool is down for the delay, and then handles what came meanwhile`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let pool = try setting.pool(
      members: 2, crashes: 0, Supervisor.Restarts(2, within: .seconds(10), delay: .seconds(1)))
    for (crash, seconds) in [(1, 1), (2, 2)] {
      let handled = Tally()
      pool.send { _ in throw Fault() }
      await setting.expectQuiet(pool)
      #expect(setting.events.count == crash)
      pool.send { _ in handled.add() }
      pool.broadcast { _ in handled.add() }
      let question = Task { try await pool.ask { _ in handled.add() } }
      await pool.control.callers(1)
      setting.clock.advance(by: .seconds(seconds) - .milliseconds(1))
      await setting.expectQuiet(pool)
      #expect(handled.count == 0)
      setting.clock.advance(by: .milliseconds(1))
      _ = try await question.value
      await pool.control.expectRest(["idle 2", "news 1"])
      #expect(handled.count == 4)
      #expect(setting.made.count == 2 + 3 * crash)
    }
    #expect(setting.errors.count == 2)
  }

  @Test(arguments: matchers)
  func `A supervised pool forgets a crash of a member after the interval`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let pool = try setting.pool(members: 1, crashes: 1)
    for crash in 1...3 {
      pool.send { _ in throw Fault() }
      await setting.expectQuiet(pool)
      #expect(setting.made.count == 1 + crash)
      setting.clock.advance(by: .seconds(10))
      await setting.expectQuiet(pool)
    }
    #expect(setting.events.all == [])
    for _ in 1...2 { pool.send { _ in throw Fault() } }
    await setting.expectQuiet(pool)
    #expect(setting.events.count == 1)
    #expect(setting.made.count == 4 + 3)
  }

  @Test(arguments: matchers)
  func `A supervised pool stops when it crashes too often`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let pool = try setting.pool(members: 2, crashes: 0, Supervisor.Restarts(1, within: .seconds(10)))
    for _ in 0..<2 {
      pool.send { _ in throw Fault() }
      await setting.expectQuiet(pool)
    }
    #expect(setting.events.all.last == "'pool' has been stopped.")
    await #expect(throws: CallError.stopped) { while true { _ = try await pool.ask { $0.values } } }
    let another = try setting.pool(members: 1, crashes: 0)
    #expect(try await another.ask { $0.values } == [])
  }

  @Test(arguments: matchers)
  func `A supervisor replaces a pool with its linked agents, and the other way round`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let (before, after) = (Tally(), Tally())
    let pool = try setting.pool(members: 3, crashes: 0)
    let parent = try setting.supervisor.supervise("parent", options: setting.options) { before.add() }
    let child = try setting.supervisor.supervise("child", options: setting.options) { after.add() }
    try setting.supervisor.link("parent", to: "pool")
    try setting.supervisor.link("pool", to: "child")
    func expectMade(_ counts: [Int], _ location: SourceLocation = #_sourceLocation) async {
      for agent in [parent, child, parent, child] {
        #expect(await agent.control.quiet(within: patience), sourceLocation: location)
        await setting.expectQuiet(pool, location)
      }
      #expect([before.count, setting.made.count, after.count] == counts, sourceLocation: location)
    }
    await expectMade([1, 3, 1])
    parent.crash(with: Fault())
    await expectMade([2, 6, 2])
    pool.send { _ in throw Fault() }
    await expectMade([2, 10, 3])
    await pool.control.expectRest(["idle 3", "news 1"])
  }

  @Test(arguments: matchers)
  func `A supervised pool replaces a busy member once it is free, and hands it what was broadcast meanwhile`(
    matcher: Matcher
  ) async throws {
    let setting = Setting(matcher)
    let pool = try setting.pool(members: 2, crashes: 0) { $0.resend() }
    let (isBusy, mayEnd) = (Latch(1), Latch(1))
    pool.send { register in
      isBusy.countDown()
      Soup.Pool.blocking { mayEnd.waitBlocking() }
      register.values.append(1)
    }
    await isBusy.wait()
    let attempts = Tally()
    pool.send { register in if attempts.add() == 1 { throw Fault() } }
    while setting.events.count == 0 { await Task.yield() }
    let contents = Log<[Int]>()
    pool.broadcast { contents.append($0.values) }
    #expect(try await pool.ask { $0.values } == [])
    mayEnd.countDown()
    await setting.expectQuiet(pool)
    await pool.control.expectRest(["idle 2", "news 1"])
    #expect(contents.all == [[], []])
    #expect(attempts.count == 2)
    #expect(setting.made.count == 2 + 1 + 2)
    #expect(setting.errors.all == [])
  }

  @Test(arguments: matchers)
  func `A supervised pool gets and loses members while it is down`(matcher: Matcher) async throws {
    let setting = Setting(matcher)
    let pool = try setting.pool(members: 3, crashes: 0, Supervisor.Restarts(delay: .seconds(1)))
    pool.send { _ in throw Fault() }
    await setting.expectQuiet(pool)
    let handled = Tally()
    pool.broadcast { _ in handled.add() }
    pool.add(2)
    pool.retire(4)
    await setting.expectQuiet(pool)
    #expect(handled.count == 0)
    setting.clock.advance(by: .seconds(1))
    await pool.control.expectRest(["idle 1", "news 1"])
    #expect(3...5 ~= handled.count)
  }
}
