import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

/// The numbers of soups, by their labels. Each test has a label of its own, for counts stay as long as the program.
@Suite(.watched)
struct `Numbers of soups` {
  func numbers(_ soup: String, _ label: String) -> Soup.Metrics.NameNumbers? {
    Soup.metrics { $0 == soup }.names.first { $0.label == label }
  }

  @Test(arguments: matchers)
  func `What a measured name accepted was consumed, withdrawn, displaced or cleared, or waits`(matcher: Matcher) async {
    let soup = "books of \(matcher)"
    let shop = Soup.define(soup, with: .init(matcher: matcher, placement: .inline, allowing: [.neverFires])) { soup in
      let order = soup.fast("order", of: Int.self, returning: Int.self)
      let payment = soup.slow("payment", of: Int.self, capacity: 3, whenFull: .dropOldest)
      let other = soup.slow("other")
      soup.react(order, payment) { call, payment in call.reply(payment) }
      soup.react(other, payment) { _, _ in }
      soup.measure(order, payment)
      return (order: order, payment: payment, control: soup.control)
    }
    for i in 0..<5 { shop.payment(i) }
    for _ in 0..<2 { #expect((try? await shop.order(1)) != nil) }
    #expect(shop.control.clear() == 1)
    let late = try? await shop.order(1, within: .milliseconds(1))
    #expect(late == nil)
    shop.payment(1)
    let payment = numbers(soup, "payment")
    #expect(payment?.waiting == 1 && numbers(soup, "other")?.counts == nil)
    #expect(payment?.counts?.injected == 6 && payment?.counts?.consumed == 2 && payment?.counts?.displaced == 2)
    let order = numbers(soup, "order")?.counts
    #expect(order?.injected == 3 && order?.consumed == 2 && order?.withdrawn == 1)
    #expect(order?.replied == 2 && order?.timedOut == 1 && order?.failed == 0)
  }

  @Test(arguments: [Matcher.automatic, .locked, .arrival])
  func `Molecules that expire are counted, and the age of the oldest is known`(matcher: Matcher) async {
    let soup = "expiry of \(matcher)"
    let clock = ManualClock()
    let (payment, order, control) = Soup.define(soup, with: .init(matcher: matcher, clock: clock)) { soup in
      let payment = soup.slow("payment", of: Int.self, expires: .seconds(5))
      let order = soup.slow("order", of: Int.self)
      soup.react(payment, order) { _, _ in }
      soup.measure()
      return (payment, order, soup.control)
    }
    payment(1)
    clock.advance(by: .seconds(2))
    payment(2)
    #expect(numbers(soup, "payment")?.oldest == .seconds(2))
    clock.advance(by: .seconds(3))
    await eventually("1 expired") { numbers(soup, "payment")?.counts?.expired == 1 }
    #expect(numbers(soup, "payment")?.oldest == .seconds(3))
    order(1)
    await control.settle()
    let counts = numbers(soup, "payment")?.counts
    #expect(counts?.injected == 2 && counts?.consumed == 1 && numbers(soup, "payment")?.oldest == nil)
  }

  @Test
  func `Soups of one label are added up, and their counts stay when they are gone`() async throws {
    func make() -> (Injector<Void>, Injector<Void>) {
      Soup.define("summed", with: .init(placement: .inline)) { soup in
        let (a, b) = (soup.slow("a"), soup.slow("b"))
        soup.react(a, b) { _, _ in throw Boom(1) }
        soup.measure(b)
        return (a, b)
      }
    }
    let first = make()
    do {
      let second = make()
      for names in [first, second] { names.0() }
      #expect(numbers("summed", "a")?.waiting == 2 && Soup.metrics { $0 == "summed" }.soups.first?.living == 2)
      for names in [first, second] { names.1() }
    }
    let metrics = Soup.metrics { $0 == "summed" }
    #expect(metrics.soups.first?.living == 1 && numbers("summed", "b")?.counts?.consumed == 2)
    let reaction = try #require(metrics.reactions.first)
    #expect(reaction.pattern == "a & b" && reaction.begun == 2 && reaction.threw == 2 && reaction.times == nil)
  }

  @Test
  func `The times of bodies are counted in buckets, those of async bodies to their ends`() async {
    let (a, b, control) = Soup.define("timed") { soup in
      let (a, b) = (soup.slow("a"), soup.slow("b"))
      soup.react(a) { _ in }
      soup.react(b) { _ in await Task.yield() }
      soup.measure(bodyTimes: true)
      return (a, b, soup.control)
    }
    for _ in 0..<10 { a() }
    for _ in 0..<5 { b() }
    await control.settle()
    let reactions = Soup.metrics { $0 == "timed" }.reactions
    #expect(reactions.map { $0.times?.counts.reduce(0, +) } == [10, 5])
    #expect(reactions.allSatisfy { $0.times!.sum > .zero && $0.running == 0 })
  }

  @Test
  func `Names that are measured again keep the times of bodies`() async {
    let (a, control) = Soup.define("measured twice", with: .init(placement: .inline)) { soup in
      let a = soup.slow("a")
      soup.react(a) { _ in }
      soup.measure(bodyTimes: true)
      soup.measure(a)
      return (a, soup.control)
    }
    a()
    await control.settle()
    #expect(Soup.metrics { $0 == "measured twice" }.reactions.map { $0.times?.counts.reduce(0, +) } == [1])
  }

  @Test(arguments: matchers)
  func `A select has the outcome of the call that took place, or of all if none did`(matcher: Matcher) async throws {
    let label = "outcomes of \(matcher)"
    let options = Soup.Options(matcher: matcher, placement: .inline, allowing: [.neverServed])
    let (good, bad, never, control) = Soup.define(label, with: options) { soup in
      let good = soup.fast("good", returning: Int.self)
      let bad = soup.fast("bad", returning: Int.self)
      let never = soup.fast("never", returning: Int.self)
      let go = soup.slow("go")
      soup.react(good) { call in call.reply(1) }
      soup.react(bad) { call in call.fail(NoMemory()) }
      soup.react(never, go) { call, _ in call.reply(2) }
      soup.measure()
      return (good, bad, never, soup.control)
    }
    func outcomes(of name: String) -> [Int?] {
      let counts = numbers(label, name)?.counts
      return [counts?.replied, counts?.failed, counts?.timedOut, counts?.cancelled, counts?.withdrawn]
    }
    #expect(try await Soup.first(of: good.call(), never.call(), preferring: .earlier) == 1)
    await #expect(throws: CallError.self) { try await Soup.first(of: never.call(), bad.call(), preferring: .earlier) }
    await #expect(throws: CallError.timedOut) { try await Soup.first(of: [never.call()], within: .zero) }
    let cancelled = Task { try await Soup.first(of: never.call()) }
    await control.callers(1)
    cancelled.cancel()
    await #expect(throws: CallError.cancelled) { try await cancelled.value }
    let stopped = Task { try await Soup.first(of: never.call()) }
    await control.callers(1)
    await control.stop()
    await #expect(throws: CallError.stopped) { try await stopped.value }
    #expect(outcomes(of: "good") == [1, 0, 0, 0, 0])
    #expect(outcomes(of: "bad") == [0, 1, 0, 0, 0])
    #expect(outcomes(of: "never") == [0, 1, 1, 1, 3])
  }

  @Test
  func `A call that a lost select puts back is counted as taken and injected once more`() async throws {
    let (lone, other, asked, late, control) = Soup.define("selected") { soup in
      let lone = soup.fast("lone", returning: Int.self)
      let other = soup.fast("other", returning: Int.self)
      let asked = soup.fast("asked", returning: Int.self)
      let late = soup.slow("late")
      soup.react(lone, asked) { lone, asked in lone.reply(1, with: asked, 2) }
      soup.react(other) { call in call.reply(4) }
      soup.react(asked, late) { call, _ in call.reply(3) }
      soup.measure()
      return (lone, other, asked, late, soup.control)
    }
    for _ in 0..<scaled(100) {
      async let plain = asked()
      async let either = Soup.first(of: lone.call(), other.call(), within: .seconds(60))
      _ = try await either
      late()
      _ = try await plain
      control.clear()
      await control.settle()
    }
    let counts = numbers("selected", "asked")?.counts
    #expect(counts?.injected == counts.map { $0.consumed + $0.withdrawn })
  }

  @Test
  func `The text has one family after the other, and escapes labels`() {
    let a = Soup.define("text \"\\\n", with: .init(placement: .inline, allowing: [.inert])) { soup in
      let a = soup.slow("a")
      let call = soup.fast("call", returning: Int.self)
      soup.react(a, call) { _, call in call.reply(1) }
      soup.measure(a, bodyTimes: true)
      return a
    }
    a()
    let text = Soup.metrics { $0.hasPrefix("text") }.openMetrics()
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let soup = "soup=\"text \\\"\\\\\\n\""
    #expect(lines.contains("crucible_molecules_waiting{\(soup),name=\"a\"} 1"))
    #expect(lines.contains("crucible_molecules_injected_total{\(soup),name=\"a\"} 1"))
    #expect(lines.contains("crucible_body_seconds_bucket{\(soup),reaction=\"a & call\",le=\"+Inf\"} 0"))
    #expect(lines.contains("crucible_body_seconds_bucket{\(soup),reaction=\"a & call\",le=\"1e-05\"} 0"))
    #expect(!lines.contains { $0.hasPrefix("crucible_calls_total") }, "the name is not measured")
    let families = lines.filter { $0.hasPrefix("# TYPE") }
    #expect(Set(families).count == families.count && lines.suffix(2) == ["# EOF", ""])
  }

  @Test
  func `A caller that waits is counted, with its time`() async {
    let (call, control) = Soup.define("waiting", with: .init(allowing: [.inert, .neverServed])) { soup in
      let call = soup.fast("call", returning: Int.self)
      let never = soup.slow("never")
      soup.react(call, never) { call, _ in call.reply(1) }
      return (call, soup.control)
    }
    let task = Task { try await call() }
    await eventually("a caller waits") { numbers("waiting", "call")?.callers == 1 }
    #expect(numbers("waiting", "call")!.oldest! > .zero && numbers("waiting", "call")?.waiting == 1)
    task.cancel()
    _ = await task.result
    #expect(numbers("waiting", "call")?.callers == 0)
    _ = control
  }
}
