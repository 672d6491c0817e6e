public import CCrucible
public import Synchronization

/// A fast molecule in the hands of a body: the value that the caller sent, and the way to reply.
///
/// ```swift
/// soup.react(state: counter, add) { n, call in
///   n += call.input
///   call.reply(n)
/// }
/// ```
///
/// The body may go on after it has replied, may hand the call to another task, or keep it for later. <doc:Outcomes>
/// says what the caller gets if the last copy is dropped, or the body throws, before there is a reply.
public struct Call<Input: Sendable, Output: Sendable>: Sendable {
  // First, so that its offset is known where the type of the input is not. `finish` reads it in place.
  @usableFromInline var token: ReplyToken
  /// The value that the caller sent.
  public let input: Input

  @inlinable
  init(input: Input, token: consuming ReplyToken) {
    self.token = token
    self.input = input
  }

  /// Answers the caller. Only the first reply counts.
  ///
  /// - Returns: whether the caller gets the reply. False if there was a reply already, or if the caller has given up,
  ///   because its time was over or its task was cancelled. Then the body should put back what it took for the caller.
  /// - Complexity: O(1), and the wake-up of a caller that sleeps. Does not block.
  @inlinable
  @discardableResult
  public func reply(_ output: Output) -> Bool {
    guard token.claim(for: Outcome.replied) else { return false }
    answer.pointee.put(output)
    token.end(Outcome.replied)
    return true
  }

  /// Whether the caller still waits. False after a reply, a timeout or a cancellation. See ``onAbandoned(_:)``.
  ///
  /// - Complexity: O(1). The answer may be outdated the next moment; ``reply(_:)`` decides.
  public var isAwaited: Bool { !token.hasEnded }

  /// Ends the call with an error: the caller gets ``CallError/failed(_:)``. Only the first answer counts.
  ///
  /// ```swift
  /// soup.react(miss) { call in
  ///   if let page = find(call.input) { call.reply(page) } else { call.fail(NotFound()) }
  /// }
  /// ```
  ///
  /// - Returns: whether the caller gets the error, as ``reply(_:)`` does for a reply.
  /// - Complexity: O(1), an allocation, and the wake-up of a caller that sleeps. Does not block.
  @discardableResult
  public func fail(_ error: any Error) -> Bool {
    guard token.claim(for: Outcome.failed) else { return false }
    answer.pointee.fail(error)
    token.end(Outcome.failed)
    return true
  }

  /// The address of the caller's answer. Requires: the calling thread has claimed the token.
  @inlinable var answer: UnsafeMutablePointer<Answer<Output>> {
    token.result.unsafelyUnwrapped.assumingMemoryBound(to: Answer<Output>.self)
  }

  /// Ends the call after the body. If the body kept no copy, this does two things: it ends a call without an answer,
  /// and saves the token for the thread's next call. Otherwise the call is in hand, if it has no answer yet.
  @inlinable
  consuming func finish() {
    // In place: unoptimized code would test a copy, which is never unique. Then moved, without a count.
    if isKnownUniquelyReferenced(&token) { recycle((consume self).token) } else { token.stays() }
  }
}

extension Call where Output == Void {
  /// Answers the caller.
  @inlinable
  @discardableResult
  public func reply() -> Bool { reply(()) }
}

extension Call {
  /// Stands for a reply without its value, which the compiler would otherwise report as a mistake in the pattern.
  @available(*, unavailable, message: "the caller waits for a value: call.reply(value)")
  @discardableResult
  public func reply() -> Bool { fatalError("unavailable") }
}

/// The right to answer one call, shared by all copies of it. The first thread to claim it writes the result and signals
/// the caller. The caller may be gone right after that.
@usableFromInline
final class ReplyToken: @unchecked Sendable {
  // Written before any other code has a copy of the call, and after its end by the last thread with the token.
  @exclusivity(unchecked) @usableFromInline var waiter: UnsafeMutablePointer<crucible_waiter>?
  @exclusivity(unchecked) @usableFromInline var result: UnsafeMutableRawPointer?
  /// A reference to the caller, if the caller may give up. Atomic, because the thread that saves the token clears it:
  /// other threads have read it by their copies, which they have dropped.
  @usableFromInline let keptCaller = Atomic<Unmanaged<PendingCall>?>(nil)
  /// Open or kept, then claimed by the answering thread, then ended by it. After that the thread does not access the
  /// token. If the caller may give up, the token is never claimed, because the caller's own stage decides. Until then,
  /// the bits above the stage are the outcome of a lost copy (`LostCalls.swift`).
  @usableFromInline let stage = Atomic<UInt8>(0)

  @usableFromInline init() {}

  deinit {
    if waiter != nil { refuse(Outcome.ofDrop) }
    keptCaller.load(ordering: .relaxed)?.release()
  }

  var caller: PendingCall? { keptCaller.load(ordering: .relaxed)?.takeUnretainedValue() }

  @inlinable static var open: UInt8 { 0 }
  @inlinable static var claimed: UInt8 { 1 }
  @inlinable static var ended: UInt8 { 2 }
  /// The stage of a call that is open and in hand. Its caller may not give up.
  static var kept: UInt8 { 3 }
  /// Counts the call while it is kept. Two bodies that end at once may both note that, and one of them counts it.
  let inHand = Atomic<Unmanaged<CallsInHand>?>(nil)

