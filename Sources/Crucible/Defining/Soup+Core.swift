import CCrucible
import CTask
import Synchronization

/// The body of one reaction as the core calls it: inputs in the order of the pattern.
@usableFromInline
final class ReactionBody: @unchecked Sendable {
  /// Itself first: so the core's two arguments are this closure's, where they are.
  @usableFromInline typealias Run = @Sendable (ReactionBody, UnsafePointer<UnsafeMutableRawPointer>) -> Void
  /// Moves the molecules of an `async` body out.
  typealias Load = @Sendable (UnsafePointer<UnsafeMutableRawPointer>) -> TakenBody

  let run: Run
  /// Of an `async` body, which has no `run`.
  let load: Load?
  /// Where it runs; nil: the core sees to it.
  let station: Station?
  let core: OpaquePointer
  let index: Int
  /// Lives longer than this is used.
  unowned(unsafe) let context: SoupContext
  let recovery: Recovery
  /// Whether any of them carries a value, which is known to have been put back.
  let carriesValues: Bool
  /// In a row; only counted where no value is known to have been put back.
  private let failed = Atomic<Int>(0)
  /// How often the body threw, and how often its inputs were put back after that.
  let errors = Atomic<Int>(0)
  let retries = Atomic<Int>(0)
  /// The inputs whose molecules have origins. Known when the definition ends, before anything fires.
  @exclusivity(unchecked) private(set) var origins: [Int] = []

  /// Of the reaction that `soup` declares next.
  init(
    _ run: @escaping Run, _ load: Load?, over names: [OpaquePointer], on station: Station?, _ recovery: Recovery,
    in soup: Soup
  ) {
    self.run = run
    self.load = load
    self.station = station
    self.recovery = recovery
    core = soup.core
    index = crucible_soup_reaction_count(soup.core)
    context = soup.context
    if station != nil { Origin.hooks }
    carriesValues = names.contains { crucible_name_kind($0) != CRUCIBLE_STATE && crucible_name_has_payload($0) }
  }

  var isAsync: Bool { load != nil }

  /// The names of the pattern, without states: read from the core, for they are asked for when a body has failed or
  /// might have to wait for itself.
  var consumed: [OpaquePointer] {
    (0..<crucible_soup_reaction(core, index).input_count)
      .map { crucible_soup_reaction_input(core, index, $0) }
      .filter { crucible_name_kind($0) != CRUCIBLE_STATE }
  }

  func consumes(_ name: OpaquePointer) -> Bool {
    (0..<crucible_soup_reaction(core, index).input_count)
      .contains { crucible_soup_reaction_input(core, index, $0) == name }
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Unmanaged<ReactionBody> {
    Unmanaged<ReactionBody>.fromOpaque(context!)
  }

  /// The same as observers see it; made when it is first asked for, under a lock, and kept.
  private(set) lazy var observed = ReactionBody(of: self) { [unowned self] _, inputs in runObserved(inputs) }

  /// The same that counts its firings; made and kept like that.
  private(set) lazy var counted = ReactionBody(of: self) { [unowned self] _, inputs in
    countFiring()
    body(Unmanaged.passUnretained(self).toOpaque(), inputs)
  }
  /// How often it fired while firings were counted.
  let firings = Atomic<Int>(0)

  /// If firings are counted.
  func countFiring() { if context.isCounting { firings.wrappingAdd(1, ordering: .relaxed) } }

  /// The same as selects need it (`crucible_firing_select`); made and kept like that.
  private(set) lazy var selecting = ReactionBody(of: self) { [unowned self] _, inputs in runSelected(inputs) }
  /// Whether a name of its pattern has been in a select. An `async` body reads it once its molecules are taken: the
  /// branch among them was stored after it was set.
  let selects = Atomic<Bool>(false)

  private func runSelected(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    if !crucible_firing_select(inputs) { return }
    if context.observers == nil {
      countFiring()
      body(Unmanaged.passUnretained(self).toOpaque(), inputs)
    } else {
      runObserved(inputs)
    }
  }

  private init(of reaction: ReactionBody, _ run: @escaping Run) {
    self.run = run
    load = nil
    station = reaction.station
    core = reaction.core
    index = reaction.index
    context = reaction.context
    recovery = reaction.recovery
    carriesValues = reaction.carriesValues
    origins = reaction.origins
  }

  /// Whether its molecules are taken when a firing begins.
  var takesLate: Bool { station?.isSerial == true && crucible_soup_reaction(core, index).input_count == 1 }

  /// As the definition ends, with all reactions declared.
  func findOrigins() {
    origins = (0..<crucible_soup_reaction(core, index).input_count)
      .filter { crucible_name_has_origins(crucible_soup_reaction_input(core, index, $0)) }
    if endsOrigins && !isAsync { crucible_soup_set_reaction_body(core, index, body) }
  }

  /// Whether there are origins that no firing runs by, or that may be needed for what is put back.
  var endsOrigins: Bool { origins.count > (station == nil ? 0 : 1) }

  /// Takes the origins of a firing that are left.
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

  /// Ends the origins of a firing that are left.
  func endOrigins(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    for origin in takeOrigins(inputs).values { origin.end() }
  }

  /// What the core calls.
  var body: crucible_body {
    if endsOrigins { return ReactionBody.callAndEndOrigins }
    return recovery.limit > 0 && !carriesValues ? ReactionBody.callAndCount : ReactionBody.call
  }

  private static let callAndEndOrigins: crucible_body = { context, inputs in
    ReactionBody.callAndCount(context, inputs)
    of(context)._withUnsafeGuaranteedRef { $0.endOrigins(inputs) }
  }

  static let call: crucible_body = { context, inputs in of(context)._withUnsafeGuaranteedRef { $0.run($0, inputs) } }

  /// Of a reaction that counts its failures in a row.
  static let callAndCount: crucible_body = { context, inputs in
    of(context)._withUnsafeGuaranteedRef { reaction in
      let before = reaction.failures
      reaction.run(reaction, inputs)
      if before != 0 && reaction.failures == before { reaction.endFailures() }
    }
  }

  private func runObserved(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    let observers = context.observers
    countFiring()
    observers?.tellBegin(of: index)
    let before = crucible_task_current_thread().pointee.threw
    crucible_task_current_thread().pointee.threw = false
    body(Unmanaged.passUnretained(self).toOpaque(), inputs)
    if !crucible_task_current_thread().pointee.threw { observers?.tellEnd(of: index, nil) }
    crucible_task_current_thread().pointee.threw = before
  }

  /// The synchronous body that this thread runs has thrown.
  func tellError(_ error: any Error) {
    crucible_task_current_thread().pointee.threw = true
    context.observers?.tellEnd(of: index, error)
  }

  /// Sends a firing to its station.
  static let submit: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer) -> Void = { context, firing in
    let reaction = of(context).takeUnretainedValue()
    let station = reaction.station!
    if reaction.isAsync { station.place(async: firing, of: reaction) } else { station.place(firing, of: reaction) }
  }

