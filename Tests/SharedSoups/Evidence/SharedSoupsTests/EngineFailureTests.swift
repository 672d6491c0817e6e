import Crucible
import Testing

@testable import SharedSoups

/// An engine whose commits fail while a test says so.
private final class StoreThatFails: Store {
  let base: any Store
  let fails = Flag()
  let hasFailed = Flag()

  init(_ base: any Store) { self.base = base }

  var bell: Bell { base.bell }
  var clock: SoupClock { base.clock }

  func commit(
    _ settlements: [Settlement], of worker: Int64, in soup: Int64, taking limit: Int, _ ids: Numbers
  ) throws -> (accepted: [Bool], Taken) {
    if fails.isSet && !settlements.isEmpty {
      hasFailed.set()
      throw EngineError(.system, "the disk is full")
    }
    return try base.commit(settlements, of: worker, in: soup, taking: limit, ids)
  }

  func define(_ chemistry: Chemistry, _ upgrade: Upgrade, initial: ([Int64]) -> [Injection]) throws -> Defined {
    try base.define(chemistry, upgrade, initial: initial)
  }
  func destroy(_ soup: Int64) throws { try base.destroy(soup) }
  func inject(
    _ injections: [Injection], into soup: Int64, _ repetition: Repetition?, forgetting calls: [ClientID]
  ) throws -> Bool { try base.inject(injections, into: soup, repetition, forgetting: calls) }
  func outcomes(of client: Int64, in soup: Int64) throws -> [Int64: CallOutcome] {
    try base.outcomes(of: client, in: soup)
  }
  func withdraw(_ calls: [ClientID], from soup: Int64) throws -> [CallOutcome?] {
    try base.withdraw(calls, from: soup)
  }
  func register(_ worker: Int64, of soup: Int64, offering reactions: [Int64], lease: Int64) throws -> Registration {
    try base.register(worker, of: soup, offering: reactions, lease: lease)
  }
  func extend(_ worker: Int64, of soup: Int64, lease: Int64) throws -> [Peer] {
    try base.extend(worker, of: soup, lease: lease)
  }
  func release(_ worker: Int64, of soup: Int64) throws { try base.release(worker, of: soup) }
  func setCondition(_ condition: Condition, of soup: Int64) throws { try base.setCondition(condition, of: soup) }
  func contents(of soup: Int64) throws -> Contents { try base.contents(of: soup) }
  func endDrain(of soup: Int64, inAnyCase: Bool) throws -> Contents? {
    try base.endDrain(of: soup, inAnyCase: inAnyCase)
  }
  func molecules(of name: Int64, in soup: Int64, limit: Int) throws -> [Molecule] {
    try base.molecules(of: name, in: soup, limit: limit)
  }
  func deadFirings(of soup: Int64) throws -> [DeadFiring] { try base.deadFirings(of: soup) }
  func settleDead(_ id: ClientID, of soup: Int64, retry: Bool) throws -> Bool {
    try base.settleDead(id, of: soup, retry: retry)
  }
}

@Suite struct `Shared engines that fail` {
  @Test(arguments: EngineKind.allCases)
  func `A worker whose engine fails lets its bodies end, then gives its firings back, and no loss is counted`(
    kind: EngineKind
  ) async throws {
    try await kind.with { engine in
      let store = StoreThatFails(engine.store)
      let gates = [Gate(), Gate()]
      let soup = try await Soup.share("fails", on: Engine(store)) { soup in
        let a = soup.slow("a", of: Int.self)
        soup.react(a, retry: .upTo(0, losses: 1)) { a in await gates[a].pass() }
        return (a: a, control: soup.control)
      }
      try await soup.a.inject(contentsOf: [0, 1])
      let work = Task { try await soup.control.work(atOnce: 2) }
      for gate in gates { await eventually("a body runs") { await gate.arrived == 1 } }
      store.fails.set()
      await gates[0].open()
      await eventually("the commit has failed") { store.hasFailed.isSet }
      #expect(try await soup.control.snapshot().reactions[0].running == 2, "a body still runs")
      await gates[1].open()
      await #expect(throws: EngineError.self) { try await work.value }
      let now = try await soup.control.snapshot()
      #expect(now.reactions[0].waiting == 2 && now.deadLetters == 0)
    }
  }
}
