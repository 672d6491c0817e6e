// The steps of workers: they take, settle, and lose firings.
extension ModelSoup {
  /// The keys with which a reaction can fire.
  func keys(enabling reaction: StoredChemistry.Reaction) -> [String] {
    let needs = reaction.needs
    // Keys are bytes: two texts that Swift holds for equal may differ in these.
    let keys = Set((bags[needs[0].name] ?? []).map { Array($0.key.utf8) }).map { String(decoding: $0, as: UTF8.self) }
    return keys.filter { key in needs.allSatisfy { need in oldest(need.name, key, need.count) != nil } }
  }

  private func oldest(_ name: Int64, _ key: String, _ count: Int) -> ArraySlice<Molecule>? {
    let found = (bags[name] ?? []).filter { $0.key.utf8.elementsEqual(key.utf8) }.prefix(count)
    return found.count == count ? found : nil
  }

  mutating func take(_ limit: Int, for worker: Int64, _ ids: Numbers) -> Taken {
    var result = Taken(version: version)
    guard condition.fires, limit > 0 else { return result }
    runDue()
    let offers = leases[worker]!.offers
    while result.runs.count < limit && !isAlone(worker), let run = takeOne(for: worker, offers.shuffled(), ids) {
      result.runs.append(run)
    }
    result.isFull = isAlone(worker)
    if result.runs.count == limit || result.isFull {
      ring(leases[worker]!.bell)
    } else {
      result.nextDue =
        (later.map(\.due) + again.map(\.due).filter { $0 > now } + bags.values.joined().compactMap(\.expires)).min()
    }
    return result
  }

  /// Whether the worker has a firing beside which it must take nothing, or must take one.
  private func isAlone(_ worker: Int64) -> Bool {
    let own = held[worker] ?? []
    let next = again.filter { due, firing in
      due <= now && leases[worker]!.offers.contains(firing.reaction)
        && reactions[firing.reaction]?.state.map { bags[$0]?.isEmpty ?? true } != true
    }
    return !own.isEmpty
      && (own + next.map(\.1)).contains { reactions[$0.reaction]?.isSuspect(losses: $0.losses) == true }
  }

  private mutating func takeOne(for worker: Int64, _ offers: [Int64], _ ids: Numbers) -> Run? {
    let reactions = offers.compactMap { self.reactions[$0] }
    for isAgain in [true, false] {
      for reaction in reactions {
        if let state = reaction.state, bags[state]?.isEmpty ?? true { continue }
        guard let first = isAgain ? waiting(reaction, worker) : match(reaction, worker, ids) else { continue }
        guard let name = reaction.state else { return Run(firings: [first]) }
        let state = bags[name]!.removeFirst()
        taken[worker, default: []].append(state)
        var run = Run(state: state, firings: [first])
        if first.losses > 0 { return run }
        let partners = reactions.filter { $0.state == name }
        while run.firings.count < longestRun, let next = nextPartner(partners, worker, ids) {
          run.firings.append(next)
        }
        return run
      }
    }
    return nil
  }

  private mutating func nextPartner(
    _ reactions: [StoredChemistry.Reaction], _ worker: Int64, _ ids: Numbers
  ) -> HeldFiring? {
    for reaction in reactions {
      if let firing = waiting(reaction, worker, isPartner: true) ?? match(reaction, worker, ids) { return firing }
    }
    return nil
  }

  private mutating func waiting(
    _ reaction: StoredChemistry.Reaction, _ worker: Int64, isPartner: Bool = false
  ) -> HeldFiring? {
    let due = again.indices.filter {
      again[$0].1.reaction == reaction.id && again[$0].due <= now && !(isPartner && again[$0].1.losses > 0)
    }
    guard let index = due.min(by: { again[$0].due < again[$1].due }) else { return nil }
    let old = again.remove(at: index).1
    let firing = HeldFiring(
      id: old.id, reaction: old.reaction, fence: old.fence + 1, failures: old.failures, losses: old.losses,
      inputs: old.inputs)
    held[worker, default: []].append(firing)
    return firing
  }

