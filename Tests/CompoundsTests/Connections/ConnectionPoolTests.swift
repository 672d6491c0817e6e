import Compounds
import Crucible
import CrucibleTestSupport
import Testing

@Suite(.watched)
struct `A pool of connections` {
  @Test(arguments: matchers, [false, true])
  func `A caller gets the connection that comes first: its own new one, unless that fails, or one given back`(
    matcher: Matcher, fails: Bool
  ) async throws {
    let (made, mayMake, isMaking, errors) = (Tally(), Gate(), Gate(), Log<Fault>())
    let options = Soup.Options(matcher: matcher, onError: { errors.append($0.error as! Fault) })
    let pool = ConnectionPool(limit: 2, options: options) {
      let number = made.add()
      if number != 2 { return number }
      isMaking.open()
      await mayMake.wait()
      if fails { throw Fault() }
      return number
    }
    let first = try await pool.take()
    let second = Task { try await pool.take() }
    await isMaking.wait()
    pool.giveBack(first)
    let again = try await second.value
    #expect(again.connection == 1)
    if fails {
      mayMake.open()
      await pool.control.expectRest(["stock 1", "open 1"])
      #expect(errors.all == [Fault()], "no caller needs it, so the error goes to the soup's handler")
    } else {
      // The next caller waits for the one that is being made.
      let third = Task { try await pool.take() }
      await pool.control.callers(1)
      mayMake.open()
      let new = try await third.value
      #expect(new.connection == 2)
      pool.giveBack(new)
    }
    pool.giveBack(again)
    await pool.control.expectRest(["stock 1", "open 1"])
    #expect(made.count == 2)
    let leases = [try await pool.take(), try await pool.take()]
    #expect(leases.map(\.connection).sorted() == (fails ? [1, 3] : [1, 2]))
  }

  @Test(arguments: matchers)
  func `A drain serves waiting callers, takes connections back, and closes each once`(matcher: Matcher) async throws {
    let (made, closed, order) = (Tally(), Log<Int>(), Log<String>())
    let (mayReturn, isLent) = (Gate(), Gate())
    let pool = ConnectionPool(limit: 1, options: .init(matcher: matcher)) {
      made.add()
    } close: {
      closed.append($0)
    }
    let user = Task {
      try await pool.withConnection { _ in
        isLent.open()
        await mayReturn.wait()
        order.append("returned")
      }
    }
    await isLent.wait()
    let waiting = (0..<3).map { _ in Task { try await pool.withConnection { _ in order.append("served") } } }
    await pool.control.callers(3)
    let drain = Task {
      let report = await pool.control.drain(within: patience)
      order.append("drained")
      return report
    }
    await eventually("it drains") { pool.control.snapshot().isDraining }
    await #expect(throws: CallError.stopped) { _ = try await pool.take() }
    mayReturn.open()
    let report = await drain.value
    try await user.value
    for caller in waiting { try await caller.value }
    #expect(order.all == ["returned", "served", "served", "served", "drained"])
    #expect(report.isQuiet && report.unfinished == [], "\(report)")
    #expect(made.count == 1)
    #expect(closed.all == [1])
  }

  @Test(arguments: matchers)
  func `A connection whose body throws or is cancelled is closed, exactly once, and so is one of a stopped pool`(
    matcher: Matcher
  ) async throws {
    let (made, closed) = (Tally(), Log<Int>())
    let pool = ConnectionPool(limit: 1, options: .init(matcher: matcher)) {
      made.add()
    } close: {
      closed.append($0)
    }
    await #expect(throws: Fault.self) { try await pool.withConnection { _ in throw Fault() } }
    await eventually("the first is closed") { closed.all == [1] }
    let isLent = Gate()
    let cancelled = Task {
      try await pool.withConnection { _ in
        isLent.open()
        try await Task.sleep(for: patience)
      }
    }
    await isLent.wait()
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    await eventually("the second is closed") { closed.all == [1, 2] }
    try await onThread {
      #expect(throws: Fault.self) { try pool.blocking.withConnection { _ in throw Fault() } }
    }
    await eventually("the third is closed") { closed.all == [1, 2, 3] }
    #expect(try await pool.withConnection { $0 } == 4)
    #expect(closed.all == [1, 2, 3], "a connection that works stays open")
    try await pool.withConnection { _ in _ = await pool.control.stop(within: patience) }
    await eventually("the one that was in use is closed") { closed.all == [1, 2, 3, 4] }
  }
}
