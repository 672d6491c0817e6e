import Compounds
import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The name of a host, which is counted while it lives.
private struct Name: Hashable, Sendable {
  let live: Live

  func hash(into hasher: inout Hasher) { hasher.combine(live.number) }
}

@Suite(.watched)
struct `Connections by key` {
  @Test(arguments: [Matcher.automatic, .locked])
  func `Each key has its own limit and its own callers`(matcher: Matcher) async throws {
    let made = Log<String>()
    let pool = KeyedConnectionPool<String, String>(limit: 1, options: .init(matcher: matcher)) { host in
      made.append(host)
      return host
    }
    let (a, b) = (try await pool.take("a"), try await pool.take("b"))
    let callers = ["a", "b"].map { host in Task { try await pool.withConnection(host) { $0 } } }
    await pool.control.callers(2)
    pool.giveBack(b)
    #expect(try await callers[1].value == "b")
    #expect(pool.control.explain().callers.count == 1)
    pool.giveBack(a)
    #expect(try await callers[0].value == "a")
    #expect(made.all == ["a", "b"])
    let host = try await onThread { try pool.blocking.withConnection("b") { $0 } }
    #expect(host == "b")
  }

  @Test(arguments: [Matcher.automatic, .locked])
  func `A key whose connections are closed is forgotten`(matcher: Matcher) async throws {
    let (clock, census) = (ManualClock(), Census())
    let policy = ConnectionPolicy(idle: .seconds(60))
    let options = Soup.Options(matcher: matcher, clock: clock)
    let pool = KeyedConnectionPool<Name, Int>(limit: 2, policy: policy, options: options) { $0.live.number }
    for number in 1...3 { #expect(try await pool.withConnection(Name(live: census.live(number))) { $0 } == number) }
    await pool.control.settle()
    #expect(census.alive == 3)
    await pool.control.settle(clock, advancedBy: .seconds(60))
    await census.expectExtinction()
    await pool.control.expectRest(["stock 1", "open 1"])
  }

  @Test(arguments: [Matcher.automatic, .locked])
  func `A drain serves the callers of all keys, and closes all connections`(matcher: Matcher) async throws {
    let (made, closed) = (Log<String>(), Log<String>())
    let pool = KeyedConnectionPool<String, String>(limit: 1, options: .init(matcher: matcher)) {
      made.append($0)
      return $0
    } close: {
      closed.append($0)
    }
    let hosts = ["a", "b", "c"]
    var leases: [KeyedConnectionPool<String, String>.Lease] = []
    for host in hosts { leases.append(try await pool.take(host)) }
    let callers = hosts.map { host in Task { try await pool.withConnection(host) { $0 } } }
    await pool.control.callers(3)
    let drain = Task { await pool.control.drain(within: patience) }
    await eventually("it drains") { pool.control.snapshot().isDraining }
    for lease in leases { pool.giveBack(lease) }
    let report = await drain.value
    #expect(report.isQuiet && report.unfinished == [], "\(report)")
    for (host, caller) in zip(hosts, callers) { #expect(try await caller.value == host) }
    // A call that the pool sees only after its host's connection has come back and is closed gets another one.
    #expect(closed.all.sorted() == made.all.sorted() && Set(closed.all) == Set(hosts))
  }
}
