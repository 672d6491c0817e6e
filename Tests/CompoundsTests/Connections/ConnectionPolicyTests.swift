import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Makes connections, which are numbers, and notes what becomes of them.
private struct Server: Sendable {
  let clock = ManualClock(), made = Tally(), checked = Log<Int>(), closed = Log<Int>(), errors = Log<Fault>()
  let isDown = Shared(false), isDeaf = Shared(false)

  func pool(
    _ matcher: Matcher, limit: Int = 4, checks: Bool = false, _ policy: ConnectionPolicy = ConnectionPolicy()
  ) -> ConnectionPool<Int> {
    let check: @Sendable (Int) async throws -> Bool = { connection in
      checked.append(connection)
      return !isDeaf.value!
    }
    let options = Soup.Options(matcher: matcher, clock: clock, onError: { errors.append($0.error as! Fault) })
    return ConnectionPool(
      limit: limit, policy: policy, options: options,
      make: {
        let number = made.add()
        if isDown.value! { throw Fault(number: number) }
        return number
      }, check: checks ? check : nil, close: { closed.append($0) })
  }
}

extension ConnectionPool {
  /// Takes so many connections at a time, gives them back in their order, and waits until the pool rests.
  fileprivate func use(_ count: Int) async throws {
    var leases: [Lease] = []
    for _ in 0..<count { leases.append(try await take()) }
    for lease in leases { giveBack(lease) }
    await control.settle()
  }
}

@Suite(.watched)
struct `A policy of connections` {
  @Test(arguments: matchers)
  func `A connection that is idle for too long is closed, but the minimum stays`(matcher: Matcher) async throws {
    let server = Server()
    let pool = server.pool(matcher, ConnectionPolicy(minimum: 1, idle: .seconds(60)))
    try await pool.use(3)
    await pool.control.settle(server.clock, advancedBy: .seconds(59))
    try await pool.use(1)
    #expect(server.closed.all == [])
    await pool.control.settle(server.clock, advancedBy: .seconds(1))
    #expect(server.closed.count == 2)
    await pool.control.settle(server.clock, advancedBy: .seconds(3600))
    #expect(server.closed.count == 2 && server.made.count == 3)
    #expect(pool.control.snapshot().timers == [])
  }

  @Test(arguments: matchers)
  func `A pool makes its minimum at once, and again when one is closed`(matcher: Matcher) async throws {
    let server = Server()
    let pool = server.pool(matcher, ConnectionPolicy(minimum: 2))
    await pool.control.settle()
    #expect(server.made.count == 2)
    pool.discard(try await pool.take())
    await pool.control.settle()
    #expect(server.made.count == 3 && server.closed.count == 1)
  }

  @Test(arguments: matchers)
  func `A pool that cannot make its minimum reports each error, and waits twice as long each time`(
    matcher: Matcher
  ) async throws {
    let server = Server()
    server.isDown.put(true)
    let backoff = Duration.seconds(1)...(.seconds(3))
    let pool = server.pool(matcher, ConnectionPolicy(minimum: 1, backoff: backoff))
    await pool.control.settle()
    for (attempts, pause) in [(1, 1), (2, 2), (3, 3), (4, 3)] {
      await pool.control.settle(server.clock, advancedBy: .seconds(pause) - .milliseconds(1))
      #expect(server.errors.all == (1...attempts).map { Fault(number: $0) })
      if attempts == 4 { server.isDown.put(false) }
      await pool.control.settle(server.clock, advancedBy: .milliseconds(1))
    }
    #expect(server.made.count == 5 && server.errors.count == 4)
    #expect(try await pool.withConnection { $0 } == 5)
  }

  @Test(arguments: matchers)
  func `A connection that is too old is closed, idle or when it comes back`(matcher: Matcher) async throws {
    let server = Server()
    let pool = server.pool(matcher, ConnectionPolicy(life: .seconds(60)))
    let lease = try await pool.take()
    try await pool.use(1)
    await pool.control.settle(server.clock, advancedBy: .seconds(59))
    #expect(server.closed.all == [])
    await pool.control.settle(server.clock, advancedBy: .seconds(1))
    #expect(server.closed.all == [2])
    pool.giveBack(lease)
    await pool.control.settle()
    #expect(server.closed.all == [2, 1])
  }

  @Test(arguments: matchers)
  func `An idle connection is checked each time its period is over, and closed if it is dead`(
    matcher: Matcher
  ) async throws {
    let server = Server()
    let policy = ConnectionPolicy(idle: .seconds(35), keepAlive: .seconds(10))
    let pool = server.pool(matcher, checks: true, policy)
    try await pool.use(2)
    for period in 1...3 {
      await pool.control.settle(server.clock, advancedBy: .seconds(10))
      #expect(server.checked.all.sorted() == Array(repeating: 1, count: period) + Array(repeating: 2, count: period))
      try await pool.use(1)
    }
    await pool.control.settle(server.clock, advancedBy: .seconds(5))
    #expect(server.closed.count == 1, "a check is no use, so the other one was idle for 35 seconds")
    server.isDeaf.put(true)
    await pool.control.settle(server.clock, advancedBy: .seconds(5))
    #expect(server.closed.all.sorted() == [1, 2])
  }

