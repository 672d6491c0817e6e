import Synchronization

/// The firing whose body runs in this task.
///
/// ```swift
/// let label = try await carrier.book(order, idempotencyKey: Firing.current.id)
/// ```
///
/// A body that acts on the outside passes the id on, and the receiver ignores what it has seen: then an attempt that
/// was interrupted and its repetition count once.
public struct Firing: Sendable, Hashable {
  /// The firing's name for ever, the same in all its attempts.
  public let id: String
  /// The number of this attempt. The first is 1.
  public let attempt: Int

  /// The firing whose body runs. Requires: a body runs in this task, or in a task of which this one is a child.
  public static var current: Firing {
    guard let recorder = Recorder.current else {
      fatalError("Crucible: Firing.current: no body of a shared soup runs in this task")
    }
    return Firing(id: recorder.firing.id.description, attempt: recorder.firing.attempt)
  }
}

/// Records the outputs and replies of one attempt of a body, until the body ends.
final class Recorder: Sendable {
  @TaskLocal static var current: Recorder?

  let link: Link
  let firing: HeldFiring
  private struct State {
    var isOpen = true
    /// Whether the attempt has failed, or outlived its limit. Then it leaves no outputs.
    var isVoid = false
    var outputs: [Injection] = []
    var replies: [Reply] = []
    var error: (any Error)?
  }
  private let state = Mutex(State())

  init(_ link: Link, _ firing: HeldFiring) {
    self.link = link
    self.firing = firing
  }

  /// Records an output. Returns false if the body has ended well, so that the output would be missed.
  func record(_ injection: Result<Injection, any Error>) -> Bool {
    state.withLock { state in
      if !state.isOpen { return state.isVoid }
      switch injection {
      case .success(let injection): state.outputs.append(injection)
      case .failure(let error): state.error = state.error ?? error
      }
      return true
    }
  }

  /// Records the answer to a call, and what is injected instead of nothing if the caller has given up.
  func reply(to call: ClientID?, _ outcome: Result<CallOutcome, any Error>, otherwise undo: () -> Void) {
    guard let call else { return }
    let isFirst = state.withLock { state in
      state.isOpen && !state.replies.contains { $0.call == call }
    }
    if !isFirst { return }
    // Another recorder takes the outputs of `undo`, so a body's other tasks may record outputs at the same time.
    let other = Recorder(link, firing)
    Recorder.$current.withValue(other) { undo() }
    let undone = other.close()
    state.withLock { state in
      if !state.isOpen || state.replies.contains(where: { $0.call == call }) { return }
      switch (outcome, undone) {
      case (.success(let outcome), .done(let outputs, _)):
        state.replies.append(Reply(call: call, outcome: outcome, otherwise: outputs))
      case (.failure(let error), _): state.error = state.error ?? error
      case (_, .failed(let error, _)): state.error = state.error ?? RemoteError(description: error)
      }
    }
  }

  /// Ends the recording of an attempt that has failed.
  func void() { state.withLock { ($0.isOpen, $0.isVoid) = (false, true) } }

  /// Ends the recording. A call without an answer gets `neverReplied`. If an output cannot be encoded, the body failed.
  func close() -> End {
    state.withLock { state in
      state.isOpen = false
      if let error = state.error { return .failed("\(error)", retryAfter: nil) }
      let answered = Set(state.replies.map(\.call))
      let silent = firing.inputs.compactMap(\.call).filter { !answered.contains($0) }
      return .done(state.outputs, state.replies + silent.map { Reply(call: $0, outcome: .neverReplied) })
    }
  }
}

/// A body took longer than its `within`.
struct BodyTookTooLong: Error, CustomStringConvertible {
  let limit: Duration
  var description: String { "the body took longer than \(limit)" }
}
