@testable import SharedSoups

/// An engine whose workers report some firings twice, as a process does that did not hear the acknowledgement. It ends
/// the process if the second report is accepted.
final class Doubling: Store {
  private let store: any Store

  init(_ store: any Store) { self.store = store }

  var bell: Bell { store.bell }
  var clock: SoupClock { store.clock }

  func commit(
    _ settlements: [Settlement], of worker: Int64, in soup: Int64, taking limit: Int, _ ids: Numbers
  ) throws -> (accepted: [Bool], Taken) {
    if !settlements.isEmpty, Int.random(in: 0..<10) == 0 {
      let (first, _) = try store.commit(settlements, of: worker, in: soup, taking: 0, ids)
      let (second, taken) = try store.commit(settlements, of: worker, in: soup, taking: limit, ids)
      if second.contains(true) { fatalError("a firing was acknowledged twice") }
      return (first, taken)
    }
    return try store.commit(settlements, of: worker, in: soup, taking: limit, ids)
  }

  func define(_ chemistry: Chemistry, _ upgrade: Upgrade, initial: ([Int64]) -> [Injection]) throws -> Defined {
    try store.define(chemistry, upgrade, initial: initial)
  }
  func destroy(_ soup: Int64) throws { try store.destroy(soup) }
  func inject(
    _ injections: [Injection], into soup: Int64, _ repetition: Repetition?, forgetting calls: [ClientID]
  ) throws -> Bool { try store.inject(injections, into: soup, repetition, forgetting: calls) }
  func outcomes(of client: Int64, in soup: Int64) throws -> [Int64: CallOutcome] {
    try store.outcomes(of: client, in: soup)
  }
  func withdraw(_ calls: [ClientID], from soup: Int64) throws -> [CallOutcome?] {
    try store.withdraw(calls, from: soup)
  }
  func register(_ worker: Int64, of soup: Int64, offering reactions: [Int64], lease: Int64) throws -> Registration {
    try store.register(worker, of: soup, offering: reactions, lease: lease)
  }
  func extend(_ worker: Int64, of soup: Int64, lease: Int64) throws -> [Peer] {
    try store.extend(worker, of: soup, lease: lease)
  }
  func release(_ worker: Int64, of soup: Int64) throws { try store.release(worker, of: soup) }
  func setCondition(_ condition: Condition, of soup: Int64) throws { try store.setCondition(condition, of: soup) }
  func contents(of soup: Int64) throws -> Contents { try store.contents(of: soup) }
  func endDrain(of soup: Int64, inAnyCase: Bool) throws -> Contents? {
    try store.endDrain(of: soup, inAnyCase: inAnyCase)
  }
  func molecules(of name: Int64, in soup: Int64, limit: Int) throws -> [Molecule] {
    try store.molecules(of: name, in: soup, limit: limit)
  }
  func deadFirings(of soup: Int64) throws -> [DeadFiring] { try store.deadFirings(of: soup) }
  func settleDead(_ id: ClientID, of soup: Int64, retry: Bool) throws -> Bool {
    try store.settleDead(id, of: soup, retry: retry)
  }
}
