import Synchronization

/// The injections of this process into one soup. Those that wait at the same time go into the engine in one step,
/// because the wait for the disk is what a step costs.
///
/// The tasks share the outcome of their step: the engine has all of it, or nothing. So one error may reach several.
final class Injections: Sendable {
  /// Bounds the time for which no other process can write.
  private static let most = 1000

  private struct Waiting {
    let injections: [Injection]
    let continuation: CheckedContinuation<Void, any Error>
  }
  private struct State {
    var waiting: [Waiting] = []
    var isServed = false
  }

  private let engine: Engine
  private let soup: Int64
  private let replies: Replies
  private let state = Mutex(State())

  init(_ engine: Engine, _ soup: Int64, _ replies: Replies) {
    (self.engine, self.soup, self.replies) = (engine, soup, replies)
  }

  /// Injects, and returns when the engine has all of it.
  func inject(_ injections: [Injection]) async throws {
    try await withCheckedThrowingContinuation { continuation in
      let mustServe = state.withLock { state in
        state.waiting.append(Waiting(injections: injections, continuation: continuation))
        defer { state.isServed = true }
        return !state.isServed
      }
      if mustServe { engine.begin { _ in self.serve() } }
    }
  }

  /// Takes one step. What waits by then gets another turn of the engine's thread, so that its other users get theirs.
  private func serve() {
    let step: [Waiting] = state.withLock { state in
      var count = 0
      let most = state.waiting.firstIndex { waiting in
        count += waiting.injections.count
        return count > Injections.most
      }
      // One that is larger goes alone.
      let step = Array(state.waiting.prefix(most.map { max(1, $0) } ?? state.waiting.count))
      state.waiting.removeFirst(step.count)
      if step.isEmpty { state.isServed = false }
      return step
    }
    if step.isEmpty { return }
    let result = Result {
      _ = try replies.forgetting { calls in
        try engine.store.inject(step.flatMap(\.injections), into: soup, nil, forgetting: calls)
      }
    }
    for waiting in step { waiting.continuation.resume(with: result) }
    engine.begin { _ in self.serve() }
  }
}
