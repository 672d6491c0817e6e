import CCrucible
import CTask
import Synchronization

/// The body of one reaction as the core calls it, with its inputs in the order of the pattern.
///
/// Most reactions need only these members. `Details` has the others: for failures, observers, counts, selects, and
/// bodies that run elsewhere. They are made at their first use.
@usableFromInline
final class ReactionBody: @unchecked Sendable {
  /// The body itself is the first parameter, so the core's two arguments are already in the place of this closure's
  /// arguments.
  @usableFromInline typealias Run = @Sendable (ReactionBody, UnsafePointer<UnsafeMutableRawPointer>) -> Void
  /// Moves the molecules of an `async` body out.
  typealias Load = @Sendable (UnsafePointer<UnsafeMutableRawPointer>) -> TakenBody

  /// First in the object, where `crucible_task_run` finds it. It changes only in a definition (`fill`) and after the
  /// last firing (`empty`).
  @exclusivity(unchecked) private(set) var closure: Closure
  /// The station that runs it. Nil if the core places it.
  let station: Station?
  let core: OpaquePointer
  let index: Int
  /// The details, owned. Nil if they are not made yet. It changes once.
  private let made: Atomic<UnsafeRawPointer?>

  init(
    _ run: __owned @escaping Run, _ load: Load?, over names: UnsafeBufferPointer<OpaquePointer>, on station: Station?,
    _ recovery: Recovery, in core: OpaquePointer, _ index: Int
  ) {
    closure = Closure(run)
    self.station = station
    self.core = core
    self.index = index
    if station == nil && recovery.limit == 0 {
      made = Atomic(nil)
    } else {
      Origin.hooks
      let carriesValues = names.contains { isConsumed($0) && crucible_name_has_payload($0) }
      made = Atomic(Details(load, recovery, carriesValues).retained)
    }
    #if !CRUCIBLE_PUBLIC_RUNTIME
      assert(isFoundByTheCore)
    #endif
  }

  /// Makes a body that replaces that of `reaction` in calls. Only `reaction` has details.
  fileprivate init(insteadOf reaction: ReactionBody, _ run: __owned @escaping Run) {
    closure = Closure(run)
    station = reaction.station
    core = reaction.core
    index = reaction.index
    made = Atomic(nil)
  }

  deinit {
    closure.end()
    if let made = made.load(ordering: .acquiring) { Unmanaged<Details>.fromOpaque(made).release() }
  }

  /// The details, if anything has needed them.
  private var known: Details? {
    made.load(ordering: .acquiring).map { Unmanaged<Details>.fromOpaque($0).takeUnretainedValue() }
  }

  private var details: Details {
    if let known { return known }
    let carriesValues = consumed.contains { crucible_name_has_payload($0) }
    let mine = Details(nil, .report, carriesValues).retained
    crucible_soup_end_keeping(core, index)
    let (isMine, other) = made.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    if !isMine { Unmanaged<Details>.fromOpaque(mine).release() }
    return Unmanaged<Details>.fromOpaque(isMine ? mine : other!).takeUnretainedValue()
  }

  private final class Details {
    let load: Load?
    let recovery: Recovery
    let carriesValues: Bool
    let failed = Atomic<Int>(0)
    let errors = Atomic<Int>(0)
    let retries = Atomic<Int>(0)
    let firings = Atomic<Int>(0)
    let selects = Atomic<Bool>(false)
    @exclusivity(unchecked) var origins: [Int] = []
    // Written under the lock of the soup's context.
    var observed, counted, selecting: ReactionBody?

    init(_ load: Load?, _ recovery: Recovery, _ carriesValues: Bool) {
      self.load = load
      self.recovery = recovery
      self.carriesValues = carriesValues
    }

