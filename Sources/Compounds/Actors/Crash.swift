/// A message that has thrown. Its object has been made anew, or is about to be.
///
/// ```swift
/// let pool = AgentPool(members: 4, onCrash: { crash in
///   if crash.attempts < 3 { crash.resend() } else { throw crash.error }      // a throw reports it to `onError`
/// }) { Parser() }
/// ```
public struct Crash: Sendable {
  /// The error that the message has thrown.
  public let error: any Error
  /// The number of times that the message has run.
  public let attempts: Int
  let again: @Sendable () -> Bool

  /// Sends the message once more, behind the messages that wait. A message that was broadcast to a pool goes back to
  /// the member that crashed by it.
  ///
  /// - Returns: false if the agent or the pool has been stopped.
  /// - Complexity: O(1). Does not block.
  @discardableResult
  public func resend() -> Bool { again() }

  /// Decides about a message that has thrown.
  ///
  /// The `onError` of the options gets an error that the closure throws. Without a closure, it gets the message's
  /// error.
  public typealias Policy = @Sendable (Crash) throws -> Void
}
