import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `A pool of agents` {
  private func make(
    _ matcher: Matcher, members: Int, _ errors: Log<Fault> = Log(), onCrash: Crash.Policy? = nil
  ) -> AgentPool<Register> {
    let options = Soup.Options(matcher: matcher, onError: { errors.append($0.error as! Fault) })
    return AgentPool("registers", members: members, options: options, onCrash: onCrash) { Register() }
  }

  /// Returns the values that each member has handled in the end.
  private func contents(_ pool: AgentPool<Register>) async -> [[Int]] {
    await pool.control.settle()
    let log = Log<[Int]>()
    pool.broadcast { log.append($0.values) }
    await pool.control.settle()
    return log.all
  }

  @Test(arguments: matchers)
  func `A pool of agents handles every message once, and answers questions`(matcher: Matcher) async throws {
    let pool = make(matcher, members: 3)
    for number in 0..<100 { pool.send { $0.values.append(number) } }
    let contents = await contents(pool)
    #expect(contents.count == 3)
    #expect(contents.joined().sorted() == Array(0..<100))
    #expect(contents.map(\.count).contains(try await pool.ask { $0.values.count }))
    await #expect(throws: CallError.failed(Fault())) { try await pool.ask { _ in throw Fault() } }
    await pool.control.expectRest(["idle 3", "news 1"])
    #expect(pool.control.warnings == [])
  }

  @Test(arguments: matchers)
  func `A pool of agents gives a message to a member that is free`(matcher: Matcher) async throws {
    let pool = make(matcher, members: 2)
    let kept = Latch(1)
    pool.send { _ in Soup.Pool.blocking { kept.waitBlocking() } }
    for number in 0..<20 { #expect(try await pool.ask { _ in number } == number) }
    kept.countDown()
    await pool.control.expectRest(["idle 2", "news 1"])
  }

  @Test(arguments: matchers)
  func `A pool of agents broadcasts to each member once, busy or idle`(matcher: Matcher) async {
    let pool = make(matcher, members: 4)
    let kept = Latch(1)
    pool.send { _ in Soup.Pool.blocking { kept.waitBlocking() } }
    for round in 0..<20 {
      pool.broadcast { $0.values.append(round) }
      pool.send { _ in }
    }
    kept.countDown()
    let contents = await contents(pool)
    #expect(contents == Array(repeating: Array(0..<20), count: 4))
  }

  @Test(arguments: matchers)
  func `A pool of agents adds and retires members, except for the last`(matcher: Matcher) async {
    let pool = make(matcher, members: 1)
    pool.add(3)
    #expect(await contents(pool).count == 4)
    pool.retire(2)
    #expect(await contents(pool).count == 2)
    pool.retire(5)
    #expect(await contents(pool).count == 1)
  }

  @Test(arguments: matchers)
  func `A pool of agents replaces a member that crashes, and asks the policy`(matcher: Matcher) async throws {
    let errors = Log<Fault>()
    let pool = make(matcher, members: 1, errors) { crash in
      if crash.attempts < 3 { crash.resend() } else { throw crash.error }
    }
    let attempts = Tally()
    pool.send { $0.values.append(1) }
    pool.send { register in
      attempts.add()
      register.values.append(2)
      throw Fault()
    }
    await pool.control.settle()
    #expect(attempts.count == 3)
    #expect(errors.all == [Fault()])
    #expect(await contents(pool) == [[]])
  }

  @Test(arguments: matchers)
  func `A pool of agents replaces all members when it crashes, and loses no message`(matcher: Matcher) async {
    let errors = Log<Fault>()
    let pool = make(matcher, members: 3, errors)
    let handled = Tally()
    pool.broadcast { $0.values.append(1) }
    pool.crash(with: Fault())
    for _ in 0..<20 { pool.send { _ in handled.add() } }
    await pool.control.settle()
    #expect(errors.count == 3 && handled.count == 20)
    #expect(await contents(pool) == [[], [], []])
  }

  @Test(arguments: matchers)
  func `A pool of agents resends a broadcast to the member that crashed by it`(matcher: Matcher) async throws {
    let errors = Log<Fault>()
    let pool = make(matcher, members: 3, errors) { $0.resend() }
    for round in 0..<10 {
      let attempts = Tally()
      pool.broadcast { register in
        if attempts.add() == 1 { throw Fault() }
        register.values.append(round)
      }
      await pool.control.settle()
      #expect(attempts.count == 4)
      let contents = await contents(pool)
      #expect(contents.count == 3 && contents.allSatisfy { $0.filter { $0 == round } == [round] })
    }
    #expect(errors.all == [])
    await pool.control.expectRest(["idle 3", "news 1"])
  }

  @Test(arguments: matchers)
  func `A pool of agents lets no member retire that has a broadcast to repeat`(matcher: Matcher) async throws {
    for _ in 0..<5 {
      let errors = Log<Fault>()
      let pool = make(matcher, members: 3, errors) { $0.resend() }
      let (haveBegun, mayGoOn) = (Latch(3), Latch(1))
      let attempts = Tally()
      pool.broadcast { _ in
        if attempts.add() > 3 { return }
        haveBegun.countDown()
        Soup.Pool.blocking { mayGoOn.waitBlocking() }
        throw Fault()
      }
      await haveBegun.wait()
      pool.retire(2)
      mayGoOn.countDown()
      await pool.control.expectRest(["idle 1", "news 1"])
      #expect(attempts.count == 6)
      #expect(errors.all == [])
    }
  }

  @Test(arguments: matchers)
  func `A pool of agents reports a broadcast that is resent after its member retired`(matcher: Matcher) async throws {
    let (errors, crashes) = (Log<Fault>(), Log<Crash>())
    let pool = make(matcher, members: 2, errors) { crashes.append($0) }
    let attempts = Tally()
    pool.broadcast { register in
      let attempt = attempts.add()
      if attempt <= 2 { throw Fault(number: attempt) }
      register.values.append(attempt)
    }
    await pool.control.expectRest(["idle 2", "news 1"])
    pool.retire(1)
    await pool.control.expectRest(["idle 1", "news 1"])
    #expect(errors.all == [])
    for crash in crashes.all { #expect(crash.resend()) }
    await pool.control.settle()
    #expect(errors.count == 1)
    #expect(await contents(pool) == [[3]])
  }

  @Test(arguments: matchers)
  func `A pool of one agent that asks itself goes on with another one, or at its limit`(matcher: Matcher) async throws {
    let clock = ManualClock()
    let pool = AgentPool(members: 1, options: .init(matcher: matcher, clock: clock)) { Register() }
    await clock.expire { limit in
      _ = await #expect(throws: CallError.failed(CallError.timedOut)) {
        try await pool.ask { _ in try pool.blocking.ask(within: limit) { $0.values.count } }
      }
    }
    let asking = Task { try await pool.ask { _ in try pool.blocking.ask { $0.values.count } } }
    await pool.control.callers(2)
    pool.add(1)
    #expect(try await asking.value == 0)
    await pool.control.expectRest(["idle 2", "news 1"])
  }

  @Test(arguments: matchers)
  func `A pool of agents answers threads, promises and requests`(matcher: Matcher) async throws {
    let pool = make(matcher, members: 2)
    #expect(try await onThread { try pool.blocking.ask { $0.values.isEmpty } })
    #expect(try await pool.promise { $0.values.count }.value() == 0)
    #expect(try await pool.request { (_, completion: Completion<Int>) in completion(7) } == 7)
    #expect(try await onThread { try pool.blocking.request { (_, completion: Completion<Int>) in completion(7) } } == 7)
    #expect(try await pool.promise { (_, completion: Completion<Int>) in completion(7) }.value() == 7)
    await #expect(throws: CallError.neverReplied) { try await pool.request { (_, _: Completion<Int>) in } }
  }
}
