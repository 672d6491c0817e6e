import CCrucible

/// The result of a call to a fast molecule. Its caller reads it after the signal.
@usableFromInline
struct Answer<Output> {
  /// The error of the body, if the outcome is ``Outcome/failed``: a box that the caller must release. It is not a
  /// reference, so a caller that has a reply has nothing to destroy.
  @usableFromInline var failure: UnsafeMutableRawPointer?
  @usableFromInline var output: Output?

  @inlinable init() {}

  /// Stores the error. Requires: the calling thread has claimed the token and has not signalled yet.
  @usableFromInline
  mutating func fail(_ error: any Error) { failure = Unmanaged.passRetained(Failure(error)).toOpaque() }

  /// Stores the reply. Requires: as for `fail`. An assignment would check for an old reply.
  @inlinable @inline(__always)
  mutating func put(_ output: Output) {
    withUnsafeMutablePointer(to: &self.output) { $0.initialize(to: output) }
  }

  /// Returns the reply, or throws the reason why there is none. The caller must call this once.
  @inlinable
  func get(_ outcome: UInt32) throws(CallError) -> Output {
    guard let output else { throw Self.reason(outcome, failure) }
    return output
  }

  @usableFromInline
  static func reason(_ outcome: UInt32, _ failure: UnsafeMutableRawPointer?) -> CallError {
    guard let failure else { return CallError(outcome: outcome) }
    return .failed(Unmanaged<Failure>.fromOpaque(failure).takeRetainedValue().error)
  }
}

private final class Failure {
  let error: any Error

  init(_ error: any Error) { self.error = error }
}

/// How a call ended. The signaller passes it to the waiter.
@usableFromInline
enum Outcome {
  @inlinable static var replied: UInt32 { 0 }
  @inlinable static var dropped: UInt32 { 1 }
  @inlinable static var destroyed: UInt32 { 2 }
  @inlinable static var failed: UInt32 { 3 }
  @inlinable static var stopped: UInt32 { 4 }
  @inlinable static var cleared: UInt32 { 5 }
  @inlinable static var timedOut: UInt32 { 6 }
  @inlinable static var cancelled: UInt32 { 7 }
  @inlinable static var noMemory: UInt32 { 8 }
  /// The loop of the reaction dropped the body.
  static var loopGone: UInt32 { 9 }

  /// The outcome of a call that a soup has refused.
  static func of(_ refusal: crucible_status) -> UInt32 {
    switch refusal {
    case CRUCIBLE_NOT_RUNNING: stopped
    case CRUCIBLE_GONE_SOUP: destroyed
    case CRUCIBLE_NO_MEMORY: noMemory
    default: dropped
    }
  }

  /// The outcome of a call whose last copy this thread destroys. It tells why the value that holds the copy goes.
  static var ofDrop: UInt32 {
    switch crucible_thread_destroys() {
    case CRUCIBLE_DISCARDED, CRUCIBLE_WITHDRAWN: dropped
    case let reason: of(reason)
    }
  }

  /// The outcome of a call that the core destroyed.
  static func of(_ reason: crucible_reason) -> UInt32 {
    switch reason {
    case CRUCIBLE_CLEARED: cleared
    case CRUCIBLE_STOPPED_SOUP: stopped
    case CRUCIBLE_DISCARDED: loopGone
    default: destroyed  // or withdrawn: then its outcome was decided before
    }
  }
}
