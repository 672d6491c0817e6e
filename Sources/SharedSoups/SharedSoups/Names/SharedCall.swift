/// A fast molecule of a shared soup in the hands of a body: the value that the caller sent, and the way to reply.
///
/// ```swift
/// soup.react(take, full) { call, item in
///   call.reply(item, otherwise: { full(item) })
/// }
/// ```
///
/// The engine delivers the reply when it acknowledges the firing. Only then does it decide whether the caller gets it,
/// so a body cannot learn that. If it ends without a reply, the caller gets `CallError.neverReplied`. If it throws, the
/// caller waits for the next attempt, and gets `CallError.failed` with the dead letter.
public struct SharedCall<Input: Codable & Sendable, Output: Codable & Sendable>: Sendable {
  /// The value that the caller sent.
  public let input: Input
  let call: ClientID?
  let recorder: Recorder

  /// Answers the caller. Only the first reply counts.
  ///
  /// - Parameter undo: calls names of the definition. Their molecules are injected if the caller has given up by the
  ///   acknowledgement, because its time was over or its task was cancelled. It runs at once.
  /// - Complexity: O(size of the value). Does not block.
  public func reply(_ output: Output, otherwise undo: () -> Void = {}) {
    let encoded = Result { CallOutcome.replied(try Coding.encode(output)) }
    recorder.reply(to: call, encoded, otherwise: undo)
  }

  /// Ends the call with an error: the caller gets `CallError.failed` with a ``RemoteError``. Only the first answer
  /// counts. The firing is acknowledged like any other.
  ///
  /// ```swift
  /// if let price = list[call.input] { call.reply(price) } else { call.fail(NoSuchItem()) }
  /// ```
  ///
  /// - Complexity: O(1). Does not block.
  public func fail(_ error: any Error, otherwise undo: () -> Void = {}) {
    recorder.reply(to: call, .success(.failed("\(error)")), otherwise: undo)
  }
}

extension SharedCall where Output == Nothing {
  /// Answers the caller.
  public func reply(otherwise undo: () -> Void = {}) { reply(Nothing(), otherwise: undo) }
}

/// An error that a body in another process has thrown. Its type stays there, and its description arrives.
///
/// ```swift
/// do throws(CallError) {
///   print(try await shop.price(item))
/// } catch .failed(let error as RemoteError) {
///   print(error)  // the description of what the body threw
/// }
/// ```
public struct RemoteError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The description of the error.
  public let description: String
}
