/// The reference: what a history may look like. Plain code over multisets and rules, which knows nothing of words,
/// masks and bags.
///
/// An operation takes effect at some time from its begin to its end, a firing takes its molecules at some time after
/// its thread's event before and before its body begins. Where that leaves a choice, the model allows all of it; where
/// it does not, it is exact. A matcher may take them as soon as it has made the match (`takesEarly`): then a body that
/// begins late was not overtaken. A matcher whose firings on the pool carry their molecules (`carries`, CARRY-1) does
/// so with values that are no calls. A state that the only reaction over a name takes keeps the order of its bodies
/// nevertheless. With padding, fields count few molecules and spill: counts are then on their way for a moment, and a
/// look during an operation may show a part of it.
struct Model {
  private let history: History
  private let chemistry: Chemistry
  private(set) var verdict = Laboratory.Verdict()
  private let running: Spans
  private let paused: Spans
  private let stopped: Spans
  /// From when a paused soup was found at rest until it is resumed.
  private let halted: [Range<Int>]
  /// Begins of what may drop molecules.
  private let drops: [History.Operation]
  private let takesEarly: Bool
  private let carries: Bool

  init(_ history: History, takesEarly: Bool = false, carries: Bool = false) {
    self.history = history
    self.takesEarly = takesEarly
    self.carries = carries
    chemistry = history.chemistry
    let control = history.operations.filter { [.pause, .resume, .stop, .restart, .clear].contains($0.code) }
    drops = control.filter { $0.code == .clear || $0.code == .stop }
    paused = Spans(from: control.filter { $0.code == .pause }, until: control.filter { $0.code == .resume })
    stopped = Spans(from: control.filter { $0.code == .stop }, until: control.filter { $0.code == .restart })
    running = Spans(
      from: control.filter { $0.code == .restart && $0.outcome == .done }, until: control.filter { $0.code == .stop },
      isSoAtFirst: true)
    let looks = history.operations.filter { $0.code == .snapshot && $0.thread == Chemistry.threads }
    halted = looks.filter { Rest(bits: $0.value).isAtRest }.flatMap { [paused] look in
      paused.spans.filter { $0.begin < look.begin && look.end < $0.end }.map { look.end..<$0.end }
    }
    verdict.mistakes = history.mistakes
    verdict.molecules = history.operations.reduce(0) { $0 + $1.amounts.reduce(0) { $0 + $1.count } }
    verdict.firings = history.firings.count
    checkOperations()
    checkMolecules()
    checkFirings()
    checkStates()
    checkCalls()
    checkOrder()
    for operation in history.operations where operation.code == .snapshot { checkLook(operation) }
    countOverlaps()
  }

  private mutating func wrong(_ text: String) {
    if verdict.mistakes.count < 20 { verdict.mistakes.append(text) }
  }

  private func text(_ operation: History.Operation) -> String {
    let by = operation.thread.map { "thread \($0)" } ?? "a body"
    let names = operation.amounts.map { Chemistry.label($0.name) + ($0.count > 1 ? "×\($0.count)" : "") }
    return
      "\(operation.code)(\(names.joined(separator: ", "))) by \(by) [\(operation.begin), \(operation.end)] "
      + "→ \(operation.outcome)"
  }

