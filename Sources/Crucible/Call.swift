public import CCrucible
public import Synchronization

/// What the body of a reaction gets for a fast molecule: the value that the caller sent, and the way to reply.
///
/// ```swift
/// soup.react(counter & add) { n, call in
///   n += call.input
///   call.reply(n)
/// }
/// ```
///
/// The body may go on after it has replied, may hand the call to another task, or keep it for later. When the last copy is
/// dropped without a reply, the caller gets ``CallError/neverReplied``. When the body throws before it has replied, the caller
/// gets the error as ``CallError/failed(_:)``, even if there is another copy.
public struct Call<Input: Sendable, Output: Sendable>: Sendable {
  /// What the caller sent.
  public let input: Input
  @usableFromInline var token: ReplyToken

  @inlinable
  init(input: Input, token: consuming ReplyToken) {
    self.input = input
    self.token = token
  }

  /// Answers the caller. Only the first reply counts.
  ///
  /// - Returns: whether the caller gets it: false if there was a reply already, or if the caller has given up, because its
  ///   time was over or its task was cancelled. Then put back what was taken for it.
  /// - Complexity: O(1), and the wake-up of a caller that sleeps. Does not block.
  @inlinable
  @discardableResult
  public func reply(_ output: Output) -> Bool {
    guard token.claim(for: Outcome.replied) else { return false }
    answer.pointee.output = output
    token.end(Outcome.replied)
    return true
  }

  /// Whether anyone still waits for the reply: not after a reply, and not after the caller has given up, because its time was
  /// over or its task was cancelled. A body that takes its time may ask, and stop in time.
  ///
  /// ```swift
  /// soup.react(search) { call in
  ///   for page in pages where call.isAwaited { … }
  /// }
  /// ```
  ///
  /// - Complexity: O(1). What it answers may be over the next moment; ``reply(_:)`` decides.
  public var isAwaited: Bool { !token.hasEnded }

  /// After a body that threw: ends the call with its error, unless it has ended.
  ///
  /// - Returns: whether the caller gets it.
  @usableFromInline
  mutating func fail(_ error: any Error) -> Bool {
    let isFirst = token.claim(for: Outcome.failed)
    if isFirst {
      answer.pointee.fail(error)
      token.end(Outcome.failed)
    }
    finish()
    return isFirst
  }

  /// Where the caller looks for the reply; only for whoever has claimed the token.
  @inlinable var answer: UnsafeMutablePointer<Answer<Output>> {
    token.result!.assumingMemoryBound(to: Answer<Output>.self)
  }

  /// After the body: if it kept no copy, answers for it if it did not, and saves the token for the thread's next call.
  @inlinable
  mutating func finish() {
    if isKnownUniquelyReferenced(&token) { token.recycle() }
  }
}

extension Call where Output == Void {
  /// Answers the caller.
  @inlinable
  @discardableResult
  public func reply() -> Bool { reply(()) }
}

/// A caller that may give up: who is first to claim it, the caller or whoever answers, decides how the call ends.
@usableFromInline
class Caller: @unchecked Sendable {
  private let isClaimed = Atomic<Bool>(false)

  /// True for the first only: then the call ends with that outcome.
  final func claim(for outcome: UInt32) -> Bool {
    if isClaimed.exchange(true, ordering: .acquiringAndReleasing) { return false }
    willEnd(outcome)
    return true
  }

  /// The call ends with that outcome.
  func willEnd(_ outcome: UInt32) {}
  /// Its molecule was taken back.
  func wasWithdrawn() {}

  final var hasEnded: Bool { isClaimed.load(ordering: .acquiring) }
}