  /// Claims the token. Returns true once only, and only if the caller has not given up.
  @inlinable
  func claim(for outcome: UInt32) -> Bool {
    if stage.load(ordering: .relaxed) != ReplyToken.open { return claimMarked(for: outcome) }
    guard let caller = keptCaller.load(ordering: .relaxed) else {
      return stage.compareExchange(
        expected: ReplyToken.open, desired: ReplyToken.claimed, ordering: .relaxed
      ).exchanged || claimMarked(for: outcome)
    }
    // Where the caller may give up, its stage decides the outcome: this answer, another one, or the caller.
    if caller._withUnsafeGuaranteedRef({ $0.claim(for: outcome) }) { return true }
    endClaimed(outcome)
    return false
  }

  /// Claims a token that is not merely open: it is kept, or a soup has refused or dropped a copy of the call.
  @usableFromInline @inline(never)
  func claimMarked(for outcome: UInt32) -> Bool {
    guard let caller else {
      guard let old = move(to: { _ in ReplyToken.claimed }) else { return false }
      if ReplyToken.isKept(old) { leaveHand() }
      return true
    }
    if ReplyToken.isClaimed(stage.load(ordering: .relaxed)) { return false }
    if caller.claim(for: outcome) { return true }
    endClaimed(outcome)
    return false
  }

  /// Moves a token that is not claimed to another stage. Returns the stage before, or nil if the token is claimed.
  func move(to new: (UInt8) -> UInt8) -> UInt8? {
    var old = stage.load(ordering: .relaxed)
    while !ReplyToken.isClaimed(old) {
      let (isMoved, seen) = stage.compareExchange(expected: old, desired: new(old), ordering: .acquiringAndReleasing)
      if isMoved { return old }
      old = seen
    }
    return nil
  }

  static func isKept(_ stage: UInt8) -> Bool { stage & kept == kept }
  static func isClaimed(_ stage: UInt8) -> Bool { stage & kept == claimed || stage & kept == ended }

  /// Ends a call whose caller has given up, or gets another answer.
  @usableFromInline @inline(never)
  func endClaimed(_ outcome: UInt32) {
    stage.store(ReplyToken.ended, ordering: .releasing)
    // The soup of the call, and with it the caller's name, may be gone.
    guard outcome == Outcome.replied, let run = ControlledThread.currentRun, let caller else { return }
    run.noteLateReply(toCall: UInt(bitPattern: Unmanaged.passUnretained(caller).toOpaque()))
  }

  /// Whether it has been answered, or its caller has given up.
  var hasEnded: Bool { ReplyToken.isClaimed(stage.load(ordering: .acquiring)) || caller?.hasEnded == true }

  /// Signals the caller. Requires: this thread has claimed the token.
  @inlinable
  func end(_ outcome: UInt32) {
    crucible_waiter_signal(waiter.unsafelyUnwrapped, outcome)
    stage.store(ReplyToken.ended, ordering: .releasing)  // partner: the acquiring load in recycle
  }

  /// Ends the call without a reply, unless it has ended. If a soup has lost another copy, that is the reason.
  @usableFromInline
  func refuse(_ outcome: UInt32) {
    let lost = outcome == Outcome.dropped ? loss(at: stage.load(ordering: .relaxed)) : nil
    if claim(for: lost ?? outcome) { end(lost ?? outcome) }
  }

  /// Returns a token for a new call: one that this thread saved, or a new one. The caller must consume the reference.
  @inlinable @inline(__always)
  static func make(
    waiter: UnsafeMutablePointer<crucible_waiter>, result: UnsafeMutableRawPointer
  ) -> UnsafeMutableRawPointer {
    let token = crucible_thread_take_saved() ?? makeNew()
    Unmanaged<ReplyToken>.fromOpaque(token)._withUnsafeGuaranteedRef {
      $0.stage.store(ReplyToken.open, ordering: .relaxed)
      $0.waiter = waiter
      $0.result = result
    }
    return token
  }

  /// Makes a new token. Each token of a thread is made once.
  @usableFromInline @inline(never)
  static func makeNew() -> UnsafeMutableRawPointer { Unmanaged.passRetained(ReplyToken()).toOpaque() }

  @usableFromInline
  static let release: @convention(c) (UnsafeMutableRawPointer) -> Void = { saved in
    let object = Unmanaged<AnyObject>.fromOpaque(saved).takeRetainedValue()
    (object as? PendingCall)?.releaseOwnToken()
  }
}

/// Saves the token for a call that this thread takes later, or returns it to the call of this thread that owns it.
/// Requires: no other code refers to the token.
@usableFromInline
func recycle(_ token: consuming ReplyToken) {
  if token.stage.load(ordering: .acquiring) != ReplyToken.ended { return recycleOpen(token) }
  if let caller = token.keptCaller.load(ordering: .relaxed) {
    atomicMemoryFence(ordering: .acquiring)  // partner: the release of a thread that dropped its copy
    if crucible_waiter_is_here(token.waiter.unsafelyUnwrapped) {
      let own = Unmanaged.passRetained(consume token)
      caller._withUnsafeGuaranteedRef { $0.ownToken = own }
      return
    }
    token.keptCaller.store(nil, ordering: .relaxed)
    caller.release()
  }
  token.waiter = nil
  let saved = Unmanaged.passRetained(consume token).toOpaque()
  if !crucible_thread_save(saved, ReplyToken.release) { ReplyToken.release(saved) }
}

/// Recycles the token of a call that may have no answer yet.
@inline(never)
private func recycleOpen(_ token: consuming ReplyToken) {
  atomicMemoryFence(ordering: .acquiring)  // partner: the release of a thread that noted a loss, and dropped its copy
  token.refuse(Outcome.dropped)
  if token.stage.load(ordering: .acquiring) == ReplyToken.ended { recycle(token) }
}
