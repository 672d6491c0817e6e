import Synchronization

/// Lets a few test cases run at a time, in the order in which they ask.
///
/// The test library starts all cases at once. Each of them then waits for a thread of Swift concurrency behind all
/// others, at every suspension, so that on a busy machine each takes as long as the whole run, and passes its deadline.
/// Those that look again and again, yielding in between, burn most of the processors' time.
public final class Turns: Sendable {
  /// The turns of all test cases of a process.
  public static let ofCases = Turns(Run.casesAtOnce)

  private struct State {
    var free: Int
    var waiting: [UnsafeContinuation<Void, Never>] = []
  }
  private let state: Mutex<State>

  public init(_ count: Int) { state = Mutex(State(free: count)) }

  /// Runs `body` in a turn of its own. Requires: the caller has none, lest as many callers as turns wait for ever.
  public func take<Result>(_ body: () async throws -> Result) async rethrows -> Result {
    await withUnsafeContinuation { continuation in
      if begin(continuation) { continuation.resume() }
    }
    defer { end() }
    return try await body()
  }

  private func begin(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
    state.withLock { state in
      if state.free == 0 {
        state.waiting.append(continuation)
        return false
      }
      state.free -= 1
      return true
    }
  }

  /// Hands the turn to the caller that has waited longest.
  private func end() {
    let next: UnsafeContinuation<Void, Never>? = state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
