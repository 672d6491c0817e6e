import CCrucible
import Synchronization

extension Soup {
  /// Counts from now on what happens to the molecules of these names, for ``Soup/metrics(of:)``.
  ///
  /// ```swift
  /// let line = Soup.define("shop") { soup in
  ///   let line = soup.slow("line", of: Int.self)
  ///   soup.react(line) { order in print(order) }
  ///   soup.measure(line, bodyTimes: true)
  ///   return line
  /// }
  /// ```
  ///
  /// Without names, it counts for all names of the soup, also those that are declared later. Names of one label in
  /// soups of one label have one count, which stays when the soups are gone. So they should be of one kind, and labels
  /// that a program makes at run time would need more and more memory. A state counts only how often bodies take it.
  ///
  /// Reactions that consume a measured name are counted as well. `bodyTimes` also measures the times of their bodies,
  /// by the continuous clock. The time of an `async` body ends with the body.
  ///
  /// - Requires: the soup is being defined.
  /// - Complexity: O(1). A measured soup injects and reacts as an observed one: slower, and no call is answered on the
  ///   thread of its caller by a body with the default placement (<doc:Measuring>). `bodyTimes` takes a lock for each
  ///   body.
  public func measure(
    _ names: any Soup.Name..., bodyTimes: Bool = false, file: StaticString = #fileID, line: UInt = #line
  ) {
    requireOpen("measure", at: StaticSource(file, line))
    for name in names { require(name._name!, of: core, "measure:", file, line) }
    SoupContext.of(core).measure(names.map { $0._name! }, timesBodies: bodyTimes)
  }
}

/// Counts the events of one soup. The counts belong to the labels, so they outlive the soup.
///
/// Observers would count as well, but an event costs several times as much as a count.
final class Meter: @unchecked Sendable {
  /// The measured names, each with whether the bodies that consume it are timed. Nil stands for all names.
  private var chosen: [OpaquePointer?: Bool] = [:]
  // The defining thread writes both when the definition ends, before any event.
  private var names: [NameCounts?] = []
  private var reactions: [ReactionCounts?] = []

  private struct All {
    var names: [Soup.Metrics.Label: NameCounts] = [:]
    var reactions: [Soup.Metrics.Label: ReactionCounts] = [:]
  }
  private static let registry = Guarded(All())

  static var all: (names: [Soup.Metrics.Label: NameCounts], reactions: [Soup.Metrics.Label: ReactionCounts]) {
    registry.withLock { ($0.names, $0.reactions) }
  }

  func add(_ names: [OpaquePointer], timesBodies: Bool) {
    let names: [OpaquePointer?] = names.isEmpty ? [nil] : names
    for name in names { chosen[name] = timesBodies || chosen[name] == true }
  }

  /// Finds the counts. Requires: all names and reactions are declared.
  func begin(_ core: OpaquePointer) {
    let soup = labelOfSoup(core)
    let all = namesOfSoup(core)
    func isTimed(_ name: OpaquePointer) -> Bool? {
      let both = [chosen[name], chosen[nil]].compactMap { $0 }
      return both.isEmpty ? nil : both.contains(true)
    }
    Self.registry.withLock { registry in
      names = all.map { name in
        if isTimed(name) == nil { return nil }
        let label = Soup.Metrics.Label(soup: soup, label: labelOfName(name))
        return registry.names.value(of: label, NameCounts(MoleculeKind(crucible_name_kind(name))))
      }
      reactions = (0..<crucible_soup_reaction_count(core)).map { index in
        let times = inputsOfReaction(index, in: core).compactMap(isTimed)
        if times.isEmpty { return nil }
        let label = Soup.Metrics.Label(soup: soup, label: Soup.ReactionInfo(index, in: core).pattern)
        let counts = registry.reactions.value(of: label, ReactionCounts())
        if times.contains(true) { counts.isTimed.store(true, ordering: .relaxed) }
        return counts
      }
    }
  }

  func injected(_ name: Int, _ count: Int) { names[name]?.injected.add(count) }

