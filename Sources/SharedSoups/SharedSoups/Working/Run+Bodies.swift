import Synchronization

extension Run {
  /// Runs the bodies of the firings in order. The state passes from one to the next, and a body that fails leaves it.
  func execute(_ link: Link) async -> Settlement {
    var ends: [(HeldFiring, End)] = []
    var value: ReactionBody.State?
    var settled = state
    for firing in firings {
      // The engine gives a worker only the reactions that it has declared.
      let body = link.bodies[firing.reaction]!
      let recorder = Recorder(link, firing)
      do {
        if value == nil, let state { value = try body.decode!(state.value) }
        let given = value
        let new = try await limited(by: body.limit) {
          try await Recorder.$current.withValue(recorder) { try await body.run(given, firing.inputs, recorder) }
        }
        let end = recorder.close()
        if case .failed(let error, _) = end { throw RemoteError(description: error) }
        if let new {
          settled!.value = try body.encode!(new)
          value = new
        }
        ends.append((firing, end))
      } catch {
        recorder.void()
        ends.append((firing, .failed("\(error)", retryAfter: body.retry.delay(after: firing.failures + 1))))
      }
    }
    return Settlement(firings: ends, state: settled)
  }
}

/// Runs the operation, and returns when it ends or the limit is over. Then the operation is cancelled, and goes on
/// without effect if it ignores that.
private func limited<Result: Sendable>(
  by limit: Duration?, _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
  guard let limit else { return try await operation() }
  let first = FirstOf<Result>()
  return try await withCheckedThrowingContinuation { continuation in
    first.begin(continuation)
    let work = Task {
      do { first.end(.success(try await operation())) } catch { first.end(.failure(error)) }
    }
    let timer = Task {
      // A timer that is cancelled has come second, or is about to.
      guard (try? await Task.sleep(for: limit)) != nil else { return }
      first.end(.failure(BodyTookTooLong(limit: limit)))
      work.cancel()
    }
    first.whenEnded { timer.cancel() }
  }
}

/// Resumes a continuation with the first of several results.
private final class FirstOf<Result: Sendable>: Sendable {
  private struct State {
    var continuation: CheckedContinuation<Result, any Error>?
    var isOver = false
    var finally: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())

  func begin(_ continuation: CheckedContinuation<Result, any Error>) {
    state.withLock { $0.continuation = continuation }
  }

  func whenEnded(_ finally: @escaping @Sendable () -> Void) {
    let isOver = state.withLock {
      $0.finally = finally
      return $0.isOver
    }
    if isOver { finally() }
  }

  func end(_ result: Swift.Result<Result, any Error>) {
    let (continuation, finally) = state.withLock { state in
      defer { (state.continuation, state.isOver) = (nil, true) }
      return (state.continuation, state.isOver ? nil : state.finally)
    }
    continuation?.resume(with: result)
    finally?()
  }
}