    var retained: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passRetained(self).toOpaque()) }
  }

  /// Moves the molecules out for an `async` body. Such a body has no `run`.
  var load: Load? { known?.load }
  var recovery: Recovery { known?.recovery ?? .report }
  /// Whether any of the names carries a value. Such a value counts its own retries.
  var carriesValues: Bool { details.carriesValues }
  /// The number of times that the body threw, and the number of times that its inputs were put back after that.
  var errors: Int { known?.errors.load(ordering: .relaxed) ?? 0 }
  var retries: Int { known?.retries.load(ordering: .acquiring) ?? 0 }
  func countError() { details.errors.add(1, ordering: .relaxed) }
  func countRetry() { details.retries.add(1, ordering: .releasing) }
  /// The number of failures in a row. It is counted only where no value counts its own retries.
  var failures: Int { known?.failed.load(ordering: .relaxed) ?? 0 }
  func countFailure() { details.failed.add(1, ordering: .relaxed) }
  func endFailures() { known?.failed.store(0, ordering: .relaxed) }
  /// The inputs whose molecules have origins. Set when the definition ends, before any firing.
  var origins: [Int] { known?.origins ?? [] }

  /// The context of the soup, if it has one.
  var context: SoupContext? { SoupContext.known(of: core) }
  var observers: Observers? { context?.observers }

  var isAsync: Bool { known?.load != nil }

  /// The names that it consumes. They are read from the core, because they are needed only when a body has failed, or
  /// might have to wait for itself.
  var consumed: [OpaquePointer] {
    (0..<crucible_soup_reaction(core, index).input_count)
      .map { crucible_soup_reaction_input(core, index, $0) }
      .filter { isConsumed($0) }
  }

  func consumes(_ name: OpaquePointer) -> Bool {
    (0..<crucible_soup_reaction(core, index).input_count)
      .contains { crucible_soup_reaction_input(core, index, $0) == name }
  }

  /// Returns a reaction that has been declared. The core keeps it as long as the contents live.
  static func of(_ index: Int, in core: OpaquePointer) -> ReactionBody {
    of(crucible_soup_reaction_owned(core, index)).takeUnretainedValue()
  }

  /// - Complexity: O(reactions), with an allocation.
  static func all(in core: OpaquePointer) -> [ReactionBody] {
    (0..<crucible_soup_reaction_count(core)).map { of($0, in: core) }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Unmanaged<ReactionBody> {
    Unmanaged<ReactionBody>.fromOpaque(context!)
  }

  /// The body that tells observers. It is made at its first use, under a lock, and kept.
  var observed: ReactionBody {
    let details = details
    if let observed = details.observed { return observed }
    let observed = ReactionBody(insteadOf: self) { [unowned self] _, inputs in runObserved(inputs) }
    details.observed = observed
    return observed
  }

  /// The body that counts its firings. It is made and kept like `observed`.
  var counted: ReactionBody {
    let details = details
    if let counted = details.counted { return counted }
    let counted = ReactionBody(insteadOf: self) { [unowned self] _, inputs in
      countFiring()
      body(Unmanaged.passUnretained(self).toOpaque(), inputs)
    }
    details.counted = counted
    return counted
  }

  /// The body that serves selects (`crucible_firing_select`). It is made and kept like `observed`.
  var selecting: ReactionBody {
    let details = details
    if let selecting = details.selecting { return selecting }
    let selecting = ReactionBody(insteadOf: self) { [unowned self] _, inputs in runSelected(inputs) }
    details.selecting = selecting
    return selecting
  }

  /// Whether a name of its pattern has been in a select. An `async` body reads it after its molecules are taken: the
  /// branch among them was stored after this flag was set.
  var selects: Bool { known?.selects.load(ordering: .relaxed) ?? false }
  /// Sets `selects`, and returns its earlier value.
  func beginSelecting() -> Bool { details.selects.exchange(true, ordering: .relaxed) }

  /// The number of firings while firings were counted.
  var firings: Int { known?.firings.load(ordering: .relaxed) ?? 0 }

  /// Counts a firing, if firings are counted.
  func countFiring() { if context?.isCounting == true { details.firings.wrappingAdd(1, ordering: .relaxed) } }

  private func runSelected(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    if !crucible_firing_select(inputs) { return }
    if observers == nil {
      countFiring()
      body(Unmanaged.passUnretained(self).toOpaque(), inputs)
    } else {
      runObserved(inputs)
    }
  }

  /// Whether its molecules are taken only when a firing begins.
  var takesLate: Bool { station?.isSerial == true && crucible_soup_reaction(core, index).input_count == 1 }

  /// Finds the inputs that have origins. Requires: the definition ends, so all reactions are declared.
  func findOrigins() {
    let found = (0..<crucible_soup_reaction(core, index).input_count)
      .filter { crucible_name_has_origins(crucible_soup_reaction_input(core, index, $0)) }
    if found.isEmpty { return }
    details.origins = found
    if endsOrigins && !isAsync { crucible_soup_set_reaction_body(core, index, body) }
  }

  /// Whether there are origins by which no firing runs, or which may be needed for inputs that are put back.
  var endsOrigins: Bool { origins.count > (station == nil ? 0 : 1) }

  /// Takes the remaining origins of a firing.
  func takeOrigins(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) -> [Int: Origin] {
    var taken: [Int: Origin] = [:]
    for index in origins {
      let place = crucible_input_origin(core, self.index, index, inputs)
      guard let place, let origin = place.pointee else { continue }
      place.pointee = nil
      taken[index] = Origin.take(origin)
    }
    return taken
  }

  /// Ends the remaining origins of a firing.
  func endOrigins(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    for origin in takeOrigins(inputs).values { origin.end() }
  }

  /// The function that the core calls.
  var body: crucible_body {
    if endsOrigins { return ReactionBody.callAndEndOrigins }
    return recovery.limit > 0 && !carriesValues ? ReactionBody.callAndCount : ReactionBody.call
  }

  private static let callAndEndOrigins: crucible_body = { context, inputs in
    ReactionBody.callAndCount(context, inputs)
    of(context)._withUnsafeGuaranteedRef { $0.endOrigins(inputs) }
  }

  /// Calls the body of a reaction that counts its failures in a row.
  static let callAndCount: crucible_body = { context, inputs in
    of(context)._withUnsafeGuaranteedRef { reaction in
      let before = reaction.failures
      call(context, inputs)
      if before != 0 && reaction.failures == before { reaction.endFailures() }
    }
  }

  private func runObserved(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    let observers = observers
    countFiring()
    observers?.tellBegin(of: index)
    let before = crucible_task_current_thread().pointee.threw
    crucible_task_current_thread().pointee.threw = false
    body(Unmanaged.passUnretained(self).toOpaque(), inputs)
    if !crucible_task_current_thread().pointee.threw { observers?.tellEnd(of: index, nil) }
    crucible_task_current_thread().pointee.threw = before
  }

  /// Tells observers the error of the synchronous body that this thread runs.
  func tellError(_ error: any Error) {
    crucible_task_current_thread().pointee.threw = true
    observers?.tellEnd(of: index, error)
  }

  /// Sends a firing to its station.
  static let submit: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer) -> Void = { context, firing in
    let reaction = of(context).takeUnretainedValue()
    let station = reaction.station!
    if reaction.isAsync { station.place(async: firing, of: reaction) } else { station.place(firing, of: reaction) }
  }

  /// Begins a firing on this thread, if the thread belongs to the station. Returns false otherwise.
  static let enter: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer) -> Bool = { context, firing in
    let reaction = of(context).takeUnretainedValue()
    let station = reaction.station!
    if !station.isCurrent { return false }
    if reaction.isAsync { station.enter(async: firing, of: reaction) } else { station.enter(firing) }
    return true
  }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in of(context).release() }

  /// Releases the captured values at the end of a soup, if the soup's memory keeps this reaction for the next soup
  /// there.
  static let empty: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    of(context)._withUnsafeGuaranteedRef { $0.closure.end() }
  }

  /// Fills the reaction in the definition of the next soup. Requires: only that definition refers to it.
  ///
  /// - Returns: the number of the reaction.
  fileprivate static func fill(_ kept: UnsafeMutableRawPointer, _ run: __owned @escaping Run) -> Int {
    let closure = Closure(run)
    return of(kept)._withUnsafeGuaranteedRef { reaction in
      assert(reaction.closure.isEmpty)
      reaction.closure = closure
      return reaction.index
    }
  }

  /// Returns the greatest number of times that any one of the inputs was put back.
  static func attempts(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) -> Int {
    Int(bitPattern: UnsafeRawPointer(inputs).load(fromByteOffset: -8, as: UInt.self))
  }
}

