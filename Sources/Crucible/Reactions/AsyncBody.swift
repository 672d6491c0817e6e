import CCrucible

/// The molecules that an `async` body has consumed, and the functions that use them.
struct TakenBody {
  /// The body. It runs on its caller's executor, unless its own isolation requires another.
  let run: nonisolated(nonsending) @Sendable () async throws -> Void
  /// Returns the inputs after the body threw. After it has returned, notes the calls that are in hand.
  let inputs: (_ hasThrown: Bool) -> [AnyObject]
}

extension ReactionBody {
  /// Runs the body of a firing, and ends the firing. Must run in the firing's own task.
  nonisolated(nonsending) func perform(_ firing: OpaquePointer) async {
    if station!.hasDropped() { return discard(firing) }
    await consume(firing)
    crucible_firing_end(firing)
  }

  /// A separate function: after it has returned, all values that the body consumed are destroyed, and each caller
  /// without a reply has been signalled. Only then are the states returned.
  @inline(never)
  private nonisolated(nonsending) func consume(_ firing: OpaquePointer) async {
    let (taken, attempts, inputs, key) = begin(firing)
    guard let taken else { return }  // another branch of a select won
    defer { if endsOrigins { endOrigins(inputs) } }
    let before = failures
    countFiring()
    let begun = observers?.tellBegin(of: index, key) ?? 0
    do {
      try await taken.run()
      if takesCalls { _ = taken.inputs(false) }
      observers?.tellEnd(of: index, nil, key, since: begun)
      if before != 0 && !carriesValues && failures == before { endFailures() }
    } catch {
      observers?.tellEnd(of: index, error, key, since: begun)
      fail(error, attempts: attempts, taken.inputs(true), inputs)
    }
  }

  /// Begins the firing. The inputs stay until the firing ends. Nil: it does not take place, and they are gone.
  private func begin(
    _ firing: OpaquePointer
  ) -> (
    TakenBody?, attempts: Int, inputs: UnsafePointer<UnsafeMutableRawPointer>, key: (any Hashable & Sendable)?
  ) {
    var result: Begun = (self, nil, 0, nil, nil)
    withUnsafeMutablePointer(to: &result) { result in
      crucible_firing_begin(
        firing,
        { context, inputs in
          let result = context!.assumingMemoryBound(to: Begun.self)
          let reaction = result.pointee.reaction
          result.pointee.inputs = inputs
          result.pointee.attempts = ReactionBody.attempts(inputs)
          if reaction.selects && !crucible_firing_select(inputs) { return }
          result.pointee.key = reaction.observers?.key(of: reaction.index, inputs)
          result.pointee.taken = reaction.load!(inputs)
        }, result, RunningTask.current)
    }
    // Bodies that run when the last owner is released have been cancelled by then.
    if context?.whenUnowned == .cancel && !crucible_soup_is_owned(core) {
      RunningTask.cancel(RunningTask.current!)
    }
    return (result.taken, result.attempts, result.inputs!, result.key)
  }

  private typealias Begun = (
    reaction: ReactionBody, taken: TakenBody?, attempts: Int, inputs: UnsafePointer<UnsafeMutableRawPointer>?,
    key: (any Hashable & Sendable)?
  )

  /// Discards the molecules of a firing whose body must not run.
  func discard(_ firing: OpaquePointer) {
    let observers = self.observers
    observers?.tellConsumed(by: index)
    observers?.tellEnd(of: index, LoopGone())
    report(LoopGone(), [])
    crucible_firing_discard(firing)
  }
}
