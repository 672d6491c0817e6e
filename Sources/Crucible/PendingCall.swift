public import CCrucible
import CTask
import Synchronization

/// A call whose caller may give up: it lies at a fixed address for the core, and lives as long as anybody may give it up.
///
/// Who is first to claim it, the caller or whoever answers, decides how the call ends. Giving up claims the call, then withdraws the
/// molecule, if it still waits, and only then signals the caller, who so finds that it does not wait any more. An injection that is in
/// progress meanwhile withdraws its molecule itself. The token refers to this, and not the other way round: when the last copy
/// of the call is dropped, the caller is told so.
///
/// It does not know the types of the call: what has to know them is inlined where they are known (`FastInjector.begin`). As a generic
/// class it asked the runtime for types at each step: 8,700 instructions a call that suspends, instead of 5,000.
@usableFromInline
final class PendingCall: @unchecked Sendable {
  /// Where its molecules were put: one, and more if it was put back.
  private struct Tickets {
    var first: crucible_ticket?
    var others: [crucible_ticket] = []
    var areGivenUp = false
  }

  private let name: OpaquePointer
  @usableFromInline let waiter: UnsafeMutablePointer<crucible_waiter>
  /// Room for the answer, which is the caller's to make and to destroy.
  @usableFromInline let result: UnsafeMutableRawPointer
  /// Takes a call that still waits back, and destroys it. False: it does not wait any more.
  private let takeBack: (OpaquePointer, crucible_ticket) -> Bool
  private let isClaimed = Atomic<Bool>(false)
  private let tickets = Mutex(Tickets())

  // In one piece of memory: the waiter, its note, what a cancelled task calls, the result.
  private static let offsetOfNote = offset(of: crucible_waiting.self, behind: MemoryLayout<crucible_waiter>.size)
  private static let offsetOfCancellation =
    offset(of: crucible_task_cancellation.self, behind: offsetOfNote + MemoryLayout<crucible_waiting>.size)
  private static let end = offsetOfCancellation + MemoryLayout<crucible_task_cancellation>.size
  private static func offset<T>(of type: T.Type, behind end: Int) -> Int {
    roundedUp(end, to: MemoryLayout<T>.alignment)
  }
  private static func roundedUp(_ offset: Int, to alignment: Int) -> Int {
    (offset + alignment - 1) & ~(alignment - 1)
  }

