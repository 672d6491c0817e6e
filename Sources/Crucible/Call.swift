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
/// dropped without a reply, the caller gets ``CallError/neverReplied``.
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
  /// - Returns: whether the caller gets it: false if there was a reply already.
  /// - Complexity: O(1), and the wake-up of a caller that sleeps. Does not block.
  @inlinable
  @discardableResult
  public func reply(_ output: Output) -> Bool {
    guard token.claim() else { return false }
    token.result!.assumingMemoryBound(to: Output?.self).pointee = output
    crucible_waiter_signal(token.waiter!, CallError.replied)
    return true
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

/// The right to answer one call, shared by all copies of it. Whoever claims it first writes the result and signals the
/// caller, who may be gone right after.
@usableFromInline
final class ReplyToken: @unchecked Sendable {
  // Written before the call enters the soup and after its end, by whoever alone refers to the token then.
  @exclusivity(unchecked) @usableFromInline var waiter: UnsafeMutablePointer<crucible_waiter>?
  @exclusivity(unchecked) @usableFromInline var result: UnsafeMutableRawPointer?
  @usableFromInline let claimed = Atomic<Bool>(false)

  @usableFromInline init() {}

  deinit { if waiter != nil { refuse(CallError.dropped) } }

  /// True for the first caller only.
  @inlinable
  func claim() -> Bool {
    // Alone with the token there is nobody to race with, and a load is enough to see a second reply.
    !claimed.load(ordering: .relaxed) && !claimed.exchange(true, ordering: .relaxed)
  }

  /// Ends the call without a reply, unless it has ended.
  @usableFromInline
  func refuse(_ outcome: UInt32) {
    if claim() { crucible_waiter_signal(waiter!, outcome) }
  }

  /// A token for a new call: the one that this thread saved, or a new one.
  @inlinable
  static func make(waiter: UnsafeMutablePointer<crucible_waiter>, result: UnsafeMutableRawPointer) -> ReplyToken {
    let token: ReplyToken
    if let saved = crucible_thread_cache() {
      crucible_thread_set_cache(nil, nil)
      token = Unmanaged<ReplyToken>.fromOpaque(saved).takeRetainedValue()
      token.claimed.store(false, ordering: .relaxed)
    } else {
      token = ReplyToken()
    }
    token.waiter = waiter
    token.result = result
    return token
  }

  /// Saves the token, which nobody else refers to, for this thread's next call.
  @inlinable
  func recycle() {
    if !claimed.load(ordering: .relaxed) { refuse(CallError.dropped) }
    waiter = nil
    if crucible_thread_cache() == nil {
      crucible_thread_set_cache(Unmanaged.passRetained(self).toOpaque(), ReplyToken.releaseSaved)
    }
  }

  @usableFromInline
  static let releaseSaved: @convention(c) (UnsafeMutableRawPointer?) -> Void = { saved in
    Unmanaged<ReplyToken>.fromOpaque(saved!).release()
  }
}

/// Why a fast call has no reply. Exactly one of a reply and one of these reaches the caller.
public enum CallError: Error, Sendable, Hashable {
  /// The reaction that consumed the molecule dropped the call without replying.
  case neverReplied
  /// The soup was gone before the call, or went with the molecule still waiting in it.
  case gone
  /// There was no memory for a longer backlog of calls; none was injected.
  case noMemory

  @usableFromInline static var replied: UInt32 { 0 }
  @usableFromInline static var dropped: UInt32 { 1 }
  @usableFromInline static var destroyed: UInt32 { 2 }

  @usableFromInline
  init(outcome: UInt32) {
    self = outcome == CallError.destroyed ? .gone : .neverReplied
  }

  /// Why an injection was refused.
  @usableFromInline
  static func refused(_ name: OpaquePointer) -> CallError {
    let soup = crucible_name_soup(name)
    guard crucible_soup_hold(soup) else { return .gone }
    crucible_soup_release(soup)
    return .noMemory
  }
}