/// Whether reactions consume molecules of the name. Requires: it is neither a state nor a fact.
func isConsumed(_ name: OpaquePointer) -> Bool {
  let kind = crucible_name_kind(name)
  return kind == CRUCIBLE_SLOW || kind == CRUCIBLE_FAST
}

/// A pointer that another thread may use.
struct SendablePointer: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }
}

/// The names of one reaction, in the order of the pattern, on the stack.
@usableFromInline
struct Pattern {
  @usableFromInline typealias Names = (
    OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer, OpaquePointer
  )
  @usableFromInline var names: Names
  @usableFromInline let count: Int

  /// Makes a pattern. Returns nil if an input is more than a name. Ignores missing inputs at the end.
  @inlinable @inline(__always)
  init?(
    _ a: OpaquePointer?, _ b: OpaquePointer?? = .none, _ c: OpaquePointer?? = .none, _ d: OpaquePointer?? = .none,
    _ e: OpaquePointer?? = .none, _ f: OpaquePointer?? = .none
  ) {
    count = f != nil ? 6 : e != nil ? 5 : d != nil ? 4 : c != nil ? 3 : b != nil ? 2 : 1
    guard let a, let b = b ?? a, let c = c ?? a, let d = d ?? a, let e = e ?? a, let f = f ?? a else { return nil }
    names = (a, b, c, d, e, f)
  }
}