  private func text(_ firing: History.Firing) -> String {
    "a firing of reaction \(firing.reaction) [\(firing.begin), \(firing.end)]"
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Injections, control
  // -------------------------------------------------------------------------------------------------------------------

  private mutating func checkOperations() {
    for operation in history.operations {
      if operation.end == .max { wrong("never ended: \(text(operation))") }
      switch operation.outcome {
      case .refused where running.cover(operation):
        wrong("refused while the soup runs: \(text(operation))")
      case .accepted where stopped.cover(operation) && !operation.amounts.isEmpty:
        wrong("accepted by a stopped soup: \(text(operation))")
      case .restless: wrong("not quiet in time: \(text(operation))")
      case .tooEarly: wrong("timed out before its time: \(text(operation))")
      case .gone: wrong("gone, although its soup is owned: \(text(operation))")
      default: break
      }
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Each molecule is consumed once at most, as what it is, after it was injected
  // -------------------------------------------------------------------------------------------------------------------

  private mutating func checkMolecules() {
    for (number, molecule) in history.molecules.enumerated() where number > 0 {
      let operation = history.operations[molecule.operation]
      if molecule.firings.count > 1 {
        wrong("\(Chemistry.label(molecule.name)) \(number) consumed by \(molecule.firings.count) firings")
      }
      guard let firing = molecule.firings.first.map({ history.firings[$0] }) else { continue }
      if firing.begin < operation.begin { wrong("\(number) consumed before it was injected") }
      if operation.outcome == .refused && operation.code != .together {
        wrong("\(number) was refused, and consumed by \(text(firing))")
      }
      if molecule.destroyed != .max { wrong("\(number) both consumed and destroyed") }
    }
  }

  private mutating func checkFirings() {
    for firing in history.firings {
      let reaction = chemistry.reactions[firing.reaction]
      if firing.end == .max { wrong("\(text(firing)) never ended") }
      if firing.takes.map(\.name) != reaction.pattern || firing.states.map(\.state) != reaction.states {
        wrong("\(text(firing)) took \(firing.takes) and \(firing.states)")
      }
      // A stop that reported quiet, and no restart since.
      if let span = stopped.spans.first(where: { $0.isSure && $0.begin < firing.end && firing.begin < $0.end }) {
        wrong("\(text(firing)) ran in a stopped soup [\(span.begin), \(span.end)]")
      }
      if let span = halted.first(where: { $0.contains(firing.begin) }) {
        wrong("\(text(firing)) in a soup that was paused and at rest \(span)")
      }
      if reaction.place == .task && !firing.isInTask { wrong("\(text(firing)) is not in a task") }
      // A firing that was reserved before a pause gets a molecule injected after it only if others were dropped or
      // withdrawn.
      for take in firing.takes where chemistry.kinds[take.name] != .void && take.molecule < history.molecules.count {
        let injection = history.operations[history.molecules[take.molecule].operation]
        guard let span = paused.spans.first(where: { $0.begin < injection.begin && firing.begin < $0.end }) else {
          continue
        }
        if drops.contains(where: { $0.begin < firing.begin }) || hasWithdrawals(before: firing.begin) { continue }
        wrong(
          "\(text(firing)) consumed \(take.molecule), injected at \(injection.begin), of a soup paused "
            + "[\(span.begin), \(span.end)]"
        )
      }
    }
  }

  private func hasWithdrawals(before time: Int) -> Bool {
    history.operations.contains { ($0.code == .callWithin || $0.code == .callCancelled) && $0.begin < time }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // A state has one copy, and its values follow each other
  // -------------------------------------------------------------------------------------------------------------------

  private mutating func checkStates() {
    for state in 0..<chemistry.stateCount {
      var uses: [(version: UInt64, firing: History.Firing)] = []
      for firing in history.firings {
        for use in firing.states where use.state == state { uses.append((use.version, firing)) }
      }
      uses.sort { $0.version < $1.version }
      for (before, after) in zip(uses, uses.dropFirst()) {
        let isNext = after.version == before.version + 1
        let isNewEra = after.version >> 32 > before.version >> 32 && after.version & 0xFFFF_FFFF == 0
        if !isNext && !isNewEra { wrong("s\(state) went from version \(before.version) to \(after.version)") }
        if before.firing.end > after.firing.begin {
          wrong("s\(state) had by two at once: \(text(before.firing)) and \(text(after.firing))")
        }
      }
      if let first = uses.first, first.version & 0xFFFF_FFFF != 0 {
        wrong("s\(state) begins with version \(first.version)")
      }
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // One outcome per call, of the very body that consumed it
  // -------------------------------------------------------------------------------------------------------------------

  private mutating func checkCalls() {
    for operation in history.operations {
      guard [.call, .callWithin, .callCancelled].contains(operation.code), let number = operation.molecules.first else {
        continue
      }
      let firing = history.molecules[number].firings.first.map { history.firings[$0] }
      let reply = firing?.replies.first { $0.call == number }
      let ending = firing.map { chemistry.reactions[$0.reaction].ending }
      let isRight =
        switch operation.outcome {
        case .replied: reply?.isDelivered == true && operation.value == UInt64(firing!.number)
        case .neverReplied: firing != nil && ending == .drop
        case .failed: firing != nil && ending == .fail && operation.value == UInt64(firing!.number)
        case .timedOut: operation.code == .callWithin && reply?.isDelivered != true
        case .cancelled: operation.code == .callCancelled && reply?.isDelivered != true
        case .stopped: firing == nil && !running.cover(operation)
        case .cleared:
          firing == nil && drops.contains { $0.code == .clear && $0.begin < operation.end && operation.begin < $0.end }
        default: false
        }
      if !isRight {
        wrong(
          "call \(number): \(text(operation)), \(firing.map(text) ?? "no firing"), "
            + "\(reply.map { "\($0)" } ?? "no reply")"
        )
      }
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Once an injection has returned, no value of that name whose injection begins later is consumed before it
  // -------------------------------------------------------------------------------------------------------------------

  private mutating func checkOrder() {
    let isDropping = !drops.dropLast().isEmpty
    let rest = history.operations.last { $0.code == .snapshot && $0.thread == Chemistry.threads }?.begin ?? 0
    for name in chemistry.kinds.indices where chemistry.kinds[name] != .void {
      let reactions = chemistry.reactions.filter { $0.pattern.contains(name) }
      let isKeptByState = reactions.count == 1 && !reactions[0].states.isEmpty
      let mayBeCarried = carries && chemistry.kinds[name] != .fast && !isKeptByState
      // By begin of their injection: when the body began that had it, and the soonest of all those that follow.
      var consumed: [(injected: Int, body: Int, number: Int)] = []
      for (number, molecule) in history.molecules.enumerated() where number > 0 && molecule.name == name {
        guard let firing = molecule.firings.first else { continue }
        consumed.append((history.operations[molecule.operation].begin, history.firings[firing].begin, number))
      }
      consumed.sort { $0.injected < $1.injected }
      var soonest = consumed
      for index in soonest.indices.reversed().dropFirst() where soonest[index + 1].body < soonest[index].body {
        soonest[index] = (soonest[index].injected, soonest[index + 1].body, soonest[index + 1].number)
      }
      for (number, molecule) in history.molecules.enumerated() where number > 0 && molecule.name == name {
        let operation = history.operations[molecule.operation]
        // It was not consumed before this.
        var notBefore = -1
        if let firing = molecule.firings.first.map({ history.firings[$0] }) {
          let place = chemistry.reactions[firing.reaction].place
          if place != .task && !takesEarly && !(mayBeCarried && place == .pool) { notBefore = firing.previous }
        } else if operation.outcome == .accepted && !isDropping {
          notBefore = rest
        }
        // Calls end after their consumption.
        if operation.end >= notBefore { continue }
        var low = 0
        var high = consumed.count
        while low < high {
          let middle = (low + high) / 2
          if consumed[middle].injected > operation.end { high = middle } else { low = middle + 1 }
        }
        if low < consumed.count && soonest[low].body < notBefore {
          wrong(
            "\(Chemistry.label(name)) \(number), injected by \(operation.end) and not consumed before \(notBefore), "
              + "was overtaken by \(soonest[low])"
          )
        }
      }
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // Looks
  // -------------------------------------------------------------------------------------------------------------------

  private mutating func checkLook(_ look: History.Operation) {
    let names = chemistry.kinds.count
    let present = Array(look.counts.prefix(names))
    let rest = Rest(bits: look.value)
    let isAtRest = look.thread == Chemistry.threads && rest.isAtRest
    let isDropping = drops.contains { $0.begin < look.end }
    var injectedAtMost = Array(repeating: 0, count: names)
    var acceptedForSure = Array(repeating: 0, count: names)
    var unsureAmounts = Array(repeating: 0, count: names)
    for operation in history.operations where operation.begin < look.end {
      // Not known: whether a call that was stopped or cancelled was injected, and what of several components was.
      let isUnsure =
        switch operation.outcome {
        case .refused: operation.code == .together
        case .stopped, .cancelled: history.molecules[operation.molecules[0]].firings.isEmpty
        default: false
        }
      let isRefused = operation.outcome == .refused && operation.code != .together
      for (name, count) in operation.amounts where !isRefused {
        injectedAtMost[name] += count
        if isUnsure { unsureAmounts[name] += count } else { acceptedForSure[name] += count }
      }
      // A molecule that was consumed has been injected.
      for number in operation.molecules where isUnsure && !history.molecules[number].firings.isEmpty {
        unsureAmounts[history.molecules[number].name] -= 1
        acceptedForSure[history.molecules[number].name] += 1
      }
    }
    var consumed = Array(repeating: 0, count: names)
    for firing in history.firings where firing.begin < look.begin {
      for take in firing.takes { consumed[take.name] += 1 }
    }
    for name in 0..<names where present[name] + consumed[name] > injectedAtMost[name] {
      wrong(
        "\(present[name]) of \(Chemistry.label(name)) present, \(consumed[name]) consumed, "
          + "\(injectedAtMost[name]) injected: \(text(look))"
      )
    }
    checkGathering(look, present)
    if !isAtRest { return }
    func isWithin(_ begin: Int) -> Bool { look.begin < begin && begin < look.end }
    if let operation = history.operations.first(where: { isWithin($0.begin) }) {
      wrong("\(text(operation)) began within a look at rest: \(text(look))")
    }
    if let firing = history.firings.first(where: { isWithin($0.begin) }) {
      wrong("\(text(firing)) began within a look at rest: \(text(look))")
    }
    // Not before: an injection that was past the refusal shows for a moment, until it is dropped.
    if let span = stopped.spans.first(where: { $0.isSure && $0.begin < look.begin && look.end < $0.end }),
      present.contains(where: { $0 > 0 })
    {
      wrong("\(present) present in a stopped soup [\(span.begin), \(span.end)]: \(text(look))")
    }
    if look.counts.dropFirst(names).contains(where: { $0 != 1 }) {
      wrong("a state is not there at rest: \(look.counts)")
    }
    if !rest.isHeld {
      for (index, reaction) in chemistry.reactions.enumerated() where isEnabled(reaction, with: present) {
        wrong("reaction \(index) is enabled at rest: \(present), \(text(look))")
      }
    }
    for name in 0..<names {
      let sure = self.present(name, at: look, accepted: acceptedForSure[name] - consumed[name], isDropping)
      let more = chemistry.kinds[name] == .fast ? 0 : unsureAmounts[name]
      let expected = sure.lowerBound...sure.upperBound + more
      if !expected.contains(present[name]) {
        wrong("at rest \(present[name]) of \(Chemistry.label(name)), not \(expected): \(text(look))")
      }
    }
    let unsure = unsureAmounts.reduce(0, +)
    let difference =
      acceptedForSure.reduce(0, +) - consumed.reduce(0, +) - present.reduce(0, +) - rest.dropped - rest.withdrawn
    if difference > 0 || difference < -unsure {
      wrong(
        "injected \(acceptedForSure) (and \(unsure) perhaps), consumed \(consumed), present \(present), \(rest): "
          + "\(difference) are missing"
      )
    }
    checkReports(look, rest)
  }

  /// Checks that the reports of stops and clears tell each molecule that was dropped, once. No report tells a call that
  /// came too late for a stop. A stop that did not find the soup quiet leaves the rest to the next report.
  private mutating func checkReports(_ look: History.Operation, _ rest: Rest) {
    let told = drops.reduce(0) { $0 + ($1.end < look.begin ? Int($1.value) : 0) }
    let late = history.operations.count { $0.outcome == .stopped && $0.begin < look.begin }
    let isRestless = drops.contains { $0.outcome == .restless }
    if told <= rest.dropped && (isRestless || rest.dropped <= told + late) { return }
    wrong("\(rest.dropped) were dropped, and reports tell \(told): \(text(look))")
  }

  /// Checks a soup that has been paused all the time. Nothing of it is consumed, and a look is exact. It shows whole
  /// operations: for a component all of what one injected or nothing of it.
  private mutating func checkGathering(_ look: History.Operation, _ present: [Int]) {
    guard chemistry.beginsPaused, let first = paused.spans.first, look.end < first.end else { return }
    let before = history.operations.filter { $0.begin < look.end && $0.outcome != .refused }
    // Operations that may withdraw or drop leave the counts unknown.
    let isPlain = before.allSatisfy { [.inject, .several, .together, .snapshot, .pause, .delay].contains($0.code) }
    let total = before.reduce(0) { $0 + $1.amounts.reduce(0) { $0 + $1.count } }
    if !isPlain || chemistry.padding > 0 || total > 200 || present.count > 6 { return }
    let (done, open) = (before.filter { $0.end < look.begin }, before.filter { $0.end > look.begin })
    let components = chemistry.components
    for component in Set(components) {
      let names = components.indices.filter { components[$0] == component }
      func amounts(_ operation: History.Operation) -> [Int] {
        names.map { name in operation.amounts.reduce(0) { $1.name == name ? $0 + $1.count : $0 } }
      }
      func sum(_ a: [Int], _ b: [Int]) -> [Int] { zip(a, b).map(+) }
      let seen = names.map { present[$0] }
      var possible: Set = [done.reduce(names.map { _ in 0 }) { sum($0, amounts($1)) }]
      for operation in open {
        let more = amounts(operation)
        possible.formUnion(possible.map { sum($0, more) }.filter { zip($0, seen).allSatisfy(<=) })
        // A look whose thread had no processor for long overlaps so many operations that any sum is possible.
        if possible.count > 2000 { return }
      }
      if !possible.contains(seen) {
        wrong("\(present) present of what gathers in a paused soup, which no operations add up to: \(text(look))")
      }
    }
  }

  private func isEnabled(_ reaction: Chemistry.Reaction, with present: [Int]) -> Bool {
    Set(reaction.pattern).allSatisfy { name in present[name] >= reaction.pattern.count { $0 == name } }
  }

  /// How many may be there at rest: `accepted` have been injected and not consumed.
  private func present(
    _ name: Int, at look: History.Operation, accepted: Int, _ isDropping: Bool
  ) -> ClosedRange<Int> {
    switch chemistry.kinds[name] {
    case .void, .plain: return isDropping ? 0...max(accepted, 0) : accepted...accepted
    case .object:
      let destroyed = history.molecules.count {
        $0.name == name && $0.destroyed < look.begin && history.operations[$0.operation].outcome == .accepted
      }
      return accepted - destroyed...accepted - destroyed
    case .fast:
      let waiting = history.molecules.dropFirst().filter { molecule in
        let operation = history.operations[molecule.operation]
        let isConsumed = molecule.firings.contains { history.firings[$0].begin < look.begin }
        return molecule.name == name && operation.begin < look.begin && operation.end > look.end && !isConsumed
      }.count
      return isDropping ? 0...waiting : waiting...waiting
    }
  }

  // -------------------------------------------------------------------------------------------------------------------
  // That anything was tried at all
  // -------------------------------------------------------------------------------------------------------------------

  private mutating func countOverlaps() {
    var open: [Int: Int] = [:]
    var edges: [(time: Int, thread: Int, operation: Int)] = []
    for (index, operation) in history.operations.enumerated() where operation.end != .max {
      guard let thread = operation.thread, thread < Chemistry.threads else { continue }
      edges.append((operation.begin, thread, index))
      edges.append((operation.end, thread, index))
    }
    edges.sort { $0.time < $1.time }
    for (position, edge) in edges.enumerated() {
      if let begin = open.removeValue(forKey: edge.operation) {
        verdict.operations += 1
        if position > begin + 1 { verdict.overlapped += 1 }
      } else {
        open[edge.operation] = position
      }
    }
  }
}

/// When something was surely so: from the end of what brings it about until the begin of what ends it.
private struct Spans {
  struct Span {
    let begin: Int
    let end: Int
    /// Whether all was quiet after a stop.
    let isSure: Bool
  }

  private(set) var spans: [Span] = []

  init(from causes: [History.Operation], until ends: [History.Operation], isSoAtFirst: Bool = false) {
    if isSoAtFirst { spans.append(Span(begin: -1, end: ends.map(\.begin).min() ?? .max, isSure: true)) }
    for cause in causes {
      // An end that was not over when the cause began may come after it.
      let end = ends.filter { $0.end > cause.begin }.map(\.begin).min() ?? .max
      if end > cause.end { spans.append(Span(begin: cause.end, end: end, isSure: cause.outcome == .done)) }
    }
  }

  func cover(_ operation: History.Operation) -> Bool {
    spans.contains { $0.begin < operation.begin && operation.end < $0.end }
  }
}
