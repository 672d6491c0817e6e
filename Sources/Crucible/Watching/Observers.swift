import CCrucible
import Synchronization

/// The observers of one soup, and its name for them.
///
/// A soup without observers does not even check for them. A soup with observers injects by another function (inject.c),
/// and its reactions have other bodies.
final class Observers: @unchecked Sendable {
  typealias Observer = @Sendable (Soup.Event) -> Void

  let soup: Soup.Definition
  private let molecules: [Soup.Event.Molecule]
  private let infos: [Soup.ReactionInfo]
  private let inputs: [[Int]]
  /// Of each reaction, the first input from which a key is read.
  private let keyed: [(input: Int, name: OpaquePointer)?]
  private let instance: UInt
  private let meter: Meter?
  private let all = Guarded<[(id: UInt64, tell: Observer)]>([])
  /// What observers do when an injection on the calling thread ends.
  private let ends = Guarded<[(id: UInt64, act: @Sendable () -> Void)]>([])

  /// Makes the observers of a soup. Requires: all its names and reactions are declared.
  init(of core: OpaquePointer, _ meter: Meter?) {
    self.meter = meter
    soup = Soup.Definition(core)
    instance = UInt(bitPattern: core)
    molecules = namesOfSoup(core).map { Soup.Event.Molecule(label: labelOfName($0), name: UInt(bitPattern: $0)) }
    let count = crucible_soup_reaction_count(core)
    infos = (0..<count).map { Soup.ReactionInfo($0, in: core) }
    let names = (0..<count).map { inputsOfReaction($0, in: core) }
    inputs = names.map { $0.map { crucible_name_index($0) } }
    keyed = names.map { names in
      names.enumerated().first { crucible_name_key($1)?.pointee.read != nil }.map { ($0.offset, $0.element) }
    }
  }

  func tell(_ kind: Soup.Event.Kind, _ key: (any Hashable & Sendable)? = nil) {
    meter?.note(kind)
    if hasObservers { send(kind, key) }
  }

  /// Tells what becomes of the call with the record at that address.
  func tell(_ kind: Soup.Event.Kind, ofCallAt address: UInt) {
    meter?.note(kind)
    if hasObservers { send(kind, nil, at: address) }
  }

  /// Tells what happens to a molecule with this value.
  func tell(_ kind: Soup.Event.Kind, of name: OpaquePointer, _ value: UnsafeRawPointer?) {
    tell(kind, hasObservers ? Keying.key(of: value, name) : nil)
  }

  private func send(_ kind: Soup.Event.Kind, _ key: (any Hashable & Sendable)?, at address: UInt = 0) {
    let event = Soup.Event(soup: soup, kind: kind, key: key, instance: instance, address: address)
    // Without the lock: an observer may run any code, and may end its observation.
    for observer in all.withLock({ $0 }) { observer.tell(event) }
  }

  /// Whether anything but the meter observes. If nothing does, no event is made. Written under the lock of `all`. A
  /// stale read misses what happens while an observation begins, or makes an event for nobody.
  private let isObserved = Atomic<Bool>(false)
  private var hasObservers: Bool { isObserved.load(ordering: .relaxed) }

  func tellInjected(_ name: OpaquePointer, _ value: UnsafeRawPointer?, _ count: Int) {
    meter?.injected(crucible_name_index(name), count)
    if !hasObservers { return }
    send(.injected(molecule(name), count: count), Keying.key(of: value, name), at: UInt(bitPattern: value))
  }

  func tellInjectionEnded() {
    if hasObservers {
      for end in ends.withLock({ $0 }) { end.act() }
    }
  }

  func addEnd(_ id: UInt64, _ act: @escaping @Sendable () -> Void) { ends.withLock { $0.append((id, act)) } }

  func molecule(_ name: OpaquePointer) -> Soup.Event.Molecule { molecules[crucible_name_index(name)] }

  /// Returns the key of a firing. Requires: its body has not taken the inputs yet.
  func key(of reaction: Int, _ values: UnsafePointer<UnsafeMutableRawPointer>) -> (any Hashable & Sendable)? {
    keyed[reaction].flatMap { Keying.key(of: values[$0.input], $0.name) }
  }

  /// Returns the time of the begin, if the body is timed, for `tellEnd`.
  func tellBegin(of reaction: Int, _ key: (any Hashable & Sendable)?) -> UInt64 {
    tellConsumed(by: reaction, key)
    if hasObservers { send(.started(infos[reaction]), key) }
    return meter?.began(reaction) ?? 0
  }

  func tellConsumed(by reaction: Int, _ key: (any Hashable & Sendable)? = nil) {
    for input in inputs[reaction] { meter?.consumed(input) }
    if !hasObservers { return }
    for input in inputs[reaction] { send(.consumed(molecules[input], by: infos[reaction]), key) }
  }

  func tellEnd(
    of reaction: Int, _ error: (any Error)?, _ key: (any Hashable & Sendable)? = nil, since begin: UInt64? = nil
  ) {
    meter?.ended(reaction, since: begin, threw: error != nil)
    if hasObservers { send(error.map { .threw(infos[reaction], $0) } ?? .finished(infos[reaction]), key) }
  }

  /// Adds an observer. Returns whether it is the first. One that observes all soups may be present already.
  func add(_ id: UInt64, _ observer: @escaping Observer) -> Bool {
    all.withLock { all in
      if all.contains(where: { $0.id == id }) { return false }
      all.append((id, observer))
      isObserved.store(true, ordering: .relaxed)
      return all.count == 1
    }
  }