  /// With room for an answer of that layout.
  @usableFromInline
  init(
    _ name: OpaquePointer, size: Int, alignment: Int, takeBack: @escaping (OpaquePointer, crucible_ticket) -> Bool
  ) {
    self.name = name
    self.takeBack = takeBack
    let offsetOfResult = Self.roundedUp(Self.end, to: alignment)
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: offsetOfResult + size, alignment: max(MemoryLayout<crucible_waiting>.alignment, alignment))
    waiter = memory.bindMemory(to: crucible_waiter.self, capacity: 1)
    waiter.initialize(to: crucible_waiter())
    result = memory + offsetOfResult
  }

  deinit { UnsafeMutableRawPointer(waiter).deallocate() }

  /// What others see of the caller while it waits; made only then.
  private var note: UnsafeMutablePointer<crucible_waiting> {
    (UnsafeMutableRawPointer(waiter) + Self.offsetOfNote).bindMemory(to: crucible_waiting.self, capacity: 1)
  }

  /// Made only while a task waits.
  private var cancellation: UnsafeMutablePointer<crucible_task_cancellation> {
    (UnsafeMutableRawPointer(waiter) + Self.offsetOfCancellation)
      .bindMemory(to: crucible_task_cancellation.self, capacity: 1)
  }

  /// True for the first only: then the call ends with that outcome.
  func claim(for outcome: UInt32) -> Bool {
    if isClaimed.exchange(true, ordering: .acquiringAndReleasing) { return false }
    if crucible_name_is_special(name) { willEnd(outcome) }
    return true
  }

  var hasEnded: Bool { isClaimed.load(ordering: .acquiring) }

  /// Injects the call at `value`. False: refused, and the value is as it was.
  @usableFromInline
  func inject(_ value: UnsafeMutableRawPointer) -> Bool {
    var ticket = crucible_ticket()
    if !crucible_inject_tracked(name, value, 0, &ticket) { return false }
    keep(ticket)
    return true
  }

  /// The same for a value of any kind, which is destroyed if it is refused; `times`: how often it has been put back.
  @usableFromInline
  func inject<Value>(_ value: consuming Value, times: Int) -> Bool {
    var ticket = crucible_ticket()
    if !Payload.inject(value, into: name, times: times, ticket: &ticket) { return false }
    keep(ticket)
    return true
  }

  /// Injects it again, after the body that had it has thrown. False: refused. One that has been given up stays away.
  func putBack<Input, Output>(_ call: Call<Input, Output>, time: Int) -> Bool {
    if hasEnded || inject(call, times: time) { return true }
    let reason = Outcome.of(crucible_last_refusal())
    if claim(for: reason) { crucible_waiter_signal(waiter, reason) }
    return false
  }

  private func keep(_ ticket: crucible_ticket) {
    let isGivenUp = tickets.withLock { tickets in
      if tickets.first == nil { tickets.first = ticket } else { tickets.others.append(ticket) }
      return tickets.areGivenUp
    }
    if isGivenUp { withdraw(ticket) }
  }

  /// Ends the call with `outcome` unless it has ended; on any thread, at any time. Does not wait for anybody.
  func giveUp(_ outcome: UInt32) {
    guard claim(for: outcome) else { return }
    let (first, others) = tickets.withLock { tickets in
      tickets.areGivenUp = true
      return (tickets.first, tickets.others)
    }
    // Those that were put back later than others are not there any more where they were first.
    if let first { withdraw(first) }
    for ticket in others { withdraw(ticket) }
    crucible_waiter_signal(waiter, outcome)
  }

  private func withdraw(_ ticket: crucible_ticket) {
    if takeBack(name, ticket) { wasWithdrawn() }
  }

  /// Its molecule was taken back.
  func wasWithdrawn() { tell { .withdrew($0) } }

  private func willEnd(_ outcome: UInt32) {
    switch outcome {
    case Outcome.replied: tell { .replied($0) }
    case Outcome.timedOut: tell { .timedOut($0) }
    case Outcome.cancelled: tell { .cancelled($0) }
    default: break
    }
  }

  /// Those who observe now: a call may be older than its observers, and younger than its soup.
  private func tell(_ event: (Event.Molecule) -> Event.Kind) {
    guard let observers = SoupContext.observers(of: name) else { return }
    observers.tell(event(observers.molecule(name)))
  }

  /// Whether there is nothing to wait for.
  @inlinable var isAnswered: Bool { crucible_waiter_is_signalled(waiter) }

  /// Before a task injects anything: why it should not.
  @usableFromInline
  static func objection(awaiting name: OpaquePointer) -> CallError? {
    if Task.isCancelled { return .cancelled }
    return crucible_name_is_special(name) ? CallError.deadlock(awaiting: name) : nil
  }

  /// Suspends the task until the call has ended, by its cancellation or at the deadline for one. Meanwhile the caller can be seen.
  @usableFromInline
  nonisolated(nonsending)
    func wait(
      _ handle: SoupHandle, until deadline: Deadline?, _ limit: Duration?, _ file: StaticString, _ line: UInt
    ) async
  {
    let alarm = deadline?.alarm { self.giveUp(Outcome.timedOut) }
    await wait(limit, file, line)
    alarm?.cancel()
    withExtendedLifetime(handle) {}
  }

  /// The same without a deadline.
  @usableFromInline
  nonisolated(nonsending)
    func wait(_ handle: SoupHandle, _ file: StaticString, _ line: UInt) async
  {
    await wait(nil, file, line)
    withExtendedLifetime(handle) {}
  }

  private nonisolated(nonsending) func wait(_ limit: Duration?, _ file: StaticString, _ line: UInt) async {
    note.initialize(to: crucible_waiting(name, waiter, limit, file, line))
    // Before it suspends: whoever signals it then lets it go on at once.
    crucible_waiting_begin(note, false)
    cancellation.initialize(
      to: crucible_task_cancellation(
        act: { Unmanaged<PendingCall>.fromOpaque($0).takeUnretainedValue().giveUp(Outcome.cancelled) },
        context: Unmanaged.passUnretained(self).toOpaque()))
    let record = crucible_task_on_cancel(cancellation)
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      // Resumed by the signaller, or here if it came first.
      waiter.pointee.context = continuation.pointer
      waiter.pointee.resume = { UnsafeContinuation(pointer: $0.pointee.context!).resume() }
      if !crucible_waiter_suspend(waiter) { continuation.resume() }
    }
    crucible_task_forget_cancel(record)
    crucible_waiting_end(note)
  }

  /// Blocks the thread until the call has ended, and ends it at the deadline. Meanwhile the caller can be seen.
  func waitBlocking(until deadline: Deadline?, _ limit: Duration?, _ file: StaticString, _ line: UInt) {
    if isAnswered { return }
    note.initialize(to: crucible_waiting(name, waiter, limit, file, line))
    let stations = Station.current(of: crucible_name_soup(name))
    if !stations.isEmpty {
      crucible_waiting_begin(note, true)
      Station.serve(stations, until: waiter, deadline: deadline) { giveUp(Outcome.timedOut) }
      crucible_waiting_end(note)
      return
    }
    if crucible_waiter_wait_noted(waiter, deadline?.remainingNanoseconds ?? .max, note) { return }
    giveUp(Outcome.timedOut)
    crucible_waiter_wait(waiter)  // for whoever was claiming the call
  }

  /// The reply, once the call has ended; to be asked for once.
  @inlinable
  func take<Output>(_ type: Output.Type) throws(CallError) -> Output {
    try result.assumingMemoryBound(to: Answer<Output>.self).move().get(waiter.pointee.outcome)
  }
}

/// A continuation is one pointer, to the task: so it needs no room of its own where C keeps one.
extension UnsafeContinuation<Void, Never> {
  fileprivate var pointer: UnsafeMutableRawPointer { unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }
  fileprivate init(pointer: UnsafeMutableRawPointer) { self = unsafeBitCast(pointer, to: Self.self) }
}
