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
  /// soups of one label have one count, which stays when the soups are gone. A state counts only how often bodies have
  /// it.
  ///
  /// Reactions that consume a measured name are counted as well. `bodyTimes` also measures the times of their bodies,
  /// by the continuous clock. The time of an `async` body ends with the body.
  ///
  /// - Requires: the soup is being defined.
  /// - Complexity: O(1). A measured soup is observed, as by ``Soup/Control/observe(_:)``, so its injections and bodies
  ///   cost some hundred nanoseconds more. `bodyTimes` takes a lock twice for each body.
  public func measure(
    _ names: any Soup.Name..., bodyTimes: Bool = false, file: StaticString = #fileID, line: UInt = #line
  ) {
    for name in names { require(name._name!, of: core, "measure:", file, line) }
    let context = SoupContext.of(core)
    let known = Set(names.map { UInt(bitPattern: $0._name!) })
    context.observe(Soup.nextObservation(), Meter(known, core, timesBodies: bodyTimes).note)
  }
}

/// Counts the events of one soup. The counts belong to the labels, so they outlive the soup.
final class Meter: @unchecked Sendable {
  /// Empty: all names of the soup.
  private let chosen: Set<UInt>
  private let core: UInt
  private let timesBodies: Bool
  // The defining thread writes both when the definition ends, before any other event.
  private var names: [NameCounts?] = []
  private var reactions: [ReactionCounts?] = []
  private let running = Guarded(ActiveBodies<ContinuousClock.Instant>())

  private struct All {
    var names: [Metrics.Label: NameCounts] = [:]
    var reactions: [Metrics.Label: ReactionCounts] = [:]
  }
  private static let registry = Guarded(All())

  static var all: (names: [Metrics.Label: NameCounts], reactions: [Metrics.Label: ReactionCounts]) {
    registry.withLock { ($0.names, $0.reactions) }
  }

  init(_ chosen: Set<UInt>, _ core: OpaquePointer, timesBodies: Bool) {
    (self.chosen, self.core, self.timesBodies) = (chosen, UInt(bitPattern: core), timesBodies)
  }

  private func begin() {
    let core = OpaquePointer(bitPattern: self.core)!
    let soup = labelOfSoup(core)
    let all = namesOfSoup(core)
    let isChosen = { [chosen] (name: OpaquePointer) in chosen.isEmpty || chosen.contains(UInt(bitPattern: name)) }
    Self.registry.withLock { registry in
      names = all.map { name in
        if !isChosen(name) { return nil }
        let label = Metrics.Label(soup: soup, label: labelOfName(name))
        return registry.names.value(of: label, NameCounts(MoleculeKind(crucible_name_kind(name))))
      }
      reactions = (0..<crucible_soup_reaction_count(core)).map { index in
        if !inputsOfReaction(index, in: core).contains(where: isChosen) { return nil }
        let label = Metrics.Label(soup: soup, label: Soup.ReactionInfo(index, in: core).pattern)
        return registry.reactions.value(of: label, ReactionCounts())
      }
    }
    if timesBodies { for reaction in reactions { reaction?.isTimed.store(true, ordering: .relaxed) } }
  }

  @Sendable
  func note(_ event: Soup.Event) {
    switch event.kind {
    case .made: begin()
    case .injected(let molecule, let count): counts(of: molecule)?.injected.add(count)
    case .refused(let molecule, let count): counts(of: molecule)?.refused.add(count)
    case .consumed(let molecule, _): counts(of: molecule)?.consumed.add()
    case .withdrew(let molecule): counts(of: molecule)?.withdrawn.add()
    case .expired(let molecule): counts(of: molecule)?.expired.add()
    case .displaced(let molecule): counts(of: molecule)?.displaced.add()
    case .replied(let molecule): counts(of: molecule)?.replied.add()
    case .timedOut(let molecule): counts(of: molecule)?.timedOut.add()
    case .cancelled(let molecule): counts(of: molecule)?.cancelled.add()
    case .failed(let molecule): counts(of: molecule)?.failed.add()
    case .started(let reaction):
      guard let counts = reactions[reaction.index] else { return }
      counts.begun.add()
      if timesBodies { running.withLock { $0.begin(reaction.index, of: core, .now) } }
    case .finished(let reaction): end(reaction.index)
    case .threw(let reaction, _):
      reactions[reaction.index]?.threw.add()
      end(reaction.index)
    default: break
    }
  }

  private func counts(of molecule: Soup.Event.Molecule) -> NameCounts? {
    names[crucible_name_index(OpaquePointer(bitPattern: molecule.name)!)]
  }

  private func end(_ reaction: Int) {
    guard timesBodies, let counts = reactions[reaction] else { return }
    if let begin = running.withLock({ $0.end(reaction, of: core) }) { counts.add(begin.duration(to: .now)) }
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

  func read() -> Metrics.Counts {
    Metrics.Counts(
      injected: injected.now, refused: refused.now, consumed: consumed.now, withdrawn: withdrawn.now,
      expired: expired.now, displaced: displaced.now, replied: replied.now, timedOut: timedOut.now,
      cancelled: cancelled.now, failed: failed.now)
  }
}

/// The counts of the bodies of a reaction with a measured name, and their times if they are measured.
final class ReactionCounts: Sendable {
  let begun = Count()
  let threw = Count()
  let isTimed = Atomic(false)
  private let times = Guarded(Metrics.Histogram.none)

  func add(_ time: Duration) {
    let bucket = Metrics.Histogram.bounds.firstIndex { time <= $0 } ?? Metrics.Histogram.bounds.count
    times.withLock { times in
      times.counts[bucket] += 1
      times.sum += time
    }
  }

  func read(into numbers: inout Metrics.ReactionNumbers) {
    numbers.begun = begun.now
    numbers.threw = threw.now
    if !isTimed.load(ordering: .relaxed) { return }
    numbers.times = times.withLock { $0 }
  }
}
