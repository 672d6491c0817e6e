import CCrucible
import Synchronization

/// The data that the typed interface keeps for a soup while its contents live. It is made with the soup if the options
/// concern more than the core, else when it is first needed: for most soups never.
final class SoupContext: @unchecked Sendable {
  let onError: Soup.ErrorHandler?
  let whenUnowned: Soup.Options.WhenUnowned
  let carriesContext: Bool
  let clock: SoupClock
  /// The numbers of keys, if a controlled run defines the soup.
  let keyNumbers: KeyNumbers?
  let callsInHand = CallsInHand()
  private let madeTimers = AtomicLazyReference<Timers>()
  // Only the defining thread writes these, while it defines the soup, and never inside an access to the same property.
  @exclusivity(unchecked) var core: OpaquePointer!
  @exclusivity(unchecked) private(set) var stations: [Station] = []
  @exclusivity(unchecked) var allowed: AllowedWarnings
  @exclusivity(unchecked) var announcingDrains: [Injector<Void>] = []
  @exclusivity(unchecked) var firstMolecules: FirstMolecules?
  @exclusivity(unchecked) private(set) var meter: Meter?
  private let found = Guarded<[Soup.Warning]>([])
  private let madeObservers = AtomicLazyReference<Observers>()
  private let observing: Guarded<Observing>
  private let isObserved = Atomic<Bool>(false)
  private let areFiringsCounted = Atomic<Bool>(false)

  private struct Observing {
    /// The observers, before the soup has been defined. Later ones are in `madeObservers`.
    var early: [(id: UInt64, tell: Observers.Observer)]?
    /// The number of recordings that count firings.
    var counts = 0
  }

  init(_ options: Soup.Options, isDefining: Bool = true) {
    allowed = AllowedWarnings(everywhere: options.allowing)
    onError = options.onError
    whenUnowned = options.whenUnowned
    carriesContext = options.carriesContext == true
    let run = isDefining ? ControlledThread.currentRun : nil
    clock = SoupClock(options.clock ?? run?.clock)
    keyNumbers = run.map { _ in KeyNumbers() }
    observing = Guarded(Observing(early: options.observer.map { [(Soup.nextObservation(), $0)] } ?? []))
  }

  /// Whether a soup needs one from the beginning.
  static func isNeeded(by options: Soup.Options) -> Bool {
    options.onError != nil || options.observer != nil || options.clock != nil || options.whenUnowned != .finish
      || !options.allowing.isEmpty || options.carriesContext == true
      || Soup.isAnyObservedEverywhere && ControlledThread.currentRun != nil  // the run's clock
  }