  /// Removes an observer. Returns it, because it may hold the last reference to an object that must be released without
  /// any lock. Also returns whether no observer is left.
  func remove(_ id: UInt64) -> (removed: [Observer], isLast: Bool) {
    let ended = ends.withLock { ends in
      defer { ends.removeAll { $0.id == id } }
      return ends.filter { $0.id == id }
    }
    defer { withExtendedLifetime(ended) {} }
    return all.withLock { all in
      let removed = all.filter { $0.id == id }.map(\.tell)
      all.removeAll { $0.id == id }
      isObserved.store(!all.isEmpty, ordering: .relaxed)
      return (removed, all.isEmpty && !removed.isEmpty)
    }
  }
}

extension Soup {
  private struct Everywhere {
    var last: UInt64 = 0
    var observers: [(id: UInt64, tell: Observers.Observer)] = []
    var hasRuns = false
  }

  private static let everywhere = Guarded(Everywhere())
  /// Whether any observer observes all soups. Written under the lock, and read without it at the end of each
  /// definition. Relaxed, because both sides take the lock of the registry of soups: the definition before it reads,
  /// the observer after it wrote. So either the definition sees this, or the observer sees the soup.
  private static let isAnyEverywhere = Atomic<Bool>(false)
  static var isAnyObservedEverywhere: Bool { isAnyEverywhere.load(ordering: .relaxed) }

  /// From now on each definition checks whether a controlled run defines it.
  static func beginRuns() {
    everywhere.withLock { everywhere in
      everywhere.hasRuns = true
      markEverywhere(everywhere)
    }
  }

  private static func markEverywhere(_ everywhere: Everywhere) {
    isAnyEverywhere.store(everywhere.hasRuns || !everywhere.observers.isEmpty, ordering: .relaxed)
  }

  static func nextObservation() -> UInt64 {
    everywhere.withLock { everywhere in
      everywhere.last += 1
      return everywhere.last
    }
  }

  /// Adds the observers of all soups. Requires: no such observation begins or ends meanwhile.
  static func addObserversOfAll(to context: SoupContext) {
    if !isAnyObservedEverywhere { return }
    if let run = ControlledThread.currentRun { context.join(run) }
    everywhere.withLock { everywhere in
      for (id, observer) in everywhere.observers { context.observe(id, observer) }
    }
  }

  /// Sends the observer an event for everything that happens from now on, in all soups, later ones included.
  ///
  /// ```swift
  /// let observation = Soup.observe { event in print(event) }
  /// ```
  ///
  /// - Complexity: O(soups), and as that for each of them.
  @discardableResult
  public static func observe(_ observer: @escaping @Sendable (Soup.Event) -> Void) -> Soup.Observation {
    let id = nextObservation()
    everywhere.withLock { everywhere in
      everywhere.observers.append((id, observer))
      markEverywhere(everywhere)
    }
    // Includes soups that are being defined, because one of them may have read its observers just before.
    for control in Soup.All.controls() { SoupContext.of(control.core).observe(id, observer) }
    return Soup.Observation(id: id, core: nil)
  }

  fileprivate static func endObservation(ofAll id: UInt64) {
    let removed = everywhere.withLock { everywhere in
      let removed = everywhere.observers.filter { $0.id == id }
      everywhere.observers.removeAll { $0.id == id }
      markEverywhere(everywhere)
      return removed
    }
    defer { withExtendedLifetime(removed) {} }  // released without the lock
    for control in Soup.All.controls() { SoupContext.known(of: control.core)?.endObservation(id) }
  }
}

extension Soup.Control {
  /// Sends the observer an event for everything that happens in the soup from now on.
  ///
  /// ```swift
  /// let observation = control.observe { event in
  ///   if case .threw(let reaction, let error) = event.kind { log.warning("\(reaction): \(error)") }
  /// }
  /// observation.end()
  /// ```
  ///
  /// The thread that injects, reacts or withdraws calls the observer, in the middle of this work. Several threads may
  /// call it at once. It must be short, must not wait for anything of this soup, and must not capture an owning name of
  /// it. It may see a part of the work that is in progress when the observation begins.
  ///
  /// - Returns: the observation. It ends by ``Soup/Observation/end()``, or with the soup.
  /// - Complexity: O(names + reactions). A soup that is not observed pays nothing.
  @discardableResult
  public func observe(_ observer: @escaping @Sendable (Soup.Event) -> Void) -> Soup.Observation {
    let id = Soup.nextObservation()
    whileHeld(core) { SoupContext.of(core).observe(id, observer) }
    return Soup.Observation(id: id, core: SoupHandle(core, owns: false))
  }

  /// Calls `act` at the end of each injection, on its thread, until the observation ends.
  package func observeEnds(_ observation: Soup.Observation, _ act: @escaping @Sendable () -> Void) {
    whileHeld(core) { SoupContext.of(core).observers?.addEnd(observation.id, act) }
  }
}

extension Soup {
  /// An observation that can be ended. It does not own its soup.
  ///
  /// ```swift
  /// let observation = control.observe { event in print(event) }
  /// observation.end()
  /// ```
  public struct Observation: Sendable {
    let id: UInt64
    let core: SoupHandle?

    /// Ends the observation. Other threads may still be sending the observer an event of before.
    ///
    /// - Complexity: O(observers). Does not block.
    public func end() {
      guard let core = core?.core else { return Soup.endObservation(ofAll: id) }
      whileHeld(core) { SoupContext.known(of: core)?.endObservation(id) }
    }
  }
}
