import Crucible

/// The two ways to make a fast call.
public enum CallForm: Sendable, CaseIterable {
  /// From a task, which suspends.
  case suspending
  /// From a thread of its own, which blocks.
  case blocking
}

extension CallForm {
  /// Calls `suspending` in this task, or `blocking` on a thread of its own.
  public func perform<Result: Sendable>(
    _ suspending: () async throws -> Result, blocking: @escaping @Sendable () throws -> Result
  ) async throws -> Result {
    switch self {
    case .suspending: try await suspending()
    case .blocking: try await onThread(blocking)
    }
  }
}

extension FastInjector {
  /// How a call ends.
  public func outcome(
    _ input: Input, within limit: Duration? = nil, _ form: CallForm = .suspending
  ) async -> Result<Output, CallError> {
    switch form {
    case .suspending: await suspendingOutcome(input, within: limit)
    case .blocking: try! await onThread { blockingOutcome(input, within: limit) }
    }
  }

  /// How a call from this thread ends.
  @available(*, noasync)
  public func blockingOutcome(_ input: Input, within limit: Duration?) -> Result<Output, CallError> {
    Result { () throws(CallError) in
      if let limit { return try blocking(input, within: limit) }
      return try blocking(input)
    }
  }

  private func suspendingOutcome(_ input: Input, within limit: Duration?) async -> Result<Output, CallError> {
    do throws(CallError) {
      if let limit { return .success(try await self(input, within: limit)) }
      return .success(try await self(input))
    } catch {
      return .failure(error)
    }
  }
}

extension Result where Failure == CallError {
  /// Returns the reply of a call; nil if the call has timed out. Throws any other error.
  @discardableResult
  public func inTime() throws(CallError) -> Success? {
    if case .failure(.timedOut) = self { return nil }
    return try get()
  }
}

extension FastInjector where Input == Void {
  /// How a call ends.
  public func outcome(
    within limit: Duration? = nil, _ form: CallForm = .suspending
  ) async -> Result<Output, CallError> {
    await outcome((), within: limit, form)
  }
}