  /// Begins a firing on this thread, if it is the station's. False: it is not.
  static let enter: @convention(c) (UnsafeMutableRawPointer?, OpaquePointer) -> Bool = { context, firing in
    let reaction = of(context).takeUnretainedValue()
    let station = reaction.station!
    if !station.isCurrent { return false }
    if reaction.isAsync { station.enter(async: firing, of: reaction) } else { station.enter(firing) }
    return true
  }

  static let release: @convention(c) (UnsafeMutableRawPointer?) -> Void = { context in of(context).release() }

  /// How often the input that was put back most often was put back.
  static func attempts(_ inputs: UnsafePointer<UnsafeMutableRawPointer>) -> Int {
    Int(bitPattern: UnsafeRawPointer(inputs).load(fromByteOffset: -8, as: UInt.self))
  }

  var failures: Int { failed.load(ordering: .relaxed) }
  func countFailure() { failed.add(1, ordering: .relaxed) }
  func endFailures() { failed.store(0, ordering: .relaxed) }
}

/// A pointer that may go to another thread.
struct SendablePointer: @unchecked Sendable {
  let pointer: OpaquePointer

  init(_ pointer: OpaquePointer) { self.pointer = pointer }
}

extension Soup {
  /// Declares a reaction over `names`; `run` takes its molecules.
  @usableFromInline
  func add(
    _ names: [OpaquePointer], _ placement: Placement?, _ recovery: Recovery, _ source: Source,
    _ run: @escaping ReactionBody.Run
  ) -> Reaction {
    switch (placement ?? context.placement).kind {
    case .pool: add(names, CRUCIBLE_POOL, nil, recovery, source, run, nil)
    case .inline: add(names, CRUCIBLE_INLINE, nil, recovery, source, run, nil)
    case .station(let station): add(names, CRUCIBLE_EXTERNAL, station, recovery, source, run, nil)
    }
  }

  /// Declares a reaction over `names` with an `async` body; `load` takes its molecules.
  func add(
    _ names: [OpaquePointer], _ station: Station, _ recovery: Recovery, _ source: Source,
    _ load: @escaping ReactionBody.Load
  ) -> Reaction {
    add(names, CRUCIBLE_EXTERNAL, station, recovery, source, { _, _ in }, load)
  }

  private func add(
    _ names: [OpaquePointer], _ placement: crucible_placement, _ station: Station?, _ recovery: Recovery,
    _ source: Source, _ run: @escaping ReactionBody.Run, _ load: ReactionBody.Load?
  ) -> Reaction {
    requireOpen("declaring a reaction", at: source)
    let reaction = ReactionBody(run, load, over: names, on: station, recovery, in: self)
    let retries = recovery.limit > 0
    let body = Unmanaged.passRetained(reaction)
    var culprit: OpaquePointer?
    let status = source.withFile { file in
      names.withUnsafeBufferPointer { names in
        var options = crucible_reaction_options(
          inputs: names.baseAddress,
          input_count: names.count, placement: placement,
          body: reaction.body,
          context: body.toOpaque(), release: ReactionBody.release,
          submit: station == nil ? nil : ReactionBody.submit,
          enter: station?.entersAtOnce == true ? ReactionBody.enter : nil, in_order: station?.isSerial == true,
          inherits: station != nil, retries: retries, label: nil, file: file, line: UInt32(source.line))
        return crucible_soup_add_reaction(core, &options, &culprit)
      }
    }
    if status != CRUCIBLE_OK { fail(status, culprit: culprit, what: ": reaction (\(source))", at: source) }
    context.add(reaction)
    return Reaction(index: reaction.index)
  }
}