  /// Counts a molecule that a reaction takes. Facts are only read.
  func consumed(_ name: Int) {
    if let counts = names[name], counts.kind != .fact { counts.consumed.add() }
  }

  /// Counts a body that begins. Returns the time if it is timed, else 0.
  func began(_ reaction: Int) -> UInt64 {
    guard let counts = reactions[reaction] else { return 0 }
    counts.begun.add()
    return counts.isTimed.load(ordering: .relaxed) ? crucible_now() : 0
  }

  /// `begin`: what `began` returned. Nil: the firing was discarded without a body.
  func ended(_ reaction: Int, since begin: UInt64?, threw: Bool) {
    guard let begin, let counts = reactions[reaction] else { return }
    if threw { counts.threw.add() }
    if begin > 0 { counts.add(.nanoseconds(Int64(clamping: crucible_now() &- begin))) }
  }

  /// Counts what happens less often.
  func note(_ kind: Soup.Event.Kind) {
    switch kind {
    case .refused(let molecule, let count): counts(of: molecule)?.refused.add(count)
    case .withdrew(let molecule): counts(of: molecule)?.withdrawn.add()
    case .expired(let molecule): counts(of: molecule)?.expired.add()
    case .displaced(let molecule): counts(of: molecule)?.displaced.add()
    case .replied(let molecule): counts(of: molecule)?.replied.add()
    case .timedOut(let molecule): counts(of: molecule)?.timedOut.add()
    case .cancelled(let molecule): counts(of: molecule)?.cancelled.add()
    case .failed(let molecule): counts(of: molecule)?.failed.add()
    default: break
    }
  }

  private func counts(of molecule: Soup.Event.Molecule) -> NameCounts? {
    names[crucible_name_index(OpaquePointer(bitPattern: molecule.name)!)]
  }
}

extension Dictionary {
  /// Returns the value of the key. It becomes `first` if there is none.
  fileprivate mutating func value(of key: Key, _ first: @autoclosure () -> Value) -> Value {
    if let value = self[key] { return value }
    let value = first()
    self[key] = value
    return value
  }
}

/// A count that only grows.
struct Count: ~Copyable {
  private let value = Atomic(0)

  func add(_ more: Int = 1) { value.add(more, ordering: .relaxed) }
  var now: Int { value.load(ordering: .relaxed) }
}

/// The counts of a measured name. Each only grows, so that a rate can be taken of it.
final class NameCounts: Sendable {
  let kind: MoleculeKind
  let injected = Count()
  let refused = Count()
  let consumed = Count()
  let withdrawn = Count()
  let expired = Count()
  let displaced = Count()
  let replied = Count()
  let timedOut = Count()
  let cancelled = Count()
  let failed = Count()

  init(_ kind: MoleculeKind) { self.kind = kind }

  /// Reads the injections last, so that they are never fewer than what became of them.
  func read() -> Soup.Metrics.Counts {
    var counts = Soup.Metrics.Counts(
      injected: 0, refused: refused.now, consumed: consumed.now, withdrawn: withdrawn.now, expired: expired.now,
      displaced: displaced.now, replied: replied.now, timedOut: timedOut.now, cancelled: cancelled.now,
      failed: failed.now)
    counts.injected = injected.now
    return counts
  }
}

/// The counts of the bodies of a reaction with a measured name, and their times if they are measured.
final class ReactionCounts: Sendable {
  let begun = Count()
  let threw = Count()
  let isTimed = Atomic(false)
  private let times = Guarded(Soup.Metrics.Histogram.none)

  func add(_ time: Duration) {
    let bucket = Soup.Metrics.Histogram.bounds.firstIndex { time <= $0 } ?? Soup.Metrics.Histogram.bounds.count
    times.withLock { times in
      times.counts[bucket] += 1
      times.sum += time
    }
  }

  func read(into numbers: inout Soup.Metrics.ReactionNumbers) {
    numbers.begun = begun.now
    numbers.threw = threw.now
    if !isTimed.load(ordering: .relaxed) { return }
    numbers.times = times.withLock { $0 }
  }
}