/// The right to answer one call, shared by all copies of it. Whoever claims it first writes the result and signals the
/// caller, who may be gone right after.
@usableFromInline
final class ReplyToken: @unchecked Sendable {
  // Written before the call enters the soup and after its end, by whoever alone refers to the token then.
  @exclusivity(unchecked) @usableFromInline var waiter: UnsafeMutablePointer<crucible_waiter>?
  @exclusivity(unchecked) @usableFromInline var result: UnsafeMutableRawPointer?
  /// The caller, if it may give up.
  @exclusivity(unchecked) @usableFromInline var caller: Caller?
  /// Open, then claimed by whoever answers, then ended by the same, who from then on touches nothing of the token.
  @usableFromInline let stage = Atomic<UInt8>(0)
  // While saved: the one saved before, and how many there are up to this one.
  @exclusivity(unchecked) @usableFromInline var next: UnsafeMutableRawPointer?
  @exclusivity(unchecked) @usableFromInline var saved = 0

  @usableFromInline init() {}

  deinit { if waiter != nil { refuse(Outcome.dropped) } }

  @inlinable static var open: UInt8 { 0 }
  @inlinable static var claimed: UInt8 { 1 }
  @inlinable static var ended: UInt8 { 2 }

  /// True once only, and only as long as the caller has not given up.
  @inlinable
  func claim(for outcome: UInt32) -> Bool {
    stage.load(ordering: .relaxed) == ReplyToken.open
      && stage.compareExchange(
        expected: ReplyToken.open, desired: ReplyToken.claimed, ordering: .relaxed
      ).exchanged && (caller == nil || claimFromCaller(for: outcome))
  }

  /// After a claim among those who answer: against the caller.
  @usableFromInline
  func claimFromCaller(for outcome: UInt32) -> Bool {
    if caller!.claim(for: outcome) { return true }
    stage.store(ReplyToken.ended, ordering: .releasing)
    return false
  }

  /// Whether it has been answered, or its caller has given up.
  var hasEnded: Bool { stage.load(ordering: .acquiring) != ReplyToken.open || caller?.hasEnded == true }

  /// After a claim: signals the caller.
  @inlinable
  func end(_ outcome: UInt32) {
    crucible_waiter_signal(waiter!, outcome)
    stage.store(ReplyToken.ended, ordering: .releasing)  // partner: the acquiring load in recycle
  }

  /// Ends the call without a reply, unless it has ended.
  @usableFromInline
  func refuse(_ outcome: UInt32) {
    if claim(for: outcome) { end(outcome) }
  }

  /// The most tokens that a thread saves: bodies that run on other threads than their callers save more than they need.
  @inlinable static var most: Int { 64 }

  /// A token for a new call: one that this thread saved, or a new one.
  @inlinable @inline(__always)
  static func make(
    waiter: UnsafeMutablePointer<crucible_waiter>, result: UnsafeMutableRawPointer, caller: Caller? = nil
  ) -> ReplyToken {
    let token: ReplyToken
    if let saved = crucible_thread_cache() {
      token = Unmanaged<ReplyToken>.fromOpaque(saved).takeRetainedValue()
      crucible_thread_set_cache(token.next, ReplyToken.releaseSaved)
      token.stage.store(ReplyToken.open, ordering: .relaxed)
    } else {
      token = ReplyToken()
    }
    token.waiter = waiter
    token.result = result
    if let caller { token.caller = caller }
    return token
  }

  /// Saves the token, which nobody else refers to any more, for a call that this thread makes later.
  @usableFromInline
  func recycle() {
    refuse(Outcome.dropped)
    guard stage.load(ordering: .acquiring) == ReplyToken.ended else { return }
    waiter = nil
    if caller != nil { caller = nil }
    next = crucible_thread_cache()
    saved = next.map { Unmanaged<ReplyToken>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.saved } + 1 } ?? 1
    if saved <= ReplyToken.most {
      crucible_thread_set_cache(Unmanaged.passRetained(self).toOpaque(), ReplyToken.releaseSaved)
    }
  }

  /// Releases all that a thread saved.
  @usableFromInline
  static let releaseSaved: @convention(c) (UnsafeMutableRawPointer?) -> Void = { first in
    var saved = first
    while let pointer = saved {
      let token = Unmanaged<ReplyToken>.fromOpaque(pointer).takeRetainedValue()
      saved = token.next
    }
  }
}
