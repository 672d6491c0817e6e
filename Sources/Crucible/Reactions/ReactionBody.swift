import CCrucible
import CTask
import Synchronization

/// The body of one reaction as the core calls it, with its inputs in the order of the pattern.
///
/// Most reactions need only these members. `Details` has the others: for failures, observers, counts, selects, and
/// bodies that run elsewhere. They are made at their first use.
@usableFromInline
final class ReactionBody: @unchecked Sendable {
  /// The body itself is the first parameter, so the core's two arguments are in place already.
  @usableFromInline typealias Run = @Sendable (ReactionBody, UnsafePointer<UnsafeMutableRawPointer>) -> Void
  typealias Load = @Sendable (UnsafePointer<UnsafeMutableRawPointer>) -> TakenBody

  /// First in the object, where `crucible_task_run` finds it. Changes only before the first firing and after the last.
  @exclusivity(unchecked) private(set) var closure: Closure
  let core: OpaquePointer
  let index: Int
  /// The details, owned. Nil if they are not made yet. It changes once.
  private let made: Atomic<UnsafeRawPointer?>

  init(
    _ run: __owned @escaping Run, _ load: Load?, over names: UnsafeBufferPointer<OpaquePointer>, on station: Station?,
    _ recovery: Recovery, in core: OpaquePointer, _ index: Int
  ) {
    closure = Closure(run)
    self.core = core
    self.index = index
    if station == nil && recovery.limit == 0 {
      made = Atomic(nil)
    } else {
      Origin.hooks
      let carriesValues = names.contains { isConsumed($0) && crucible_name_has_payload($0) }
      let takesCalls = load != nil && names.contains { crucible_name_kind($0) == CRUCIBLE_FAST }
      made = Atomic(Details(load, recovery, carriesValues, takesCalls, on: station).retained)
    }
    #if !CRUCIBLE_PUBLIC_RUNTIME
      assert(isFoundByTheCore)
    #endif
  }

  /// Makes a body that replaces that of `reaction` in calls. It has no details of its own, except for the station.
  private init(insteadOf reaction: ReactionBody, _ run: __owned @escaping Run) {
    closure = Closure(run)
    core = reaction.core
    index = reaction.index
    made = Atomic(reaction.station.map { Details(nil, .report, false, false, on: $0).retained })
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
    let mine = Details(nil, .report, carriesValues, false, on: nil).retained
    crucible_soup_end_keeping(core, index)
    let (isMine, other) = made.compareExchange(expected: nil, desired: mine, ordering: .acquiringAndReleasing)
    if !isMine { Unmanaged<Details>.fromOpaque(mine).release() }
    return Unmanaged<Details>.fromOpaque(isMine ? mine : other!).takeUnretainedValue()
  }

  private final class Details {
    let load: Load?
    let station: Station?
    let recovery: Recovery
    let carriesValues: Bool
    let takesCalls: Bool
    let failed = Atomic<Int>(0)
    let errors = Atomic<Int>(0)
    let retries = Atomic<Int>(0)
    let firings = Atomic<Int>(0)
    let selects = Atomic<Bool>(false)
    @exclusivity(unchecked) var origins: [Int] = []
    // Written under the lock of the soup's context.
    var watched: ReactionBody?

    init(_ load: Load?, _ recovery: Recovery, _ carriesValues: Bool, _ takesCalls: Bool, on station: Station?) {
      self.load = load
      self.station = station
      self.recovery = recovery
      self.carriesValues = carriesValues
      self.takesCalls = takesCalls
    }