  private mutating func match(
    _ reaction: StoredChemistry.Reaction, _ worker: Int64, _ ids: Numbers
  ) -> HeldFiring? {
    // The state of the run is taken already when it looks for more.
    var partners = reaction
    partners.state = nil
    guard let key = keys(enabling: partners).randomElement() else { return nil }
    let inputs = reaction.inputs.map { name in
      bags[name]!.remove(at: bags[name]!.firstIndex { $0.key.utf8.elementsEqual(key.utf8) }!)
    }
    let firing = HeldFiring(
      id: ids.next(), reaction: reaction.id, fence: 1, failures: 0, losses: 0, inputs: inputs)
    held[worker, default: []].append(firing)
    return firing
  }

  mutating func runDue() {
    let due = later.filter { $0.due <= now }.sorted { $0.due < $1.due }
    later.removeAll { $0.due <= now }
    put(due.map(\.1))
    for (name, bag) in bags {
      for molecule in bag where molecule.expires.map({ $0 <= now }) == true {
        bags[name]!.removeAll { $0.id == molecule.id }
        if let call = molecule.call { settle(call, .timedOut) }
        if let late = late[name] {
          put([Injection(name: late.name, key: "", value: molecule.value, lifetime: late.lifetime)])
        }
        ring(Bell.ofControl, all: true)
      }
    }
  }

  mutating func settle(_ settlement: Settlement, of worker: Int64) -> Bool {
    let own = held[worker] ?? []
    let isHeld = settlement.firings.allSatisfy { firing, _ in
      own.contains { $0.id == firing.id && $0.fence == firing.fence }
    }
    if !isHeld { return false }
    for (firing, end) in settlement.firings {
      held[worker]!.removeAll { $0.id == firing.id }
      switch end {
      case .done(let outputs, let replies):
        consumed += Int64(firing.inputs.count)
        put(outputs)
        for reply in replies where !settle(reply.call, reply.outcome) { put(reply.otherwise) }
      case .failed(let error, let retryAfter):
        let failed = HeldFiring(
          id: firing.id, reaction: firing.reaction, fence: firing.fence, failures: firing.failures + 1,
          losses: firing.losses, inputs: firing.inputs)
        if let retryAfter { runAgain(failed, at: now.adding(retryAfter)) } else { bury(failed, error) }
      }
    }
    if let state = settlement.state {
      taken[worker]!.removeAll { $0.name == state.name }
      add(state)
    }
    ring(Bell.ofControl, all: true)
    return true
  }

  mutating func runAgain(_ firing: HeldFiring, at due: Int64) {
    again.append((due, firing))
    if condition == .stopped { stopCalls(of: firing.inputs) }
    for lease in leases.values where lease.offers.contains(firing.reaction) { ring(lease.bell) }
  }

  private mutating func bury(_ firing: HeldFiring, _ error: String) {
    let letter = DeadFiring(
      id: firing.id, reaction: firing.reaction, failures: firing.failures, losses: firing.losses, error: error,
      inputs: firing.inputs)
    dead.append((letter, firing.fence))
    for case let call? in firing.inputs.map(\.call) { settle(call, .failed(error)) }
  }

  mutating func recover(onlyEnded: Bool = false) {
    for (worker, lease) in leases where !onlyEnded && lease.until < awake || lease.life == nil {
      takeBack(from: worker, isLost: true)
    }
  }

  mutating func takeBack(from worker: Int64, isLost: Bool) {
    guard let lease = leases.removeValue(forKey: worker) else { return }
    ring(lease.bell, all: true)
    noteUse(of: lease.offers)
    for old in held.removeValue(forKey: worker) ?? [] {
      let firing = HeldFiring(
        id: old.id, reaction: old.reaction, fence: old.fence, failures: old.failures,
        losses: old.losses + (isLost ? 1 : 0), inputs: old.inputs)
      if let limit = reactions[firing.reaction]?.losses, isLost && firing.losses >= limit {
        bury(firing, "its worker was lost \(firing.losses) times")
      } else {
        runAgain(firing, at: now)
      }
    }
    for state in taken.removeValue(forKey: worker) ?? [] { add(state) }
    noteChange()
  }
}
