import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// Molecules that leave when they have not reacted in time, with keys and without.
@Suite(.watched)
struct `Expiry` {
  /// A declaration of names that expire, and a matcher that serves it.
  struct Server: CustomTestStringConvertible {
    let hasKeys: Bool
    let matcher: Soup.Matcher

    static let all = [
      Server(hasKeys: true, matcher: .automatic), Server(hasKeys: false, matcher: .automatic),
      Server(hasKeys: false, matcher: .locked), Server(hasKeys: false, matcher: .arrival),
    ]

    func slow(
      _ soup: borrowing Soup, _ label: String, _ time: Duration, into late: Injector<Int>? = nil
    ) -> Injector<Int> {
      hasKeys
        ? soup.slow(label, of: Int.self, key: { $0 % 100 }, expires: time, into: late)
        : soup.slow(label, of: Int.self, expires: time, into: late)
    }

    var testDescription: String { "\(matcher)\(hasKeys ? ", with keys" : "")" }
  }

  @Test(arguments: Server.all)
  func `What has no partner in time expires once, never early, and goes where its name says`(server: Server) async {
    let clock = ManualClock()
    let (late, pairs) = (Log<Int>(), Tally())
    let shop = Soup.define("shop", with: .init(matcher: server.matcher, clock: clock)) { soup in
      let refund = soup.slow("refund", of: Int.self)
      let order = server.slow(soup, "order", .seconds(60))
      let payment = server.slow(soup, "payment", .seconds(5), into: refund)
      soup.react(order, payment) { _, _ in pairs.add() }
      soup.react(refund) { payment in late.append(payment) }
      return (order: order, payment: payment, control: soup.control)
    }
    #expect(shop.control.graph.names.count == 3 && !shop.control.explain().description.isEmpty)
    for i in 0..<100 { shop.payment(i) }
    clock.advance(by: .seconds(4))
    for i in 100..<150 { shop.payment(i) }
    for i in 0..<10 { shop.order(i) }
    await shop.control.settle()
    #expect(pairs.count == 10 && late.count == 0)
    clock.advance(by: .milliseconds(999))
    await shop.control.settle()
    #expect(late.count == 0)
    clock.advance(by: .milliseconds(1))
    await eventually("90 refunds: \(late.count)") { late.count == 90 }
    #expect(late.all.sorted() == Array(10..<100))
    clock.advance(by: .seconds(4))
    await eventually("140 refunds: \(late.count)") { late.count == 140 }
    for i in 0..<5 { shop.order(i) }
    await shop.control.settle()
    #expect(shop.control.snapshot()[shop.payment] == 0 && shop.control.snapshot()[shop.order] == 5)
    clock.advance(by: .seconds(60))
    await eventually("orders expire") { shop.control.snapshot()[shop.order] == 0 }
    #expect(shop.control.snapshot().dropped == 5 && pairs.count == 10)
    shop.payment(7)
    let report = await shop.control.stop()
    #expect(report.dropped == 1)
    clock.advance(by: .seconds(10))
    await shop.control.settle()
    #expect(late.count == 140 && shop.control.warnings.isEmpty)
  }

