public import Crucible
import Synchronization

/// A fast molecule of a shared soup, for code outside of its definition.
///
/// ```swift
/// let money = try await shop.price(item, within: .seconds(2))   // the reply, or exactly one error
/// ```
///
/// A call ends with its reply, or with exactly one `CallError`. A caller that gives up takes its molecule back if it
/// waits. If a body has it, the reply goes to nobody (``SharedCall/reply(_:otherwise:)``). `CallError.failed` has a
/// ``RemoteError`` from a body, or an ``EngineError``. If the caller's process ends, its molecule stays until its limit
/// is over, and without a limit until a worker has run it.
public struct SharedFastInjector<Input: Codable & Sendable, Output: Codable & Sendable>: Sendable {
  let link: Link
  let index: Int
  private let rules: NameRules<Input>

  init(_ name: InnerFastInjector<Input, Output>, _ link: Link) {
    self.link = link
    index = name.index
    rules = name.rules
  }

  /// Injects the molecule, and suspends the task until there is a reply.
  ///
  /// - Throws: `CallError`. After `.failed` with an ``EngineError``, the engine may have the molecule until the
  ///   next step of this process takes it back.
  /// - Complexity: three steps of the engine, one of them the body's acknowledgement.
  public func callAsFunction(_ input: Input, within limit: Duration? = nil) async throws(CallError) -> Output {
    let deadline = limit.map { MachineClock.monotonic.now.adding($0.nanoseconds) }
    if Task.isCancelled { throw .cancelled }
    let call = link.replies.newCall()
    let outcome: Replies.End
    do {
      try await link.injections.inject([injection(of: input, call.id, limit)])
      outcome = await link.replies.wait(for: call, until: deadline)
    } catch {
      link.replies.giveUp(call, after: error)
      throw CallError(ofEngine: error)
    }
    return try decode(outcome)
  }

  /// Injects the molecule, and blocks the thread until there is a reply.
  ///
  /// ```swift
  /// let money = try shop.price.blocking(item, within: .seconds(2))
  /// ```
  ///
  /// - Throws: as for a call that suspends.
  /// - Complexity: as for a call that suspends. Blocks until then.
  @available(*, noasync, message: "await the call instead of blocking a thread of Swift concurrency")
  public func blocking(_ input: Input, within limit: Duration? = nil) throws(CallError) -> Output {
    let deadline = limit.map { MachineClock.monotonic.now.adding($0.nanoseconds) }
    let call = link.replies.newCall()
    let outcome: Replies.End
    do {
      _ = try link.inject([injection(of: input, call.id, limit)])
      outcome = link.replies.block(for: call, until: deadline)
    } catch {
      link.replies.giveUp(call, after: error)
      throw CallError(ofEngine: error)
    }
    return try decode(outcome)
  }

  private func injection(of input: Input, _ call: ClientID, _ limit: Duration?) throws -> Injection {
    var injection = try rules.injection(of: input, as: link.names[index], .zero)
    injection.call = call
    // The engine ends the call of a process that has died.
    injection.lifetime = limit.map { max(1, $0.nanoseconds) }
    return injection
  }

  private func decode(_ end: Replies.End) throws(CallError) -> Output {
    switch end {
    case .outcome(.replied(let value)):
      do { return try Coding.decode(Output.self, value) } catch { throw .failed(error) }
    case .outcome(.failed(let error)): throw .failed(RemoteError(description: error))
    case .outcome(.neverReplied): throw .neverReplied
    case .outcome(.stopped): throw .stopped
    case .outcome(.timedOut), .timedOut: throw .timedOut
    case .cancelled: throw .cancelled
    case .failed(let error): throw CallError(ofEngine: error)
    }
  }
}

extension SharedFastInjector where Input == Nothing {
  /// Injects a molecule without a value, and suspends the task until there is a reply.
  public func callAsFunction(within limit: Duration? = nil) async throws(CallError) -> Output {
    try await self(Nothing(), within: limit)
  }
}

extension CallError {
  init(ofEngine error: any Error) {
    switch (error as? EngineError)?.kind {
    case .stopped?: self = .stopped
    case .destroyed?: self = .gone
    default: self = .failed(error)
    }
  }
}
