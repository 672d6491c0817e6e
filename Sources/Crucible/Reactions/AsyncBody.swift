import CCrucible

/// The molecules that an `async` body has consumed, and what it does with them.
struct TakenBody {
  /// Runs where its caller does, but for what its own isolation asks.
  let run: nonisolated(nonsending) @Sendable () async throws -> Void
  /// After it has thrown.
  let inputs: () -> [AnyObject]
}

extension ReactionBody {
  /// Runs the body of a firing, and ends the firing; in the task that is its own.
  nonisolated(nonsending) func perform(_ firing: OpaquePointer) async {
    if station!.hasDropped() { return discard(firing) }
    await consume(firing)
    crucible_firing_end(firing)
  }

  /// A function of its own: when it has returned, nothing of what the body consumed is left, and any caller that it
  /// left without a reply has been told so, before the states are back.
  @inline(never)
  private nonisolated(nonsending) func consume(_ firing: OpaquePointer) async {
    let (taken, attempts, inputs) = begin(firing)
    guard let taken else { return }  // a select was decided otherwise
    defer { if endsOrigins { endOrigins(inputs) } }
    let before = failures
    countFiring()
    observers?.tellBegin(of: index)
    do {
      try await taken.run()
      observers?.tellEnd(of: index, nil)
      if before != 0 && !carriesValues && failures == before { endFailures() }
    } catch {
      observers?.tellEnd(of: index, error)
      fail(error, attempts: attempts, taken.inputs(), inputs)
    }
  }

  /// The inputs stay until the firing ends. Nil: the firing does not take place, and nothing is left of them.
  private func begin(
    _ firing: OpaquePointer
  ) -> (TakenBody?, attempts: Int, inputs: UnsafePointer<UnsafeMutableRawPointer>) {
    var result: Begun = (self, nil, 0, nil)
    withUnsafeMutablePointer(to: &result) { result in
      crucible_firing_begin(
        firing,
        { context, inputs in
          let result = context!.assumingMemoryBound(to: Begun.self)
          let reaction = result.pointee.reaction
          result.pointee.inputs = inputs
          result.pointee.attempts = ReactionBody.attempts(inputs)
          if reaction.selects && !crucible_firing_select(inputs) { return }
          result.pointee.taken = reaction.load!(inputs)
        }, result, RunningTask.current)
    }
    // Bodies that run when the last owner goes have been cancelled then.
    if context?.whenUnowned == .cancel && !crucible_soup_is_owned(core) {
      RunningTask.cancel(RunningTask.current!)
    }
    return (result.taken, result.attempts, result.inputs!)
  }

  private typealias Begun = (
    reaction: ReactionBody, taken: TakenBody?, attempts: Int, inputs: UnsafePointer<UnsafeMutableRawPointer>?
  )

  /// Instead of running it.
  func discard(_ firing: OpaquePointer) {
    let observers = self.observers
    observers?.tellConsumed(by: index)
    observers?.tellEnd(of: index, LoopGone())
    report(LoopGone(), [])
    crucible_firing_discard(firing)
  }
}