  @Test(arguments: matchers)
  func `With a period of zero, a connection is checked before each use, and a dead one is replaced`(
    matcher: Matcher
  ) async throws {
    let server = Server()
    let pool = server.pool(matcher, limit: 1, checks: true, ConnectionPolicy(keepAlive: .zero))
    for _ in 1...3 { #expect(try await pool.withConnection { $0 } == 1) }
    await pool.control.settle()
    #expect(server.checked.all == [1, 1])
    server.isDeaf.put(true)
    #expect(try await pool.withConnection { $0 } == 2)
    #expect(server.closed.all == [1])
  }

  @Test(arguments: matchers)
  func `A limited number of connections is being made at a time`(matcher: Matcher) async throws {
    let (begun, mayEnd) = (Tally(), Gate())
    let options = Soup.Options(matcher: matcher)
    let pool = ConnectionPool(limit: 5, policy: ConnectionPolicy(dials: 2), options: options) {
      let number = begun.add()
      await mayEnd.wait()
      return number
    }
    let callers = (0..<5).map { _ in Task { try await pool.take() } }
    await pool.control.callers(5)
    await eventually("two are being made") { begun.count == 2 }
    #expect(pool.control.snapshot()["making"] == 0)
    mayEnd.open()
    var got: [Int] = []
    for caller in callers { got.append(try await caller.value.connection) }
    #expect(got.sorted() == [1, 2, 3, 4, 5])
  }

  @Test(arguments: matchers)
  func `One caller too many gets an error at once, and those before it are served`(matcher: Matcher) async throws {
    let server = Server()
    let pool = server.pool(matcher, limit: 1, ConnectionPolicy(waiting: 2))
    let lease = try await pool.take()
    let callers = (0..<2).map { _ in Task { try await pool.withConnection { $0 } } }
    await pool.control.callers(2)
    guard case .failure(.failed(let error as TooManyWaiting)) = await pool.take.outcome() else {
      Issue.record("the caller is not refused")
      return
    }
    #expect(error.limit == 2)
    pool.giveBack(lease)
    for caller in callers { #expect(try await caller.value == 1) }
    #expect(try await pool.withConnection { $0 } == 1)
  }

  @Test(arguments: matchers)
  func `While no connection can be made, each caller gets an error of its own`(matcher: Matcher) async throws {
    let server = Server()
    server.isDown.put(true)
    let pool = server.pool(matcher, ConnectionPolicy(dials: 1))
    let callers = (0..<20).map { _ in Task { await pool.take.outcome() } }
    var got: [Int] = []
    for caller in callers {
      if case .failure(.failed(let error as Fault)) = await caller.value { got.append(error.number) }
    }
    #expect(got.sorted() + server.errors.all.map(\.number) == Array(1...server.made.count) && got.count == 20)
    server.isDown.put(false)
    #expect(try await pool.withConnection { $0 } == server.made.count)
  }

  @Test(arguments: matchers)
  func `A connection counts until it has been closed`(matcher: Matcher) async throws {
    let (made, mayClose) = (Tally(), Gate())
    let pool = ConnectionPool(limit: 1, options: .init(matcher: matcher)) {
      made.add()
    } close: { _ in
      await mayClose.wait()
    }
    pool.discard(try await pool.take())
    let caller = Task { try await pool.withConnection { $0 } }
    await pool.control.callers(1)
    #expect(made.count == 1)
    mayClose.open()
    #expect(try await caller.value == 2)
  }

  @Test(arguments: matchers)
  func `A lease that is dropped is closed, and makes room for the next caller`(matcher: Matcher) async throws {
    let server = Server()
    let pool = server.pool(matcher, limit: 1)
    for number in 1...3 { #expect(try await pool.take().connection == number) }
    await eventually("all are closed") { server.closed.all == [1, 2, 3] }
  }

  @Test(arguments: matchers)
  func `A stop, and the end of the pool, close each connection once: idle, in use, or being made`(
    matcher: Matcher
  ) async throws {
    for isStopped in [true, false] {
      let (made, closed, isMaking, mayEnd) = (Tally(), Log<Int>(), Gate(), Gate())
      var pool: ConnectionPool<Int>? = ConnectionPool(limit: 4, options: .init(matcher: matcher)) {
        let number = made.add()
        if number < 3 { return number }
        isMaking.open()
        await mayEnd.wait()
        return number
      } close: {
        closed.append($0)
      }
      var lent: ConnectionPool<Int>.Lease? = try await pool!.take()
      let idle = try await pool!.take()
      var caller: Task? = Task { [take = pool!.take] in try await take() }
      await isMaking.wait()
      pool!.giveBack(idle)
      pool!.giveBack(try await caller!.value)
      caller = nil
      await eventually("it is idle") { pool!.control.snapshot()["give back"] == 0 }
      if isStopped { #expect(await !pool!.control.stop(within: .zero).isQuiet) }
      let giveBack = pool!.giveBack
      pool = nil
      if isStopped {
        await eventually("the idle one is closed: \(closed.all)") { closed.all == [2] }
        #expect(!giveBack(lent!))
        lent = nil
        await eventually("the other one is closed: \(closed.all)") { closed.all == [2, 1] }
      }
      mayEnd.open()
      lent = nil
      await eventually("all are closed: \(closed.all)") { closed.all.sorted() == [1, 2, 3] }
    }
  }

  @Test(arguments: matchers)
  func `A pool that is cleared begins anew, and closes what comes back`(matcher: Matcher) async throws {
    let server = Server()
    let pool = server.pool(matcher, limit: 2, ConnectionPolicy(minimum: 1))
    await pool.control.settle()
    let old = [try await pool.take(), try await pool.take()]
    let caller = Task { await pool.take.outcome() }
    await pool.control.callers(1)
    pool.control.clear()
    guard case .failure(.cleared) = await caller.value else {
      Issue.record("the caller is not cleared")
      return
    }
    try await pool.use(1)
    for lease in old { pool.giveBack(lease) }
    try await pool.use(2)
    #expect(server.made.count == 4 && server.closed.all == [])
    await pool.control.drain(within: patience)
    #expect(server.closed.all.sorted() == [3, 4])
    withExtendedLifetime(old) {}
  }
}
