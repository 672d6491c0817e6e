public import CCrucible
public import Synchronization

/// A call whose caller may give up. The core knows its address, which stays. It lives while any code may give it up.
///
/// The caller or the answering thread decides how the call ends, whichever claims it first. To give up, a thread claims
/// the call, withdraws the molecule if it still waits, and only then signals the caller. So the caller finds no
/// molecule after the signal. If an injection is in progress meanwhile, it withdraws its molecule itself. The token
/// refers to this object, and not the other way round. So the token signals the caller when the last copy is dropped.
///
/// The class does not know the types of the call. Code that needs them is inlined where they are known
/// (`FastInjector.begin`). A generic class lost, because it requested types from the runtime at each step. A
/// cancellation handler for the whole call lost too, so the task has one only while the call waits.
@usableFromInline
final class PendingCall: @unchecked Sendable {
  /// The places of its molecules after the first.
  private struct Tickets {
    var all: [crucible_ticket] = []
    /// The names that the call was passed on to.
    var names: [(calls: HandedCalls, place: HandedCalls.Place)] = []
    var areGivenUp = false
    /// The outcome with which another thread wanted to give up while the call was held.
    var wanted: UInt32?
    /// The closures of the body that has the call. Each is called once, with whether the caller gave up.
    var watchers: [@Sendable (Bool) -> Void] = []
  }

  // Written before the call enters the soup.
  @exclusivity(unchecked) @usableFromInline var name: OpaquePointer
  @usableFromInline let waiter: UnsafeMutablePointer<crucible_waiter>
  /// Memory for the answer, which the caller initializes and destroys.
  @usableFromInline let result: UnsafeMutableRawPointer
  /// Withdraws a call that still waits, and destroys it. Returns false if it no longer waits.
  @exclusivity(unchecked) var takeBack: (OpaquePointer, crucible_ticket) -> Bool
  @usableFromInline let stage = Atomic<UInt8>(PendingCall.open)
  @inlinable static var open: UInt8 { 0 }
  @inlinable static var answered: UInt8 { 1 }
  /// The stage of a call that is open and has watchers.
  private static let watched: UInt8 = 2
  private static let abandoned: UInt8 = 3
  /// The bit of a call that a thread holds, until it answers the call together with another one, or opens it again.
  private static let held: UInt8 = 4
  /// The place of its first molecule.
  @exclusivity(unchecked) private var first = crucible_ticket()
  private let stageOfFirst = Atomic<UInt8>(PendingCall.unknown)
  private static let unknown: UInt8 = 0
  private static let known: UInt8 = 1
  private static let givenUp: UInt8 = 2
  private let others = Guarded(Tickets())
  /// Whether the record can be used again: it has the usual size, and was neither given up nor put back.
  let isReusable: Atomic<Bool>
  /// The token, if the call is answered at once (`PendingCall+AtOnce.swift`).
  @exclusivity(unchecked) @usableFromInline var ownToken: Unmanaged<ReplyToken>?

  /// The size of the answer for which each record has room, so that it can be used again for another call.
  @inlinable static var usualSize: Int { 64 }
  @inlinable static func isUsual<Output>(_ type: Output.Type) -> Bool {
    MemoryLayout<Answer<Output>>.size <= usualSize && MemoryLayout<Answer<Output>>.alignment <= 16
  }

  /// Returns a record with room for an answer of that layout: the one that this thread saved, or a new one.
  @usableFromInline
  static func make(
    _ name: OpaquePointer, size: Int, alignment: Int, takeBack: @escaping (OpaquePointer, crucible_ticket) -> Bool
  ) -> PendingCall {
    if size <= usualSize && alignment <= 16, let saved = crucible_thread_take(CRUCIBLE_FOR_CALL) {
      let pending = Unmanaged<PendingCall>.fromOpaque(saved).takeRetainedValue()
      pending.name = name
      pending.takeBack = takeBack
      return pending
    }
    return PendingCall(name, size: size, alignment: alignment, takeBack: takeBack)
  }