  @Test(arguments: Server.all)
  func `A molecule may expire before the others of its name`(server: Server) async {
    let (clock, late) = (ManualClock(), Log<Int>())
    let (order, payment, control) = Soup.define("shop", with: .init(matcher: server.matcher, clock: clock)) { soup in
      let refund = soup.slow("refund", of: Int.self)
      let order = server.slow(soup, "order", .seconds(60))
      let payment = server.slow(soup, "payment", .seconds(5), into: refund)
      soup.react(order, payment) { _, _ in }
      soup.react(refund) { late.append($0) }
      payment(0, expires: .seconds(1))
      payment(8, expires: .zero)
      return (order, payment, soup.control)
    }
    for (number, time) in [(1, 1), (2, 60), (3, 0), (4, -1), (5, 1), (6, 2)] {
      payment(number, expires: .seconds(time))
    }
    payment(7)
    order(5)
    await eventually("those without time expire") { late.all.contains(3) && late.all.contains(4) }
    clock.advance(by: .milliseconds(999))
    await control.settle()
    #expect(late.all.filter { $0 != 8 }.sorted() == [3, 4])
    clock.advance(by: .milliseconds(1))
    await eventually("those with a second expire") { late.count == 5 }
    clock.advance(by: .seconds(1))
    await eventually("the one with two seconds expires") { late.count == 6 }
    order(2)
    clock.advance(by: .seconds(3))
    await eventually("the last one expires with its name") { late.count == 7 }
    clock.advance(by: .seconds(60))
    await control.settle()
    // Without keys, the first order has taken the oldest payment.
    #expect(late.all.sorted() == (server.hasKeys ? [0, 1, 3, 4, 6, 7, 8] : [1, 3, 4, 5, 6, 7, 8]))
    #expect(control.snapshot()[payment] == 0)
  }

  @Test(arguments: [Soup.Matcher.automatic, .locked, .arrival])
  func `A molecule that may expire by itself reacts or expires, and never both`(matcher: Soup.Matcher)
    async throws
  {
    try await explore { world in
      let ended = Tally()
      let options = Soup.Options(matcher: matcher, clock: world.clock)
      let line = makeLine(options) { ended.add() }
      world.task("line") { line.put(1, expires: .seconds(1)) }
      world.task("permit") { line.permit() }
      await world.quiet()
      try await world.clock.sleep(for: .seconds(2))
      await world.quiet()
      #expect(ended.count == 1 && line.control.snapshot()[line.put] == 0)
    }
  }

  private func makeLine(
    _ options: Soup.Options, _ end: @escaping @Sendable () -> Void
  ) -> (put: Injector<Int>, permit: Injector<Void>, control: Soup.Control) {
    Soup.define("line", with: options) { soup in
      let old = soup.slow("old", of: Int.self)
      let put = soup.slow("put", of: Int.self, expires: .seconds(9), into: old)
      let permit = soup.slow("permit")
      soup.react(put, permit) { _, _ in end() }
      soup.react(old) { _ in end() }
      return (put: put, permit: permit, control: soup.control)
    }
  }

  @Test func `An alarm of one molecule does not keep its soup`() async {
    let (clock, census) = (ManualClock(), Census())
    do {
      let line = Soup.define("line", with: .init(clock: clock)) { soup in
        let line = soup.slow("line", of: Live.self, expires: .seconds(9))
        soup.react(line, soup.slow("never")) { _, _ in }
        return line
      }
      line(census.live(), expires: .seconds(1))
    }
    await census.expectExtinction()
    clock.advance(by: .seconds(1))
  }

  @Test func `A place whose names expire in one soup and not in the next serves both`() async {
    let clock = ManualClock()
    for round in 0..<8 {
      let (flag, control) = Soup.define("flag", with: .init(clock: clock)) { soup in
        func slow(_ lifetime: Duration?) -> Injector<String> {
          lifetime.map { soup.slow("flag", of: String.self, expires: $0, file: "Flag.swift", line: 1) }
            ?? soup.slow("flag", of: String.self, holding: { $0.count }, file: "Flag.swift", line: 1)
        }
        let flag = slow(round % 2 == 0 ? .seconds(1) : nil)
        soup.react(flag, soup.slow("never")) { _, _ in }
        return (flag, soup.control)
      }
      #expect(flag("a \(round)"))
      await control.settle(clock, advancedBy: .seconds(1))
      await eventually("it expires") { control.snapshot()[flag] == round % 2 }
    }
  }

  @Test func `A lifetime that never ends is one`() {
    let (line, control) = Soup.define("line") { soup in
      let line = soup.slow("line", of: Int.self, expires: .seconds(Int64.max))
      soup.react(line, soup.slow("never")) { _, _ in }
      return (line, soup.control)
    }
    #expect(line(1) && line.inject(contentsOf: [2, 3]) && control.snapshot()[line] == 3)
  }

