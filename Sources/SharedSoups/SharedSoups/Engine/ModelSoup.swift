/// The books of one soup in memory, and the steps on them. `Store` has the invariants.
struct ModelSoup {
  struct Lease {
    var until: Int64
    let offers: Set<Int64>
    let bell: Int
    /// Gone when the worker is.
    weak var life: Life?
  }
  struct Call {
    let soup: String
    var outcome: CallOutcome?
  }

  let label: String
  var condition = Condition.running
  var version: Int64 = 0
  var names: [(id: Int64, label: String, text: String)] = []
  var late: [Int64: (name: Int64, lifetime: Int64?)] = [:]
  var reactions: [Int64: StoredChemistry.Reaction] = [:]
  /// When a reaction was declared, or a worker began or ended to offer it.
  var seen: [Int64: Int64] = [:]
  /// The molecules of a name in the order of their ids, of all keys.
  var bags: [Int64: [Molecule]] = [:]
  var later: [(due: Int64, Injection)] = []
  var held: [Int64: [HeldFiring]] = [:]
  var again: [(due: Int64, HeldFiring)] = []
  var taken: [Int64: [Molecule]] = [:]
  var dead: [(letter: DeadFiring, fence: Int64)] = []
  var leases: [Int64: Lease] = [:]
  var classes: [Set<Int64>] = []
  var numbers: [String: Int64] = [:]
  var tags: Set<String> = []
  var last: Int64 = 0
  var consumed: Int64 = 0
  var isGone = false
  // These belong to the operation in progress.
  var now: Int64 = 0
  var awake: Int64 = 0
  var calls: [ClientID: Call] = [:]
  var rings: [(bell: Int, isForAll: Bool)] = []

  init(label: String) { self.label = label }

  mutating func ring(_ bell: Int, all: Bool = false) { rings.append((bell, all)) }

  mutating func ringEverybody() {
    for lease in leases.values { ring(lease.bell, all: true) }
    ring(Bell.ofControl, all: true)
  }

  /// Rings for what a new molecule of the name may enable. The model wakes too many workers rather than search.
  mutating func ringWorkers(of name: Int64) {
    for lease in leases.values
    where lease.offers.contains(where: { reactions[$0]?.needs.contains { $0.name == name } == true }) {
      ring(lease.bell)
    }
  }

  mutating func noteChange() {
    version += 1
    ringEverybody()
  }

  mutating func add(_ chemistry: Chemistry, _ newNames: [Int64], _ newReactions: [Int64]) {
    var ids: [Int64] = []
    for (name, id) in zip(chemistry.names, newNames) {
      let known = names.first { $0.text == name.description }?.id
      if known == nil { names.append((id, name.label, name.description)) }
      ids.append(known ?? id)
    }
    for (name, id) in zip(chemistry.names, ids) { late[id] = name.late.map { (ids[$0], chemistry.names[$0].lifetime) } }
    for (reaction, id) in zip(chemistry.reactions, newReactions) {
      let known = reactions.first { $0.value.label == reaction.label }?.key
      reactions[known ?? id] = StoredChemistry.Reaction(
        id: known ?? id, label: reaction.label, state: reaction.state.map { ids[$0] },
        inputs: reaction.inputs.map { ids[$0] }, losses: reaction.losses)
    }
    noteChange()
  }

  mutating func noteUse(of reactions: some Sequence<Int64>) { for id in reactions { seen[id] = now } }

  mutating func retire(except kept: [Int64]) {
    for id in reactions.keys
    where !kept.contains(id) && !leases.values.contains(where: { $0.offers.contains(id) })
      && (seen[id] ?? 0) <= now - memoryOfReactions
    {
      reactions[id] = nil
      let left = again.filter { $0.1.reaction == id }
      again.removeAll { $0.1.reaction == id }
      for molecule in left.flatMap(\.1.inputs) { add(molecule) }
    }
  }

  func isKnown(_ repetition: Repetition) -> Bool {
    switch repetition {
    case .once(let tag): tags.contains(tag)
    case .numbered(let producer, let number): numbers[producer].map { $0 >= number } ?? false
    }
  }

  mutating func isFirst(_ repetition: Repetition?) -> Bool {
    guard let repetition else { return true }
    if isKnown(repetition) { return false }
    switch repetition {
    case .once(let tag): tags.insert(tag)
    case .numbered(let producer, let number): numbers[producer] = number
    }
    return true
  }

  mutating func put(_ injections: [Injection]) {
    for var new in injections {
      if new.delay > 0 {
        let due = now.adding(new.delay)
        new.delay = 0
        later.append((due, new))
        ringWorkers(of: new.name)
        continue
      }
      last += 1
      if let call = new.call { calls[call] = Call(soup: label) }
      add(
        Molecule(
          name: new.name, key: new.key, id: last, value: new.value, call: new.call,
          expires: new.lifetime.map(now.adding)))
    }
  }

  mutating func add(_ molecule: Molecule) {
    let bag = bags[molecule.name] ?? []
    bags[molecule.name, default: []].insert(molecule, at: (bag.lastIndex { $0.id < molecule.id } ?? -1) + 1)
    ringWorkers(of: molecule.name)
  }

  mutating func set(_ condition: Condition) {
    self.condition = condition
    if condition == .stopped {
      for call in openCalls where removeWaiting(call) { settle(call, .stopped) }
      for (_, firing) in again { stopCalls(of: firing.inputs) }
    }
    ringEverybody()
  }

  var openCalls: [ClientID] { calls.filter { $0.value.soup == label && $0.value.outcome == nil }.map(\.key) }

  @discardableResult
  mutating func removeWaiting(_ call: ClientID) -> Bool {
    for (name, bag) in bags {
      guard let index = bag.firstIndex(where: { $0.call == call }) else { continue }
      bags[name]!.remove(at: index)
      return true
    }
    return false
  }

  mutating func stopCalls(of inputs: [Molecule]) {
    for case let call? in inputs.map(\.call) { settle(call, .stopped) }
  }

  mutating func withdraw(_ call: ClientID) -> CallOutcome? {
    defer { calls[call] = nil }
    if let outcome = calls[call]?.outcome { return outcome }
    removeWaiting(call)
    ring(Bell.ofControl, all: true)
    return nil
  }

  @discardableResult
  mutating func settle(_ call: ClientID, _ outcome: CallOutcome) -> Bool {
    guard let state = calls[call], state.outcome == nil else { return false }
    calls[call]!.outcome = outcome
    ring(Bell.ofClient(call.client), all: true)
    return true
  }

  var contents: Contents {
    var contents = Contents()
    contents.condition = condition
    contents.waiting = Dictionary(uniqueKeysWithValues: names.map { ($0.id, bags[$0.id]?.count ?? 0) })
    for (_, injection) in later { contents.later[injection.name, default: 0] += 1 }
    for (_, firing) in again { contents.retries[firing.reaction, default: 0] += 1 }
    for firing in held.values.joined() { contents.running[firing.reaction, default: 0] += 1 }
    contents.dead = dead.count
    contents.calls = openCalls.count
    contents.consumed = consumed
    contents.workers = leases.map {
      Contents.Worker(reactions: $1.offers, firings: held[$0]?.count ?? 0, process: processNumber())
    }
    contents.isBusy =
      !held.values.joined().isEmpty || !again.isEmpty || reactions.values.contains { !keys(enabling: $0).isEmpty }
    return contents
  }
}
