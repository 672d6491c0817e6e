/// The right to complete a request of an agent, once, from anywhere; see ``Agent/request(within:file:line:_:)``.
///
/// A copy is the same right. When the last copy is gone, the caller gets `CallError.neverReplied`.
public struct Completion<Result: Sendable>: Sendable {
  let complete: @Sendable (Result) -> Bool
  let fail: @Sendable (any Error) -> Bool
  let isAwaited: @Sendable () -> Bool

  /// Completes the request.
  ///
  /// - Returns: false if it was completed before, or if its caller has given up.
  /// - Complexity: O(1). Does not block.
  @discardableResult
  public func callAsFunction(_ result: Result) -> Bool { complete(result) }

  /// Completes the request with an error; otherwise as ``callAsFunction(_:)``.
  @discardableResult
  public func fail(_ error: any Error) -> Bool { fail(error) }

  /// Whether a caller still waits. What takes long need not be done for nobody.
  public var isWanted: Bool { isAwaited() }
}