  /// Returns the context of a soup, if there is one. Requires: the soup is held.
  static func known(of core: OpaquePointer) -> SoupContext? {
    crucible_soup_context(core).map { Unmanaged<SoupContext>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Returns the context of a soup, or makes it: of several, the core keeps the first. Requires: the soup is held.
  static func of(_ core: OpaquePointer) -> SoupContext {
    if let known = known(of: core) { return known }
    let made = SoupContext(Soup.Options(), isDefining: !crucible_soup_is_frozen(core))
    made.core = core
    let mine = Unmanaged.passRetained(made)
    var isFrozen = false
    let first = crucible_soup_give_context(core, mine.toOpaque(), &isFrozen)
    if first != mine.toOpaque() {
      mine.release()
    } else if isFrozen {
      made.end()  // the definition has not seen it, or ends it too
    }
    return Unmanaged<SoupContext>.fromOpaque(first).takeUnretainedValue()
  }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    let context = Unmanaged<SoupContext>.fromOpaque(context!).takeRetainedValue()
    context.timers?.endAll(isOver: true)
    context.observers?.tell(.gone)
  }

  /// Cancels the tasks of all `async` bodies that run, including those that no other code can see any more.
  static let cancelBodies: @convention(c) (OpaquePointer) -> Void = { core in
    var tasks: [Unmanaged<AnyObject>] = []
    withUnsafeMutablePointer(to: &tasks) { tasks in
      // Kept, because a cancellation runs any code, which must not run while the tasks are listed.
      crucible_soup_visit_tasks(
        core,
        { task, tasks in
          tasks!.assumingMemoryBound(to: [Unmanaged<AnyObject>].self).pointee
            .append(Unmanaged<AnyObject>.fromOpaque(task).retain())
        }, tasks)
    }
    for task in tasks {
      RunningTask.cancel(task.toOpaque())
      task.release()
    }
  }

  static let endInherited: @convention(c) (OpaquePointer) -> Void = { core in
    fatalError(
      """
      Crucible: \(Soup.Definition(core)) belongs to the parent process: after fork a child may use only soups that it \
      made itself
      """)
  }

  func add(_ station: Station) {
    if !stations.contains(where: { $0 === station }) { stations.append(station) }
  }

  /// Prepares the context before the definition ends. Requires: all names and reactions are declared.
  func begin() {
    if !stations.isEmpty || carriesContext {
      for reaction in ReactionBody.all(in: core) { reaction.findOrigins() }
    }
    meter?.begin(core)
    observing.withLock {
      if meter != nil { switchObserving(on: true) }
      addEarly(to: &$0)
    }
    Soup.addObserversOfAll(to: self)
    observers?.tell(.made)
  }

  /// Adds the soup to a controlled run. Requires: the definition ends.
  func join(_ run: any ControlledRun) {
    crucible_soup_set_seed(core, 0)
    crucible_soup_hide(core)  // another thread would hold it for a moment, and perhaps end it
    run.add(Soup.Control(handle: SoupHandle(core, owns: false)))
    observe(Soup.nextObservation()) { [weak run] in run?.note($0) }
  }

  private func addEarly(to observing: inout Observing) {
    guard let early = observing.early else { return }
    observing.early = nil
    for (id, observer) in early { add(id, observer) }
  }

  /// Completes the context after the definition has ended. Calls of most names need no check from now on. Adds the
  /// observers that registered with a context that was made after `begin`.
  func end() {
    observing.withLock { observing in
      addEarly(to: &observing)
      markCalls(isObserved: isObserved.load(ordering: .relaxed))
    }
  }

  /// Searches for warnings when the definition ends. Returns whether there is any finding, allowed or not.
  static func warn(_ core: OpaquePointer, referred: NameSet) -> Bool {
    let allowed = known(of: core)?.allowed ?? AllowedWarnings(everywhere: [])
    var search = WarningSearch(in: core, allowed, referred: referred)
    if !search.findsAny() { return false }
    let warnings = search.found()
    of(core).found.withLock { $0 = warnings }
    for warning in warnings { warning.logOnce() }
    return true
  }

  var warnings: [Soup.Warning] { found.withLock { $0 } }

  /// Marks the names whose calls need a check of the thread's place, its body's states, observers, or the soup's clock.
  private func markCalls(isObserved: Bool) {
    let isSpecial =
      isObserved || clock.alarms != nil || stations.contains { $0.canServe || $0.isSerial } || keepsStatesInTasks
    for name in namesOfSoup(core) where crucible_name_has_callers(name) { crucible_name_set_special(name, isSpecial) }
  }

  /// Whether a body may suspend while it has states. Then it may await a call that only such a body could answer.
  private var keepsStatesInTasks: Bool {
    if stations.isEmpty { return false }
    return (0..<crucible_soup_reaction_count(core)).contains { index in
      crucible_soup_reaction(core, index).placement == CRUCIBLE_EXTERNAL
        && inputsOfReaction(index, in: core).contains { crucible_name_kind($0) == CRUCIBLE_STATE }
    }
  }

  // ---- Timers ----

  var timers: Timers? { madeTimers.load() }

  func timers(of core: OpaquePointer) -> Timers {
    madeTimers.load() ?? madeTimers.storeIfNil(Timers(of: core, clock))
  }

  static func clock(of name: OpaquePointer) -> SoupClock {
    guard crucible_name_is_special(name) else { return .continuous }
    let core: OpaquePointer = crucible_name_soup(name)
    return whileHeld(core) { known(of: core)?.clock } ?? .continuous
  }

  /// Whether nothing is in progress in the soup, and its clock has no pending alarm in the soup.
  static func isQuiet(_ core: OpaquePointer) -> Bool {
    // First: when an alarm that went off is no longer due, it has made the soup pending.
    if whileHeld(core, { known(of: core)?.clock.alarms?.isAnyDue }) == true { return false }
    return crucible_soup_is_quiet(core)
  }

  /// Seals a soup that is stopped (STOP-3). Returns false if it must be quiet once more.
  static func seal(_ core: OpaquePointer) -> Bool { whileHeld(core) { crucible_soup_seal(core) } ?? true }

  // ---- Observers ----

  /// The observers, if there are any. The test before that is one load.
  var observers: Observers? { isObserved.load(ordering: .relaxed) ? madeObservers.load() : nil }

  private var allObservers: Observers {
    madeObservers.load() ?? madeObservers.storeIfNil(Observers(of: core, meter))
  }

  /// Counts what happens to these names, or to all if there are none. Requires: the soup is being defined.
  func measure(_ names: [OpaquePointer], timesBodies: Bool) {
    if meter == nil { meter = Meter() }
    meter!.add(names, timesBodies: timesBodies)
  }

  /// Tells an event to the observers that the soup of `name` has now, if the soup lives. A call may be older than its
  /// observers, and younger than its soup.
  static func tell(
    of name: OpaquePointer, at call: UnsafeRawPointer? = nil, _ event: (Soup.Event.Molecule) -> Soup.Event.Kind
  ) {
    let core: OpaquePointer = crucible_name_soup(name)
    if !crucible_name_is_special(name) { return }
    guard let observers = whileHeld(core, { known(of: core)?.observers }) else { return }
    observers.tell(event(observers.molecule(name)), ofCallAt: UInt(bitPattern: call))
  }

  /// Tells how a call of the name ends.
  static func tell(_ outcome: UInt32, of name: OpaquePointer, at call: UnsafeRawPointer? = nil) {
    tell(of: name, at: call) { molecule in
      switch outcome {
      case Outcome.replied: .replied(molecule)
      case Outcome.timedOut: .timedOut(molecule)
      case Outcome.cancelled: .cancelled(molecule)
      default: .failed(molecule)
      }
    }
  }

  /// Counts a molecule of the name that a firing has taken and puts back, because another branch of its select won.
  static func countTaken(_ name: OpaquePointer) {
    let core: OpaquePointer = crucible_name_soup(name)
    whileHeld(core) { known(of: core)?.meter?.consumed(crucible_name_index(name)) }
  }

  typealias Notify =
    @convention(c) (UnsafeMutableRawPointer?, OpaquePointer, UnsafeRawPointer?, UInt64, crucible_stage) -> Void

  static let notify: Notify = { context, name, value, count, stage in
    let context = Unmanaged<SoupContext>.fromOpaque(context!).takeUnretainedValue()
    guard let observers = context.observers else { return }
    Origin.givingNone {
      switch stage {
      case CRUCIBLE_BEGINS: observers.tellInjected(name, value, Int(count))
      case CRUCIBLE_REFUSED: observers.tell(.refused(observers.molecule(name), count: Int(count)), of: name, value)
      case CRUCIBLE_EXPIRED: observers.tell(.expired(observers.molecule(name)), of: name, value)
      case CRUCIBLE_DISPLACED: observers.tell(.displaced(observers.molecule(name)), of: name, value)
      default: observers.tellInjectionEnded()
      }
    }
  }

  func observe(_ id: UInt64, _ observer: @escaping Observers.Observer) {
    observing.withLock { observing in
      if observing.early != nil { return observing.early!.append((id, observer)) }
      add(id, observer)
    }
  }

  private func add(_ id: UInt64, _ observer: @escaping Observers.Observer) {
    if allObservers.add(id, observer) { switchObserving(on: true) }
  }

  func endObservation(_ id: UInt64) {
    let removed = observing.withLock { observing in
      let early = observing.early?.filter { $0.id == id }.map(\.tell) ?? []
      observing.early?.removeAll { $0.id == id }
      guard let (removed, isLast) = madeObservers.load()?.remove(id) else { return early }
      if isLast && meter == nil { switchObserving(on: false) }
      return early + removed
    }
    withExtendedLifetime(removed) {}  // released without the lock
  }

  private func switchObserving(on: Bool) {
    if on { _ = allObservers }
    isObserved.store(on, ordering: .relaxed)
    markCalls(isObserved: on)
    switchBodies()
    crucible_soup_observe(core, on)
  }

  /// Switches the bodies. Requires: the lock is held.
  private func switchBodies() {
    let areWatched = isObserved.load(ordering: .relaxed) || isCounting
    for reaction in ReactionBody.all(in: core) where !reaction.isAsync {
      let body = areWatched || reaction.selects ? reaction.watched : reaction
      crucible_soup_set_reaction_context(core, reaction.index, Unmanaged.passUnretained(body).toOpaque())
    }
  }

  /// Whether firings are counted. The value changes nothing else, so a stale read is harmless.
  var isCounting: Bool { areFiringsCounted.load(ordering: .relaxed) }

  /// Adds `more` to the number of recordings that count firings.
  func count(_ more: Int) {
    observing.withLock { observing in
      let before = observing.counts
      observing.counts += more
      if (before == 0) == (observing.counts == 0) { return }
      areFiringsCounted.store(observing.counts > 0, ordering: .relaxed)
      switchBodies()
    }
  }

  /// Makes bodies of the reaction check, from now on, whether their firing takes place.
  func beginSelecting(_ reaction: Int) {
    observing.withLock { _ in if !ReactionBody.of(reaction, in: core).beginSelecting() { switchBodies() } }
  }

  /// Returns the place of the calling thread that a call would block, if only reactions there consume `name`.
  func blocked(calling name: OpaquePointer) -> Station? {
    var found: Station?
    for reaction in ReactionBody.all(in: core) where reaction.consumes(name) {
      guard let station = reaction.station, reaction.isAsync, station.isSerial, station.isCurrent else { return nil }
      found = station
    }
    return found
  }
}
