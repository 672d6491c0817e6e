import CCrucible
import Synchronization

/// A call whose caller may give up: it lies at a fixed address for the core, and lives as long as anybody may give it up.
///
/// Giving up first claims the call, as a reply does: whoever claims it decides how the call ends. Then it withdraws the molecule, if
/// it still waits, and only then signals the caller, who so finds that it does not wait any more. An injection that is in
/// progress meanwhile withdraws its molecule itself. The token refers to this, and not the other way round: when the last copy
/// of the call is dropped, the caller is told so.
final class PendingCall<Input: Sendable, Output: Sendable>: Caller, @unchecked Sendable {
  /// Where its molecules were put: one, and more if it was put back.
  private struct Tickets {
    var first: crucible_ticket?
    var others: [crucible_ticket] = []
    var areGivenUp = false
  }

  private let name: OpaquePointer
  private let waiter: UnsafeMutablePointer<crucible_waiter>
  private let result: UnsafeMutablePointer<Answer<Output>>
  private let tickets = Mutex(Tickets())
  private var refusal: CallError?

  // In one piece of memory: the waiter, its note, the result.
  private static var offsetOfNote: Int {
    offset(of: crucible_waiting.self, behind: MemoryLayout<crucible_waiter>.size)
  }
  private static var offsetOfResult: Int {
    offset(of: Answer<Output>.self, behind: offsetOfNote + MemoryLayout<crucible_waiting>.size)
  }
  private static func offset<T>(of type: T.Type, behind end: Int) -> Int {
    (end + MemoryLayout<T>.alignment - 1) / MemoryLayout<T>.alignment * MemoryLayout<T>.alignment
  }

  init(_ name: OpaquePointer) {
    self.name = name
    let memory = UnsafeMutableRawPointer.allocate(
      byteCount: Self.offsetOfResult + MemoryLayout<Answer<Output>>.size,
      alignment: max(MemoryLayout<crucible_waiting>.alignment, MemoryLayout<Answer<Output>>.alignment))
    waiter = memory.bindMemory(to: crucible_waiter.self, capacity: 1)
    waiter.initialize(to: crucible_waiter())
    result = (memory + Self.offsetOfResult).bindMemory(to: Answer<Output>.self, capacity: 1)
    result.initialize(to: Answer())
  }

  deinit {
    result.deinitialize(count: 1)
    UnsafeMutableRawPointer(waiter).deallocate()
  }

  /// What others see of the caller while it waits; made only then.
  private var note: UnsafeMutablePointer<crucible_waiting> {
    (UnsafeMutableRawPointer(waiter) + Self.offsetOfNote).bindMemory(to: crucible_waiting.self, capacity: 1)
  }

  /// False: refused; then there is nothing to wait for.
  func inject(_ input: Input) -> Bool {
    let token = Unmanaged<ReplyToken>.fromOpaque(
      ReplyToken.make(waiter: waiter, result: UnsafeMutableRawPointer(result))
    ).takeRetainedValue()
    token.caller = self
    if inject(Call(input: input, token: consume token), times: 0) { return true }
    refusal = .refused
    return false
  }

  /// Injects it again, after the body that had it has thrown. False: refused. One that has been given up stays away.
  func putBack(_ call: Call<Input, Output>, time: Int) -> Bool {
    if hasEnded || inject(call, times: time) { return true }
    let reason = Outcome.of(crucible_last_refusal())
    if claim(for: reason) { crucible_waiter_signal(waiter, reason) }
    return false
  }

  private func inject(_ call: consuming Call<Input, Output>, times: Int) -> Bool {
    var ticket = crucible_ticket()
    if !Payload.inject(call, into: name, times: times, ticket: &ticket) { return false }
    let isGivenUp = tickets.withLock { tickets in
      if tickets.first == nil { tickets.first = ticket } else { tickets.others.append(ticket) }
      return tickets.areGivenUp
    }
    if isGivenUp { withdraw(ticket) }
    return true
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
    if Payload<Call<Input, Output>>.withdraw(from: name, ticket: ticket) { wasWithdrawn() }
  }

  override func wasWithdrawn() { tell { .withdrew($0) } }

  override func willEnd(_ outcome: UInt32) {
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
  var isAnswered: Bool { crucible_waiter_is_signalled(waiter) }

  /// Suspends the task until the call has ended; not at all if it has already. Meanwhile the caller can be seen.
  nonisolated(nonsending) func wait(_ limit: Duration?, _ file: StaticString, _ line: UInt) async {
    if isAnswered { return }
    note.initialize(to: crucible_waiting(name, waiter, limit, file, line))
    // Before it suspends: whoever signals it then lets it go on at once.
    crucible_waiting_begin(note, false)
    defer { crucible_waiting_end(note) }
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      // Resumed by the signaller, or here if it came first.
      waiter.pointee.context = continuation.pointer
      waiter.pointee.resume = { UnsafeContinuation(pointer: $0.pointee.context!).resume() }
      if !crucible_waiter_suspend(waiter) { continuation.resume() }
    }
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

  /// The reply, once the call has ended.
  func take() throws(CallError) -> Output {
    if let refusal { throw refusal }
    return try result.pointee.get(waiter.pointee.outcome)
  }
}

/// A continuation is one pointer, to the task: so it needs no room of its own where C keeps one.
extension UnsafeContinuation<Void, Never> {
  fileprivate var pointer: UnsafeMutableRawPointer { unsafeBitCast(self, to: UnsafeMutableRawPointer.self) }
  fileprivate init(pointer: UnsafeMutableRawPointer) { self = unsafeBitCast(pointer, to: Self.self) }
}