extension Placement {
  /// The placement in the core's form; nil for a station. Read in place, because a copy would be retained and released.
  @inline(__always)
  fileprivate var simple: crucible_placement? {
    switch kind {
    case .automatic, .pool: CRUCIBLE_POOL
    case .inline: CRUCIBLE_INLINE
    case .station: nil
    }
  }
}

extension Soup {
  /// Declares a reaction over the names of a pattern; `run` takes its molecules.
  @inlinable @inline(__always)
  func add(
    _ pattern: Pattern, _ placement: Placement?, _ recovery: Recovery, _ source: StaticSource,
    _ run: __owned @escaping ReactionBody.Run
  ) -> Reaction {
    _withUnprotectedUnsafePointer(to: pattern.names) { names in
      names.withMemoryRebound(to: OpaquePointer.self, capacity: 6) { names in
        add(UnsafeBufferPointer(start: names, count: pattern.count), placement, recovery, source, run)
      }
    }
  }

  /// Declares a reaction over `names`.
  @usableFromInline
  func add(
    _ names: [OpaquePointer], _ placement: Placement?, _ recovery: Recovery, _ source: StaticSource,
    _ run: __owned @escaping ReactionBody.Run
  ) -> Reaction {
    names.withUnsafeBufferPointer { add($0, placement, recovery, source, run) }
  }

  @usableFromInline
  func add(
    _ names: UnsafeBufferPointer<OpaquePointer>, _ placement: Placement?, _ recovery: Recovery, _ source: StaticSource,
    _ run: __owned @escaping ReactionBody.Run
  ) -> Reaction {
    if recovery.limit == 0, let kept = declareAgain(names, placement, source) {
      return Reaction(index: ReactionBody.fill(kept, run))
    }
    return declare(names, placement, recovery, source, run)
  }

