/// The facts besides the counts that a look at a soup at rest told.
struct Rest {
  var isAtRest: Bool
  /// Paused or stopped.
  var isHeld: Bool
  var dropped: Int
  var withdrawn: Int
}

extension Rest {
  init(bits: UInt64) {
    isAtRest = bits & 1 != 0
    isHeld = bits & 2 != 0
    dropped = Int(bits >> 2 & 0x3FFF_FFFF)
    withdrawn = Int(bits >> 32)
  }

  var bits: UInt64 { (isAtRest ? 1 : 0) | (isHeld ? 2 : 0) | UInt64(dropped) << 2 | UInt64(withdrawn) << 32 }
}

/// The record of a run, put together: operations, molecules and firings, with times that are places in the record.
struct History {
  struct Operation {
    let code: Chemistry.Code
    /// In the script; the body of a reaction: nil.
    let thread: Int?
    let begin: Int
    /// Int.max: it never ended.
    var end = Int.max
    var outcome = Outcome.done
    var value: UInt64 = 0
    /// By name: how many molecules it was to inject.
    var amounts: [(name: Int, count: Int)] = []
    /// The numbers of those that have one.
    var molecules: [Int] = []
    /// The counts of a look, by name, states last.
    var counts: [Int] = []
  }

  struct Molecule {
    let name: Int
    let operation: Int
    /// The firings that took it; more than one is a mistake.
    var firings: [Int] = []
    /// When it was destroyed without a body; Int.max: it was not, or its kind does not tell.
    var destroyed = Int.max
  }

  struct Firing {
    let number: UInt32
    let reaction: Int
    let begin: Int
    /// The event before on the same thread. After it, the firing took what it has.
    let previous: Int
    let isInTask: Bool
    var end = Int.max
    var takes: [(name: Int, molecule: Int)] = []
    var states: [(state: Int, version: UInt64)] = []
    var replies: [(call: Int, isDelivered: Bool)] = []
  }

  let chemistry: Chemistry
  private(set) var operations: [Operation] = []
  /// By number; the first is nobody's.
  private(set) var molecules: [Molecule] = [Molecule(name: 0, operation: 0)]
  private(set) var firings: [Firing] = []
  /// The parts of the record that make no sense in themselves.
  private(set) var mistakes: [String] = []
  /// The index of a firing by its number.
  private(set) var firingIndex: [UInt32: Int] = [:]

  init(_ events: [Event], _ chemistry: Chemistry) {
    self.chemistry = chemistry
    var operationIndex: [UInt32: Int] = [:]
    operationIndex.reserveCapacity(events.count / 3)
    var last: [Int32: Int] = [:]
    let numbers = events.lazy.filter { $0.kind == .molecule && chemistry.kinds[Int($0.a)] != .void }.map { Int($0.b) }
    molecules = Array(repeating: molecules[0], count: (numbers.max() ?? 0) + 1)
    for (time, event) in events.enumerated() {
      let subject = event.subject
      defer { last[event.thread] = time }
      switch event.kind {
      case .begin:
        operationIndex[subject] = operations.count
        operations.append(
          Operation(
            code: Chemistry.Code(rawValue: Int(event.a))!, thread: event.b == Event.ofBody ? nil : Int(event.b),
            begin: time))
      case .molecule:
        let index = operationIndex[subject]!
        let name = Int(event.a)
        let hasNumber = chemistry.kinds[name] != .void
        operations[index].amounts.append((name, hasNumber ? 1 : Int(event.b)))
        if !hasNumber { break }
        operations[index].molecules.append(Int(event.b))
        molecules[Int(event.b)] = Molecule(name: name, operation: index)
      case .end:
        let index = operationIndex[subject]!
        operations[index].end = time
        operations[index].outcome = Outcome(rawValue: Int(event.a))!
        operations[index].value = event.b
      case .count: operations[operationIndex[subject]!].counts.append(Int(event.b))
      case .fire:
        firingIndex[subject] = firings.count
        firings.append(
          Firing(
            number: subject, reaction: Int(event.a), begin: time, previous: last[event.thread] ?? -1,
            isInTask: event.b != 0))
      case .take: firings[firingIndex[subject]!].takes.append((Int(event.a), Int(event.b)))
      case .state: firings[firingIndex[subject]!].states.append((Int(event.a), event.b))
      case .reply: firings[firingIndex[subject]!].replies.append((Int(event.a), event.b != 0))
      case .fired: firings[firingIndex[subject]!].end = time
      case .destroyed:
        let number = Int(event.b)
        if number < molecules.count && molecules[number].destroyed == .max {
          molecules[number].destroyed = time
        } else {
          mistakes.append("molecule \(number) was destroyed twice, or is not known")
        }
      }
    }
    link()
  }

  /// Who took which molecule.
  private mutating func link() {
    for (index, firing) in firings.enumerated() {
      for (name, number) in firing.takes where chemistry.kinds[name] != .void {
        if molecules.indices.contains(number) && number > 0 && molecules[number].name == name {
          molecules[number].firings.append(index)
        } else {
          mistakes.append(
            "a body of reaction \(firing.reaction) got \(number) as \(Chemistry.label(name)), which is none")
        }
      }
    }
  }
}
