import CCrucible

extension Placement {
  /// The placement in the core's form; nil for a station. Read in place, because a copy would be retained and released.
  @inline(__always)
  fileprivate var simple: crucible_placement? {
    switch kind {
    case .automatic: CRUCIBLE_POOL_OR_CALLER
    case .pool: CRUCIBLE_POOL
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

  /// Declares the body that an earlier soup of this place had at this step, in memory that has held it. Nil if that
  /// body differs.
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
    case .automatic:
      Visits.hooks
      return add(names, CRUCIBLE_POOL_OR_CALLER, nil, recovery, source, run, nil)
    case .pool: return add(names, CRUCIBLE_POOL, nil, recovery, source, run, nil)
    case .inline: return add(names, CRUCIBLE_INLINE, nil, recovery, source, run, nil)
    case .station(let station): return add(names, CRUCIBLE_EXTERNAL, station, recovery, source, run, nil)
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
    let visits = station === ConcurrencyStation.shared
    if visits { Visits.hooks }
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
        enter: visits || station?.entersAtOnce == true ? ReactionBody.enter : nil, visits: visits,
        may_lack_origin: load != nil, in_order: station?.isSerial == true, inherits: station != nil, retries: retries,
        empty: isPlain ? ReactionBody.empty : nil, file: file, line: UInt32(source.line))
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