  /// Declares the body that an earlier soup of this place had at this step, in memory that has held it already. Returns
  /// nil if that body differs.
  @inline(__always)
  private func declareAgain(
    _ names: UnsafeBufferPointer<OpaquePointer>, _ placement: Placement?, _ source: StaticSource
  ) -> UnsafeMutableRawPointer? {
    guard isOpen, let inputs = names.baseAddress, let file = source.fixedFile else { return nil }
    guard let place = placement == nil ? self.placement.simple : placement?.simple else { return nil }
    return crucible_soup_repeat_reaction(
      core, inputs, names.count, place, ReactionBody.empty, file, UInt32(source.line))
  }

  @inline(never)
  private func declare(
    _ names: UnsafeBufferPointer<OpaquePointer>, _ placement: Placement?, _ recovery: Recovery, _ source: StaticSource,
    _ run: __owned @escaping ReactionBody.Run
  ) -> Reaction {
    switch (placement ?? self.placement).kind {
    case .automatic, .pool: add(names, CRUCIBLE_POOL, nil, recovery, source, run, nil)
    case .inline: add(names, CRUCIBLE_INLINE, nil, recovery, source, run, nil)
    case .station(let station): add(names, CRUCIBLE_EXTERNAL, station, recovery, source, run, nil)
    }
  }

  /// Declares a reaction over `names` with an `async` body; `load` takes its molecules.
  func add(
    _ names: [OpaquePointer], _ station: Station, _ recovery: Recovery, _ source: StaticSource,
    _ load: @escaping ReactionBody.Load
  ) -> Reaction {
    names.withUnsafeBufferPointer { add($0, CRUCIBLE_EXTERNAL, station, recovery, source, { _, _ in }, load) }
  }

  private func add(
    _ names: UnsafeBufferPointer<OpaquePointer>, _ placement: crucible_placement, _ station: Station?,
    _ recovery: Recovery, _ source: StaticSource, _ run: __owned @escaping ReactionBody.Run, _ load: ReactionBody.Load?
  ) -> Reaction {
    requireOpen("declaring a reaction", at: source)
    let retries = recovery.limit > 0
    let isPlain = station == nil && !retries
    let index = crucible_soup_reaction_count(core)
    let own = isPlain ? nil : ReactionBody(run, load, over: names, on: station, recovery, in: core, index)
    let context = own.map { Unmanaged.passRetained($0).toOpaque() }
    var culprit: OpaquePointer?
    let status = source.withFile { file in
      var options = crucible_reaction_options(
        inputs: names.baseAddress,
        input_count: names.count, placement: placement,
        body: own?.body ?? ReactionBody.call,
        context: context, release: ReactionBody.release,
        submit: station == nil ? nil : ReactionBody.submit,
        enter: station?.entersAtOnce == true ? ReactionBody.enter : nil, in_order: station?.isSerial == true,
        inherits: station != nil, retries: retries,
        empty: isPlain ? ReactionBody.empty : nil, label: nil, file: file,
        line: UInt32(source.line))
      return crucible_soup_add_reaction(core, &options, &culprit)
    }
    if status != CRUCIBLE_OK { fail(status, culprit: culprit, what: ": reaction (\(source))", at: source) }
    if let station { SoupContext.of(core).add(station) }
    if !isPlain { return Reaction(index: index) }
    if let kept = crucible_soup_reaction_owned(core, index) { return Reaction(index: ReactionBody.fill(kept, run)) }
    let reaction = ReactionBody(run, load, over: names, on: station, recovery, in: core, index)
    crucible_soup_give_reaction_context(core, Unmanaged.passRetained(reaction).toOpaque())
    return Reaction(index: index)
  }
}