  @Test func `Molecules that expire make room below the capacity, and serve those that wait for it`() async throws {
    let clock = ManualClock()
    let late = Log<Int>()
    let (line, jobs, permit, control) = Soup.define("jobs", with: .init(clock: clock)) { soup in
      let old = soup.slow("old", of: Int.self)
      let line = soup.slow("line", of: Int.self, expires: .seconds(5), into: old, capacity: 1, whenFull: .refuse)
      let jobs = soup.slow("jobs", of: Int.self, expires: .seconds(5), into: old, capacity: 1, whenFull: .wait)
      let permit = soup.slow("permit")
      soup.react(line, permit) { _, _ in }
      soup.react(jobs, permit) { _, _ in }
      soup.react(old) { number in late.append(number) }
      return (line, jobs, permit, soup.control)
    }
    #expect(line(1) && !line(2))
    try await jobs(3)
    let waiting = Task { try await jobs(4) }
    await eventually("the injection waits") { control.snapshot()["jobs.put"] == 1 }
    await control.settle()  // the injection that returned has come in
    clock.advance(by: .seconds(5))
    try await waiting.value
    await eventually("two expire") { late.count == 2 }
    #expect(late.all.sorted() == [1, 3] && line(5) && !line(6))
    permit.inject(count: 2)
    await control.settle()
    #expect(control.snapshot()[line] == 0 && control.snapshot()[jobs] == 0)
  }

  @Test(arguments: [Placement.inline, .pool])
  func `A state that no body of its key has used for a time goes, and the next body gets a new one`(
    placement: Placement
  ) async throws {
    let clock = ManualClock()
    let (made, ended) = (Log<Int>(), Tally())
    let options = Soup.Options(placement: placement, clock: clock)
    let (visit, gate, control) = Soup.define("sessions", with: options) { soup in
      let session = soup.state("session", key: Int.self, forget: .after(idle: .seconds(60))) { user in
        made.append(user)
        return Session(visits: 0, ended)
      }
      let visit = soup.fast("visit", of: Int.self, key: { $0 }, returning: Int.self)
      let wait = soup.slow("wait", of: Held.self, key: { $0.user })
      soup.react(state: session, visit) { session, call in
        session.visits += 1
        call.reply(session.visits)
      }
      soup.react(state: session, wait, on: .pool) { _, held in held.gate.waitBlocking() }
      return (visit, wait, soup.control)
    }
    for user in 0..<100 { #expect(try await visit(user) == 1) }
    await control.settle()  // a body that has replied may still have its state
    clock.advance(by: .seconds(59))
    #expect(try await visit(7) == 2)
    await control.settle()
    let held = Held(user: 8)
    gate(held)
    await eventually("a body has the session of user 8") { control.snapshot(of: 8)["session"] == 0 }
    clock.advance(by: .seconds(1))
    await eventually("98 have gone") { ended.count == 98 }
    clock.advance(by: .seconds(58))
    held.gate.open()
    await control.settle()
    for (user, visits) in [(7, 3), (8, 2), (9, 1)] { #expect(try await visit(user) == visits) }
    #expect(made.count == 101 && ended.count == 98)
    clock.advance(by: .seconds(59))
    await control.settle()
    #expect(ended.count == 98)
    clock.advance(by: .seconds(61))
    await eventually("all have gone") { ended.count == 101 }
    #expect(control.snapshot()["session"] == 0 && control.snapshot().dropped == 0)
  }

  private struct Held: Sendable {
    let user: Int
    let gate = Gate()
  }

  private final class Session {
    var visits: Int
    private let ended: Tally

    init(visits: Int, _ ended: Tally) { (self.visits, self.ended) = (visits, ended) }

    deinit { ended.add() }
  }
}
