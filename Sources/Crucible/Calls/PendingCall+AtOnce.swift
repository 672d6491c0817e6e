public import CCrucible
import Synchronization

// Calls that are answered at once.
//
// Such a call fires a reaction on its caller's thread, inside the injection. So it is never stored, no thread must
// withdraw it, and the caller cannot give up before the injection has returned. The thread keeps a pair from call to
// call: the caller's record and the record's own token, which refer to each other. So any thread may answer a copy of
// the call from the first moment on. A caller that must wait uses the same record. A record on the stack would have to
// be replaced while a body may answer it.
//
//   ONCE-1  The record's reference to the token moves. The injection moves it to the body with the call. If the body
//       ends inside this injection and keeps no copy, it moves the reference back to `ownToken` (`recycle`). Any other
//       body leaves the token separate, with the token's reference to the record.
//   ONCE-2  If the token is back, the call has ended, no other thread has a part of it, and the thread can use the pair
//       again. If it is not back, the record continues like that of any call whose molecule was consumed.
//   ONCE-3  Only the caller's thread uses `ownToken`, and the waiter names that thread only inside the injection
//       (`crucible_waiter_is_here`). A later body may get the call by `Recovery.retry`, or after a select that was
//       decided otherwise. Then `PendingCall.putBack` has cleared that thread, and the body leaves the token separate.
//
// The pair is a cycle of references. `releaseOwnToken` breaks it.

extension PendingCall {
  /// Returns the pair that this thread has saved, or a new one.
  @inlinable @inline(__always)
  static func takeAtOnce(_ name: OpaquePointer) -> PendingCall {
    guard let saved = crucible_thread_take(CRUCIBLE_FOR_CALL_AT_ONCE) else { return makeAtOnce(name) }
    let pending = Unmanaged<PendingCall>.fromOpaque(saved).takeRetainedValue()
    pending.name = name
    return pending
  }

  @usableFromInline @inline(never)
  static func makeAtOnce(_ name: OpaquePointer) -> PendingCall {
    // The record is one that the thread saves from other calls. A body that keeps its call, or throws, does not leave a
    // pair behind each time. `hasLeftToken` sets the function that withdraws the call.
    let pending = PendingCall.make(name, size: usualSize, alignment: 16) { _, _ in false }
    let token = ReplyToken.make(waiter: pending.waiter, result: pending.result)
    pending.ownToken = Unmanaged.fromOpaque(token)
    pending.ownToken.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      $0.keptCaller.store(Unmanaged.passRetained(pending), ordering: .relaxed)
    }
    return pending
  }

  /// Notes that the token of a call that was consumed at once is not back. Requires: the caller cannot give up yet.
  @usableFromInline
  func hasLeftToken(takeBack: @escaping (OpaquePointer, crucible_ticket) -> Bool) {
    // Not atomic: other threads read it only to withdraw the call, once the caller has given up in `wait`, after this.
    self.takeBack = takeBack
    crucible_waiter_leave(waiter)
  }

  /// Releases the token, if it is back, and the token's reference to this record.
  func releaseOwnToken() {
    guard let token = ownToken?.takeRetainedValue() else { return }
    ownToken = nil
    token.waiter = nil  // no caller waits
  }
}

/// Saves the pair for the next call of this thread. Requires: the token is back.
@usableFromInline
func saveAtOnce(_ pending: consuming PendingCall) {
  guard pending.isReusable.load(ordering: .relaxed) else { return pending.releaseOwnToken() }
  pending.reset()
  pending.ownToken.unsafelyUnwrapped._withUnsafeGuaranteedRef {
    $0.stage.store(ReplyToken.open, ordering: .relaxed)
  }
  let saved = Unmanaged.passRetained(consume pending).toOpaque()
  if !crucible_thread_keep(CRUCIBLE_FOR_CALL_AT_ONCE, saved, ReplyToken.release) { ReplyToken.release(saved) }
}

@usableFromInline
func isTaskCancelled() -> Bool { RunningTask.isCancelled }