  init(
    _ name: OpaquePointer, size: Int, alignment: Int, takeBack: @escaping (OpaquePointer, crucible_ticket) -> Bool
  ) {
    self.name = name
    self.takeBack = takeBack
    isReusable = Atomic(size <= Self.usualSize && alignment <= 16)
    let offset = roundedUp(Self.offsetOfAnswer, to: alignment)
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: offset + max(size, Self.usualSize), alignment: max(16, alignment))
    memory.bindMemory(to: Record.self, capacity: 1)
    waiter = memory.assumingMemoryBound(to: crucible_waiter.self)  // the first member
    waiter.initialize(to: crucible_waiter())
    result = memory + offset
  }

  /// Prepares the record for another call. Requires: no other code refers to it.
  func reset() {
    stage.store(Self.open, ordering: .relaxed)
    stageOfFirst.store(Self.unknown, ordering: .relaxed)
    waiter.initialize(to: crucible_waiter())
  }

  deinit { UnsafeMutableRawPointer(waiter).deallocate() }

  /// Claims the call. Returns true for the first thread only, and then the call ends with that outcome.
  @inlinable
  func claim(for outcome: UInt32) -> Bool {
    if !move(to: Self.answered) && !endWatched() { return false }
    if crucible_name_is_special(name) { willEnd(outcome) }
    return true
  }

  @inlinable
  func move(from old: UInt8 = PendingCall.open, to new: UInt8) -> Bool {
    stage.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
  }

  /// Claims a call that has watchers, and calls them: its caller has not given up.
  @usableFromInline @inline(never)
  func endWatched() -> Bool {
    if !move(from: Self.watched, to: Self.answered) { return false }
    for watcher in takeWatchers() { watcher(false) }
    return true
  }

  /// Holds the call. Returns false if it has ended, or is held.
  func hold() -> Bool {
    move(to: Self.held) || move(from: Self.watched, to: Self.watched | Self.held)
  }

  func claimHeld(for outcome: UInt32) {
    let old = stage.exchange(Self.answered, ordering: .acquiringAndReleasing)
    if old & Self.watched != 0 { for watcher in takeWatchers() { watcher(false) } }
    if crucible_name_is_special(name) { willEnd(outcome) }
  }

  /// Opens a call that this thread holds, and gives up for a thread that wanted to meanwhile. The stage moves under the
  /// lock, so a thread that finds the call held leaves its wish before that.
  func endHold() {
    let wanted = others.withLock { others in
      stage.store(stage.load(ordering: .relaxed) & ~Self.held, ordering: .releasing)
      defer { others.wanted = nil }
      return others.wanted
    }
    if let wanted { giveUp(wanted) }
  }

  private func takeWatchers() -> [@Sendable (Bool) -> Void] {
    others.withLock { others in
      defer { others.watchers = [] }
      return others.watchers
    }
  }

  /// Adds `watcher`. It is called once when the call ends. If the call has ended, this returns whether the caller gave
  /// up, else nil. The stage moves under the lock, so a thread that ends the call after that finds the watcher.
  func watch(_ watcher: @escaping @Sendable (Bool) -> Void) -> Bool? {
    isReusable.store(false, ordering: .relaxed)
    return others.withLock { others in
      var old = stage.compareExchange(
        expected: Self.open, desired: Self.watched, ordering: .acquiringAndReleasing
      ).original
      if old == Self.held {  // by another body that has a copy
        old =
          stage.compareExchange(
            expected: Self.held, desired: Self.held | Self.watched, ordering: .acquiringAndReleasing
          ).original
      }
      if old == Self.answered || old == Self.abandoned { return old == Self.abandoned }
      others.watchers.append(watcher)
      return nil
    }
  }

  var hasEnded: Bool { stage.load(ordering: .acquiring) & Self.answered != 0 }

  /// Injects the call at `value`. Returns false if the soup refuses it. Then the value is unchanged.
  @usableFromInline
  func inject(_ value: UnsafeMutableRawPointer, owns: Bool) -> Bool {
    var ticket = crucible_ticket()
    if !crucible_inject_tracked(name, value, 0, owns, &ticket) { return false }
    first = ticket
    // Partner: the exchange in `giveUp`. The second of the two threads withdraws the molecule.
    let isKept = stageOfFirst.compareExchange(
      expected: Self.unknown, desired: Self.known, ordering: .acquiringAndReleasing
    ).exchanged
    if !isKept { withdraw(ticket) }
    return true
  }

  /// Injects the call again after its body threw, unless it is given up. Returns false if the soup refuses it.
  func putBack<Input, Output>(_ call: Call<Input, Output>, time: Int) -> Bool {
    if hasEnded { return true }
    isReusable.store(false, ordering: .relaxed)
    // Before the injection: otherwise a firing in it on the caller's thread would return the token there (ONCE-3).
    crucible_waiter_set_taken(waiter, false)
    var ticket = crucible_ticket()
    if Payload.lend(call, to: { crucible_inject_tracked(name, $0, UInt64(time), false, &ticket) }) {
      let isGivenUp = others.withLock { others in
        others.all.append(ticket)
        return others.areGivenUp
      }
      if isGivenUp { withdraw(ticket) }
      return true
    }
    let reason = Outcome.of(crucible_last_refusal())
    if claim(for: reason) { crucible_waiter_signal(waiter, reason) }
    return false
  }

  /// Ends the call with `outcome` unless it has ended. Any thread may call this at any time. Does not block.
  func giveUp(_ outcome: UInt32) {
    while !move(to: Self.abandoned) && !move(from: Self.watched, to: Self.abandoned) {
      let isNoted = others.withLock { others in
        if stage.load(ordering: .acquiring) & Self.held == 0 { return false }
        others.wanted = others.wanted ?? outcome
        isReusable.store(false, ordering: .relaxed)
        return true
      }
      if isNoted || hasEnded { return }
    }
    if crucible_name_is_special(name) { willEnd(outcome) }
    isReusable.store(false, ordering: .relaxed)
    if stageOfFirst.exchange(Self.givenUp, ordering: .acquiringAndReleasing) == Self.known { withdraw(first) }
    let (tickets, names) = others.withLock { others in
      others.areGivenUp = true
      return (others.all, others.names)
    }
    // Calls that were put back after others are no longer at their first place.
    for ticket in tickets { withdraw(ticket) }
    for (calls, place) in names { calls.withdraw(place) }
    for watcher in takeWatchers() { watcher(true) }
    crucible_waiter_signal(waiter, outcome)
  }

  var isGivenUp: Bool { hasEnded && others.withLock(\.areGivenUp) }

  /// Notes that a body has injected the call as a molecule of that name. The call may have ended.
  func wasHandedOn(to calls: HandedCalls, _ place: HandedCalls.Place) {
    let isGivenUp = others.withLock { others in
      let isKnown = others.names.contains { $0.calls === calls && $0.place == place }
      if !isKnown { others.names.append((calls, place)) }
      return others.areGivenUp
    }
    if isGivenUp { calls.withdraw(place) }
  }

  @inline(never)
  private func withdraw(_ ticket: crucible_ticket) {
    if takeBack(name, ticket) { wasWithdrawn() }
  }

  func wasWithdrawn() {
    SoupContext.tell(of: name, at: Unmanaged.passUnretained(self).toOpaque()) { .withdrew($0) }
  }

  @usableFromInline
  func willEnd(_ outcome: UInt32) { SoupContext.tell(outcome, of: name, at: Unmanaged.passUnretained(self).toOpaque()) }

  /// Whether the call has ended, so that the caller need not wait.
  @inlinable var isAnswered: Bool { ownToken != nil || crucible_waiter_is_signalled(waiter) }

  /// Returns the reply after the call has ended. The caller must call this once.
  @inlinable
  static func take<Output>(_ type: Output.Type, from pending: consuming PendingCall) throws(CallError) -> Output {
    let outcome = pending.waiter.pointee.outcome
    let answer = pending.result.assumingMemoryBound(to: Answer<Output>.self)
    // Moved, not copied: a copy would be retained, and the answer destroyed.
    let output = withUnsafeMutablePointer(to: &answer.pointee.output) { $0.move() }
    let failure = answer.pointee.failure
    if pending.ownToken != nil { saveAtOnce(pending) } else { save(pending) }
    guard let output else { throw Answer<Output>.reason(outcome, failure) }
    return output
  }

  /// Saves the record for a later call of this thread, if no other code refers to it any more.
  @usableFromInline
  static func save(_ pending: consuming PendingCall) {
    guard isKnownUniquelyReferenced(&pending) else { return }
    // partner: the release of the thread that dropped its reference, and may have put the call back
    atomicMemoryFence(ordering: .acquiring)
    guard pending.isReusable.load(ordering: .relaxed) else { return }
    pending.reset()
    let saved = Unmanaged.passRetained(consume pending).toOpaque()
    if !crucible_thread_keep(CRUCIBLE_FOR_CALL, saved, ReplyToken.release) { ReplyToken.release(saved) }
  }
}
