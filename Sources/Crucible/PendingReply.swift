import CCrucible

/// What an awaiting caller waits on: it outlives the suspension, and lies at a fixed address for the core.
@usableFromInline
final class PendingReply<Output: Sendable>: @unchecked Sendable {
  let waiter: UnsafeMutablePointer<crucible_waiter>
  let result: UnsafeMutablePointer<Output?>

  init() {
    waiter = .allocate(capacity: 1)
    waiter.initialize(to: crucible_waiter())
    result = .allocate(capacity: 1)
    result.initialize(to: nil)
  }

  deinit {
    waiter.deallocate()
    result.deinitialize(count: 1)
    result.deallocate()
  }

  /// Suspends the task until the waiter is signalled; not at all if it is already.
  func wait() async {
    if crucible_waiter_is_signalled(waiter) { return }
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      // The box is taken by whoever resumes: the signaller, or this very closure if it came first.
      let box = Unmanaged.passRetained(ContinuationBox(continuation))
      waiter.pointee.context = box.toOpaque()
      waiter.pointee.resume = { ContinuationBox.resume($0.pointee.context!) }
      if !crucible_waiter_suspend(waiter) { ContinuationBox.resume(box.toOpaque()) }
    }
  }

  /// The reply, once signalled.
  func take() throws(CallError) -> Output {
    guard let output = result.pointee else { throw CallError(outcome: waiter.pointee.outcome) }
    return output
  }
}

/// A continuation behind a pointer. Not generic, so that a C function can resume it.
private final class ContinuationBox {
  let continuation: UnsafeContinuation<Void, Never>

  init(_ continuation: UnsafeContinuation<Void, Never>) { self.continuation = continuation }

  static func resume(_ box: UnsafeMutableRawPointer) {
    Unmanaged<ContinuationBox>.fromOpaque(box).takeRetainedValue().continuation.resume()
  }
}
