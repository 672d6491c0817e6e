import CCrucible
import Synchronization

// Calls in hand: those that a body has kept beyond its end. It has passed them to a callback, stored them in a state or
// an object, or handed them on. They are unfinished work, and a drain waits for them.
//
// The context of the call's soup counts them. A body counts its call when it ends, before the core can find the soup
// quiet, and the thread that ends the call counts it out. No other call pays for this, except that a thread which finds
// a token not open looks whether it is kept.
//
//   HAND-1  Each call that was counted is counted out once. A caller that may give up has a watcher for this, which the
//       thread calls that ends the call. The token of any other caller is KEPT, and the thread that claims it counts.
//   HAND-2  `isFinished` is true only if at one moment nothing was in progress and no call was in hand. It reads the
//       count, checks for quiet, and reads the count once more. The count also has the number of all calls that were
//       ever counted, so it is the same only if no body has kept a call in between. A holder that injects before it
//       answers is found in progress, because the count is released by the answer and acquired here.
//   HAND-3  A call that waits as a molecule of its own soup is no call in hand, as a call that waits for its first
//       reaction is none. It stays counted from body to body, and is left out while it is in the bag of a name of
//       calls. Inside of another value it is in hand.

final class CallsInHand: Sendable {
  /// The number of them, below the number of all that ever were.
  private let counts = Atomic<UInt64>(0)

  func begin() { counts.wrappingAdd(1 << 32 + 1, ordering: .relaxed) }
  func end() { counts.wrappingSubtract(1, ordering: .releasing) }  // partner: `look`
  func look() -> (now: Int, stamp: UInt64) {
    let stamp = counts.load(ordering: .acquiring)
    return (Int(UInt32(truncatingIfNeeded: stamp)), stamp)
  }

  /// Whether the soup has finished its work: it is quiet, and no call is in hand.
  static func isFinished(_ core: OpaquePointer) -> Bool {
    let calls = whileHeld(core) { SoupContext.known(of: core)?.callsInHand }
    let before = calls?.look()
    guard SoupContext.isQuiet(core) else { return false }
    // A context that was made in between belongs to a call that was kept in between.
    guard let now = whileHeld(core, { SoupContext.known(of: core)?.callsInHand })?.look() else { return true }
    guard before?.stamp ?? 0 == now.stamp else { return false }
    if now.now == 0 { return true }
    // The number of callers whose calls wait as molecules of the same soup.
    let waiting = WaitingCall.notes(in: core).1.values.count { crucible_name_soup($0.name) == core }
    return now.now <= waiting && SoupContext.isQuiet(core)
  }

  /// The calls in hand that are not answered, by the numbers of their names, as far as their callers sleep.
  static func unanswered(in core: OpaquePointer) -> [Int: Int] {
    guard let calls = whileHeld(core, { SoupContext.known(of: core)?.callsInHand }), calls.look().now > 0 else {
      return [:]
    }
    return Dictionary(grouping: WaitingCall.all(in: core), by: \.name).mapValues(\.count)
  }
}

extension ReplyToken {
  /// Notes that a body which had the call has ended, and that the call may be in hand.
  @usableFromInline @inline(never)
  func stays() {
    if hasEnded { return }
    if let caller { return caller.stays() }
    guard let core = crucible_running_soup(RunningTask.current) else { return }
    let calls = SoupContext.of(core).callsInHand
    calls.begin()
    let counter = Unmanaged.passRetained(calls)
    if !inHand.compareExchange(expected: nil, desired: counter, ordering: .acquiringAndReleasing).exchanged {
      calls.end()
      counter.release()
    } else if move(to: { $0 | ReplyToken.kept }) == nil {
      leaveHand()
    }
  }

  func leaveHand() { inHand.exchange(nil, ordering: .acquiringAndReleasing)?.takeRetainedValue().end() }
}

extension PendingCall {
  fileprivate func stays() {
    let core: OpaquePointer = crucible_name_soup(name)
    guard let calls = whileHeld(core, { SoupContext.of(core).callsInHand }) else { return }
    calls.begin()
    if watch({ _ in calls.end() }) != nil { calls.end() }
  }
}
