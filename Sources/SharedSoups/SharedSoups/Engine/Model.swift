/// An engine in memory, written for clearness: lists, and a search at each take. It is what SQLite is compared with.
///
/// Each operation works on a copy of the books, which replaces them if it succeeds.
final class Model: Store, @unchecked Sendable {
  let bell: Bell
  let clock = SoupClock()
  private let lock = Lock()
  private var books = Books()

  init() throws {
    bell = try Bell(of: nil)
    _ = clock.begin(try SoupClock.Machine.now(), stored: nil)
  }

  private func transact<Result>(_ soup: Int64, _ body: (inout ModelSoup) throws -> Result) throws -> Result {
    let (result, rings) = try lock.with {
      guard var copy = books.soups[soup] else { throw EngineError.destroyed }
      (copy.now, copy.awake, copy.calls, copy.rings) = (clock.now, clock.awake, books.calls, [])
      let result = try body(&copy)
      (books.soups[soup], books.calls) = (copy.isGone ? nil : copy, copy.calls)
      return (result, copy.rings)
    }
    for (bell, isForAll) in rings { self.bell.ring(bell, isForAll ? Bell.everybody : Bell.molecules, all: isForAll) }
    return result
  }

  func define(_ chemistry: Chemistry, _ upgrade: Upgrade, initial: ([Int64]) -> [Injection]) throws -> Defined {
    let (id, old) = try lock.with {
      let found = books.soups.first { $0.value.label == chemistry.label }
      if let soup = found?.value {
        let all = differences(
          names: soup.names.map { ($0.label, $0.text) }, reactions: soup.reactions.values.map(\.label), from: chemistry,
          allowing: upgrade)
        if !all.isEmpty {
          throw EngineError(
            .differs,
            "the shared soup '\(chemistry.label)' is defined differently already: \(all.joined(separator: "; "))")
        }
      }
      let id = found?.key ?? books.newID()
      let (names, reactions) = (chemistry.names.count, chemistry.reactions.count)
      let ids = (0..<names + reactions).map { _ in books.newID() }
      var soup = found?.value ?? ModelSoup(label: chemistry.label)
      soup.add(chemistry, Array(ids.prefix(names)), Array(ids.suffix(reactions)))
      books.soups[id] = soup
      return (id, Set(found?.value.names.map(\.id) ?? []))
    }
    return try transact(id) { soup in
      let names = chemistry.names.map { name in soup.names.first { $0.text == name.description }!.id }
      let reactions = chemistry.reactions.map { reaction in
        soup.reactions.first { $0.value.label == reaction.label }!.key
      }
      soup.recover(onlyEnded: true)
      soup.noteUse(of: reactions)
      soup.retire(except: reactions)
      soup.put(initial(names).filter { !old.contains($0.name) })
      return Defined(soup: id, names: names, reactions: reactions)
    }
  }

  func destroy(_ soup: Int64) throws {
    try transact(soup) {
      for call in $0.openCalls { $0.settle(call, .stopped) }
      $0.ringEverybody()
      $0.isGone = true
    }
  }

  func inject(
    _ injections: [Injection], into soup: Int64, _ repetition: Repetition?, forgetting calls: [ClientID]
  ) throws -> Bool {
    try transact(soup) { soup in
      for call in calls { _ = soup.withdraw(call) }
      guard soup.condition.accepts else { throw EngineError.stopped(soup.label) }
      guard soup.isFirst(repetition) else { return false }
      soup.put(injections)
      return true
    }
  }

  func outcomes(of client: Int64, in soup: Int64) throws -> [Int64: CallOutcome] {
    lock.with {
      let own = books.calls.filter { $0.key.client == client }.compactMap { call, state in
        state.outcome.map { (call.number, $0) }
      }
      return Dictionary(uniqueKeysWithValues: own)
    }
  }

  func withdraw(_ calls: [ClientID], from soup: Int64) throws -> [CallOutcome?] {
    try transact(soup) { soup in calls.map { soup.withdraw($0) } }
  }

  func register(_ worker: Int64, of soup: Int64, offering reactions: [Int64], lease: Int64) throws -> Registration {
    try transact(soup) { soup in
      soup.recover()
      if reactions.contains(where: { soup.reactions[$0] == nil }) { throw EngineError.outdated(soup.label) }
      soup.noteUse(of: reactions)
      let life = Life(number: Int64(soup.leases.count) + 1)
      let offers = Set(reactions)
      let offering = soup.classes.firstIndex(of: offers) ?? soup.classes.count
      if offering == soup.classes.count { soup.classes.append(offers) }
      let bell = Bell.ofClass(Int64(offering))
      soup.leases[worker] = ModelSoup.Lease(until: clock.awake.adding(lease), offers: offers, bell: bell, life: life)
      soup.noteChange()
      return Registration(bell: bell, life: life, peers: [])
    }
  }

  func extend(_ worker: Int64, of soup: Int64, lease: Int64) throws -> [Peer] {
    try transact(soup) { soup in
      guard soup.leases[worker] != nil else { throw LeaseIsOver() }
      soup.leases[worker]!.until = clock.awake.adding(lease)
      soup.recover()
      return []
    }
  }

  func commit(
    _ settlements: [Settlement], of worker: Int64, in soup: Int64, taking limit: Int, _ ids: Numbers
  ) throws -> (accepted: [Bool], Taken) {
    try transact(soup) { soup in
      guard soup.leases[worker] != nil else { throw LeaseIsOver() }
      let accepted = settlements.map { soup.settle($0, of: worker) }
      return (accepted, soup.take(limit, for: worker, ids))
    }
  }

  func release(_ worker: Int64, of soup: Int64) throws {
    try transact(soup) { $0.takeBack(from: worker, isLost: false) }
  }

  func setCondition(_ condition: Condition, of soup: Int64) throws {
    try transact(soup) { $0.set(condition) }
  }

  func contents(of soup: Int64) throws -> Contents {
    try transact(soup) { soup in
      soup.recover(onlyEnded: true)
      return soup.contents
    }
  }

  func endDrain(of soup: Int64, inAnyCase: Bool) throws -> Contents? {
    try transact(soup) { soup in
      if soup.condition == .draining {
        if !inAnyCase && soup.contents.isBusy { return nil }
        soup.set(.stopped)
      }
      return soup.contents
    }
  }

  func molecules(of name: Int64, in soup: Int64, limit: Int) throws -> [Molecule] {
    lock.with { Array((books.soups.values.compactMap { $0.bags[name] }.first ?? []).prefix(limit)) }
  }

  func deadFirings(of soup: Int64) throws -> [DeadFiring] { try transact(soup) { $0.dead.map(\.letter) } }

  func settleDead(_ id: ClientID, of soup: Int64, retry: Bool) throws -> Bool {
    try transact(soup) { soup in
      guard let index = soup.dead.firstIndex(where: { $0.letter.id == id }) else { return false }
      let (letter, fence) = soup.dead.remove(at: index)
      if !retry { return true }
      if soup.reactions[letter.reaction] == nil {
        for input in letter.inputs { soup.add(input) }
      } else {
        soup.runAgain(
          HeldFiring(
            id: id, reaction: letter.reaction, fence: fence, failures: 0, losses: 0, inputs: letter.inputs),
          at: soup.now)
      }
      return true
    }
  }

  private struct Books {
    var soups: [Int64: ModelSoup] = [:]
    var calls: [ClientID: ModelSoup.Call] = [:]
    private var last: Int64 = 0

    mutating func newID() -> Int64 {
      last += 1
      return last
    }
  }
}
