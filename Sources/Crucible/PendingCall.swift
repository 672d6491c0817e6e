import CCrucible
import Synchronization

/// A call whose caller may give up: it lies at a fixed address for the core, and lives as long as anybody may give it up.
///
/// Giving up first withdraws the molecule, if it still waits, and then claims the call, as a reply does: whoever claims it
/// decides how the call ends. So if the withdrawal succeeds nobody can reply any more; and if a reaction has the molecule, either
/// its reply or the giving up is first, and the other is told. The token refers to this, and not the other way round: when
/// the last copy of the call is dropped, the caller is told so.
final class PendingCall<Input: Sendable, Output: Sendable>: Caller, @unchecked Sendable {
  private let name: OpaquePointer
  private let waiter: UnsafeMutablePointer<crucible_waiter>
  private let result: UnsafeMutablePointer<Answer<Output>>
  private var ticket = crucible_ticket()
  private var refusal: CallError?
  /// `injecting`, `waiting`, or the outcome for which it was given up: before there was a ticket, or since.
  private let phase = Atomic<UInt32>(injecting)

  private static var injecting: UInt32 { 1 << 16 }
  private static var waiting: UInt32 { 1 << 17 }

  init(_ name: OpaquePointer) {
    self.name = name
    waiter = .allocate(capacity: 1)
    waiter.initialize(to: crucible_waiter())
    result = .allocate(capacity: 1)
    result.initialize(to: Answer())
  }

  deinit {
    waiter.deallocate()
    result.deinitialize(count: 1)
    result.deallocate()
  }

  /// False: refused; then there is nothing to wait for.
  func inject(_ input: Input) -> Bool {
    let token = ReplyToken.make(waiter: waiter, result: UnsafeMutableRawPointer(result), caller: self)
    if !Payload.inject(Call<Input, Output>(input: input, token: consume token), into: name, times: 0, ticket: &ticket) {
      refusal = .refused(name)
      return false
    }
    // Releases the ticket to whoever gives up; acquires the outcome for which it was given up before there was one.
    let (isFirst, outcome) = phase.compareExchange(
      expected: Self.injecting, desired: Self.waiting, ordering: .acquiringAndReleasing)
    if !isFirst { withdraw(outcome) }
    return true
  }

  /// Injects it again, after the body that had it has thrown. False: refused. One that has been given up stays away.
  func putBack(_ call: Call<Input, Output>, time: Int) -> Bool {
    // Acquires nothing new and releases nothing: it only keeps those who give up away from the ticket.
    if !phase.compareExchange(expected: Self.waiting, desired: Self.injecting, ordering: .acquiringAndReleasing)
      .exchanged
    {
      return true
    }
    let isBack = Payload.inject(call, into: name, times: time, ticket: &ticket)
    let (isFirst, outcome) = phase.compareExchange(
      expected: Self.injecting, desired: Self.waiting, ordering: .acquiringAndReleasing)
    if !isFirst { withdraw(outcome) }
    if !isBack && claim() { crucible_waiter_signal(waiter, Outcome.refused(name)) }
    return isBack
  }

  /// Ends the call with `outcome` unless it has ended; on any thread, at any time. Does not wait for anybody.
  func giveUp(_ outcome: UInt32) {
    if phase.compareExchange(expected: Self.injecting, desired: outcome, ordering: .acquiringAndReleasing).exchanged {
      return  // whoever injects sees it
    }
    if phase.compareExchange(expected: Self.waiting, desired: outcome, ordering: .acquiringAndReleasing).exchanged {
      withdraw(outcome)
    }
  }

  /// By the one who has given up.
  private func withdraw(_ outcome: UInt32) {
    if crucible_waiter_is_signalled(waiter) { return }
    Payload<Call<Input, Output>>.withdraw(from: name, ticket: ticket)
    if claim() { crucible_waiter_signal(waiter, outcome) }
  }

  /// Suspends the task until the call has ended; not at all if it has already.
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

  /// Blocks the thread until the call has ended, and ends it at the deadline.
  func waitBlocking(until deadline: Deadline) {
    if crucible_waiter_wait_for(waiter, deadline.remainingNanoseconds) { return }
    giveUp(Outcome.timedOut)
    crucible_waiter_wait(waiter)  // for whoever was claiming the call
  }

  /// The reply, once the call has ended.
  func take() throws(CallError) -> Output {
    if let refusal { throw refusal }
    return try result.pointee.get(waiter.pointee.outcome)
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
