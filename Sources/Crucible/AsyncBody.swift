import CCrucible

/// What an `async` body has consumed, and what it does with it.
struct TakenBody {
  /// Runs where its caller does, but for what its own isolation asks.
  let run: nonisolated(nonsending) @Sendable () async throws -> Void
  /// After it has thrown.
  let inputs: () -> [FailedInput]
}

/// The firing that a task runs, if it is the body's own task and not one that inherited the task-local values.
struct AsyncFiring: Sendable {
  @TaskLocal private static var running: AsyncFiring?

  private let firing: UInt
  private let task: Int

  private init(_ firing: OpaquePointer) {
    self.firing = UInt(bitPattern: firing)
    task = Self.thisTask
  }

  private static var thisTask: Int { withUnsafeCurrentTask { $0.hashValue } }

  /// Of the calling task.
  static var current: OpaquePointer? {
    guard let running, running.task == thisTask else { return nil }
    return OpaquePointer(bitPattern: running.firing)
  }

  nonisolated(nonsending) static func run(
    _ firing: OpaquePointer, _ body: nonisolated(nonsending) () async throws -> Void
  ) async throws {
    try await $running.withValue(AsyncFiring(firing)) { try await body() }
  }
}

extension ReactionBody {
  /// Takes the firing's molecules, runs the body, and ends the firing; in the task that is its own.
  nonisolated(nonsending) func perform(_ firing: OpaquePointer) async {
    if station!.hasDropped() { return discard(firing) }
    var (taken, attempts) = take(firing)
    context.observers?.tellBegin(of: index)
    do {
      try await AsyncFiring.run(firing, taken!.run)
      context.observers?.tellEnd(of: index, nil)
    } catch {
      fail(error, attempts: attempts, taken!.inputs())
    }
    taken = nil  // what the body left without a reply is told so before the states are back
    crucible_firing_end(firing)
  }

  private func take(_ firing: OpaquePointer) -> (TakenBody?, attempts: Int) {
    var result: (load: Load, taken: TakenBody?, attempts: Int) = (load!, nil, 0)
    withUnsafeMutablePointer(to: &result) { result in
      crucible_firing_take(
        firing,
        { context, inputs in
          let result = context!.assumingMemoryBound(to: (load: Load, taken: TakenBody?, attempts: Int).self)
          result.pointee.attempts = ReactionBody.attempts(inputs)
          result.pointee.taken = result.pointee.load(inputs)
        }, result)
    }
    return (result.taken, result.attempts)
  }

  /// Instead of running it.
  func discard(_ firing: OpaquePointer) {
    report(LoopGone(), [])
    crucible_firing_discard(firing)
  }
}
