import Crucible
import CrucibleTestSupport
import CrucibleTesting
import Testing

@Suite(.watched)
struct `A probe` {
  @Test(arguments: Run.setups)
  func `A probe waits until molecules are consumed, injected or answered, or bodies end`(setup: Setup) async throws {
    let (add, total, body, control) = adder(setup)
    let probe = Probe(control, patience: patience)
    let task = Task {
      try await probe.untilConsumed(add, count: 3)
      return probe.events.count
    }
    add(1)
    try await probe.untilConsumed(add)
    try await probe.untilInjected(add)
    add.inject(contentsOf: [2, 3])
    #expect(try await task.value > 0)
    try await probe.untilFinished(body, count: 3)
    #expect(try await total() == 6)
    try await probe.untilReplied(total)
    try await probe.until("two states consumed") {
      if case .consumed(let m, _) = $0.kind { m.label == "sum" } else { false }
    }
    try await probe.untilQuiet()
  }

  @Test(arguments: matchers)
  func `Once a probe has waited for an injection, the molecule is there`(matcher: Matcher) async throws {
    for round in 0..<scaled(500) {
      let (a, control) = matcher.react(slow("a")) { _ in }
      control.pause()
      let probe = Probe(control, patience: patience)
      let injecting = Task.detached { if round % 2 == 0 { a() } else { a.inject(count: 1) } }
      try await probe.untilInjected(a)
      #expect(control.step() != nil)
      _ = await injecting.value
    }
  }

  @Test(arguments: matchers)
  func `A probe does not wait for the body that runs inside an injection`(matcher: Matcher) async throws {
    let gate = Gate()
    let (a, control) = matcher.on(.inline).react(slow("a")) { _ in gate.waitBlocking() }
    let probe = Probe(control, patience: patience)
    let injecting = Task { try await onThread { _ = a() } }
    try await probe.untilInjected(a)
    gate.open()
    try await injecting.value
  }

  @Test func `A probe waits for an event with the longest limit, and at once fails with a negative one`() async throws {
    let (add, _, _, control) = adder(Setup(matcher: .word, placement: .pool))
    let probe = Probe(control, patience: .seconds(Int64.max))
    async let consumed: Void = probe.untilConsumed(add)
    await Task.yield()
    add(1)
    try await consumed
    await #expect(throws: ProbeFailure.self) {
      try await probe.untilConsumed(add, count: 2, within: .seconds(Int64.min))
    }
  }

  @Test(arguments: matchers)
  func `A probe that fails reports what it waited for, and the state of the soup`(matcher: Matcher) async throws {
    let (add, _, body, control) = adder(Setup(matcher: matcher, placement: .pool))
    let probe = Probe(control)
    control.pause()
    add(1)
    let waits: [(String, @Sendable () async throws -> Void)] = [
      ("1 of 'add' consumed (0 came)", { try await probe.untilConsumed(add, within: .microseconds(1)) }),
      ("2 of 'add' injected (1 came)", { try await probe.untilInjected(add, count: 2, within: .zero) }),
      ("1 of reaction 0 finished (0 came)", { try await probe.untilFinished(body, within: .zero) }),
      ("the moon (0 came)", { try await probe.until("the moon (0 came)", within: .zero) { _ in false } }),
    ]
    for (what, wait) in waits {
      let failure = await #expect(throws: ProbeFailure.self) { try await wait() }
      let text = failure!.description
      #expect(text.contains(what) && text.contains("soup 'adder'") && text.contains("paused") && text.contains("add"))
    }
    control.resume()
    try await probe.untilConsumed(add)
  }

  @Test func `A probe fails when the soup does not come to rest`() async throws {
    let gate = Gate()
    let (a, control) = Soup.Options().react(slow("a")) { _ in await gate.wait() }
    a()
    let probe = Probe(control)
    await #expect(throws: ProbeFailure.self) { try await probe.untilQuiet(within: .microseconds(1)) }
    gate.open()
    try await probe.untilQuiet(within: patience)
  }

  @Test func `A probe ends its waits when their task is cancelled`() async throws {
    let (add, _, _, control) = adder(Setup(matcher: .word, placement: .inline))
    let probe = Probe(control, patience: patience)
    let task = Task { try await probe.untilConsumed(add, count: 2) }
    add(1)
    try await probe.untilConsumed(add)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `The condition that a probe waits for may look at the probe, and use its soup`() async throws {
    let (add, _, _, control) = adder(Setup(matcher: .word, placement: .inline))
    let probe = Probe(control, patience: patience)
    add(1)
    try await probe.until("what has happened already") { _ in
      probe.events.count >= 3 && !control.explain().description.isEmpty
    }
    let again = Tally()
    let task = Task {
      try await probe.until("what happens later") { [add] event in
        if case .injected(let molecule, _) = event.kind, molecule.is(add), again.add() == 2 { add(3) }
        return again.count >= 3
      }
    }
    while again.count < 1 { await Task.yield() }
    add(2)
    try await task.value
  }

  @Test func `A probe releases its soup with its last reference`() async throws {
    let census = Census()
    do {
      let (item, _, control) = Soup.Options(allowing: [.inert]).react(slow("item", of: Live.self), slow("never")) {
        _, _ in
      }
      let probe = Probe(control)
      item(census.live(1))
      try await probe.untilInjected(item)
    }
    await census.expectExtinction()
  }

  private func adder(_ setup: Setup) -> (Injector<Int>, FastInjector<Void, Int>, Soup.Reaction, Soup.Control) {
    Soup.define("adder", with: .init(matcher: setup.matcher, placement: setup.placement)) { soup in
      let sum = soup.state("sum", 0)
      let add = soup.slow("add", of: Int.self)
      let total = soup.fast("total", returning: Int.self)
      let body = soup.react(state: sum, add) { sum, n in sum += n }
      soup.react(state: sum, total) { sum, call in call.reply(sum) }
      return (add, total, body, soup.control)
    }
  }
}
