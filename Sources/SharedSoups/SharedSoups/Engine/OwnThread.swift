import Glibc

/// Runs the body on a new thread. Threads that wait for long are not taken from Dispatch: it has a limited number of
/// them, and Swift's own pool is made of these.
func onOwnThread(_ body: @escaping @Sendable () -> Void) throws {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  let box = Unmanaged.passRetained(Box(body))
  var thread = pthread_t()
  let error = pthread_create(
    &thread, nil,
    { argument in
      pthread_detach(pthread_self())
      Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue().body()
      return nil
    }, box.toOpaque())
  if error == 0 { return }
  box.release()
  throw EngineError("starting a thread", errno: error)
}

/// Runs the body on a new thread, and suspends until it returns.
func awaitOwnThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    do {
      try onOwnThread { continuation.resume(with: Swift.Result { try body() }) }
    } catch {
      continuation.resume(throwing: error)
    }
  }
}