    var retained: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passRetained(self).toOpaque()) }
  }

  /// The station that runs it. Nil if the core places it.
  var station: Station? { known?.station }
  /// The station, and whether the body is `async`. Requires: a station runs it.
  var placed: (at: Station, isAsync: Bool) { known.map { ($0.station!, $0.load != nil) }! }
  /// Moves the molecules out for an `async` body. Such a body has no `run`.
  var load: Load? { known?.load }
  var recovery: Recovery { known?.recovery ?? .report }
  /// Whether any of the names carries a value. Such a value counts its own retries.
  var carriesValues: Bool { details.carriesValues }
  var takesCalls: Bool { known?.takesCalls ?? false }
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

  /// Finds the inputs that have origins. Requires: the definition ends, so all reactions are declared.
  func findOrigins() {
    let inputs = inputsOfReaction(index, in: core)
    let found = inputs.indices.filter { crucible_name_has_origins(inputs[$0]) }
    if found.isEmpty { return }
    details.origins = found
    if endsOrigins && !isAsync { crucible_soup_run_in_context(core, index) }
  }

  var context: SoupContext? { SoupContext.known(of: core) }
  var observers: Observers? { context?.observers }
  var isAsync: Bool { known?.load != nil }

  /// The names that it consumes, read from the core, because they are needed only when a body has failed.
  var consumed: [OpaquePointer] { inputsOfReaction(index, in: core).filter { isConsumed($0) } }

  func consumes(_ name: OpaquePointer) -> Bool { inputsOfReaction(index, in: core).contains(name) }

  /// Returns a reaction that has been declared. The core keeps it as long as the contents live.
  static func of(_ index: Int, in core: OpaquePointer) -> ReactionBody {
    of(crucible_soup_reaction_owned(core, index)).takeUnretainedValue()
  }

  static func all(in core: OpaquePointer) -> [ReactionBody] {
    (0..<crucible_soup_reaction_count(core)).map { of($0, in: core) }
  }

  static func of(_ context: UnsafeMutableRawPointer?) -> Unmanaged<ReactionBody> {
    Unmanaged<ReactionBody>.fromOpaque(context!)
  }

  /// The body that runs in place of this one while it is observed or counted, or serves selects. It is made at its
  /// first use, under a lock, and kept.
  var watched: ReactionBody {
    let details = details
    if let watched = details.watched { return watched }
    let made = ReactionBody(insteadOf: self) { [unowned self] _, inputs in runWatched(inputs) }
    details.watched = made
    return made
  }

  /// Whether a name of its pattern has been in a select. An `async` body reads it after its molecules are taken: the
  /// branch among them was stored after this flag was set.
  var selects: Bool { known?.selects.load(ordering: .relaxed) ?? false }
  func beginSelecting() -> Bool { details.selects.exchange(true, ordering: .relaxed) }

  var firings: Int { known?.firings.load(ordering: .relaxed) ?? 0 }

  func countFiring() { if context?.isCounting == true { details.firings.wrappingAdd(1, ordering: .relaxed) } }

  private func runWatched(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    if selects && !crucible_firing_select(inputs) { return }
    countFiring()
    guard let observers else { return body(Unmanaged.passUnretained(self).toOpaque(), inputs) }
    let key = observers.key(of: index, inputs)
    let begin = observers.tellBegin(of: index, key)
    var observed = Observed(reaction: ObjectIdentifier(self), key: key, begin: begin)
    withUnsafeMutablePointer(to: &observed) { observed in
      let outer = crucible_task_current_thread().pointee.observed
      crucible_task_current_thread().pointee.observed = UnsafeMutableRawPointer(observed)
      body(Unmanaged.passUnretained(self).toOpaque(), inputs)
      crucible_task_current_thread().pointee.observed = outer
    }
    if !observed.hasThrown { observers.tellEnd(of: index, nil, key, since: begin) }
  }

  private struct Observed {
    let reaction: ObjectIdentifier
    let key: (any Hashable & Sendable)?
    let begin: UInt64
    var hasThrown = false
  }

  /// Tells observers the error of the synchronous body that this thread runs. It may have begun before they observed.
  func tellError(_ error: any Error) {
    let innermost = crucible_task_current_thread().pointee.observed?.assumingMemoryBound(to: Observed.self)
    let observed = innermost?.pointee.reaction == ObjectIdentifier(self) ? innermost : nil
    observed?.pointee.hasThrown = true
    observers?.tellEnd(of: index, error, observed?.pointee.key, since: observed?.pointee.begin ?? 0)
  }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in of(context).release() }

  /// Releases the captured values at the end of a soup whose memory keeps this reaction for the next soup.
  static let empty: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in
    of(context)._withUnsafeGuaranteedRef { $0.closure.end() }
  }

  /// Fills the reaction in the definition of the next soup. Requires: only that definition refers to it.
  static func fill(_ kept: UnsafeMutableRawPointer, _ run: __owned @escaping Run) -> Int {
    let closure = Closure(run)
    return of(kept)._withUnsafeGuaranteedRef { reaction in
      assert(reaction.closure.isEmpty)
      reaction.closure = closure
      return reaction.index
    }
  }
}
