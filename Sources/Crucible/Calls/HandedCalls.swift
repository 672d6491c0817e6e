import CCrucible

// Calls that are themselves molecules: a body passes its call on by `miss(call)`.
//
// The bag of such a name is like any other. `HandedCallDestructor.carry` makes the single injections, and notes the
// place of the molecule. When the caller gives up, it withdraws the molecule there, and `explain()` finds it.
//
//   HANDED-1  A call that has given up leaves no molecule. The thread that passes it on first notes the place. Then it
//       checks whether the caller has given up. The caller sets that state, and reads the names, under the same lock,
//       so one of the two finds the other.
//   HANDED-2  A token is not used for another call while a molecule has it. So if a place that is noted for a token
//       still holds its molecule, the molecule is that call's. Any other withdrawal at such a place finds nothing.
//
// Names of other values pay nothing: the core reaches this code through its first indirect jump.

@usableFromInline
protocol AnyCall: Sendable {
  static var destructor: Destructor { get }
  /// The failed input of a body that took the call and threw.
  var failed: FailedInput { get }
  var token: ReplyToken { get }
}

extension Call: AnyCall {
  @usableFromInline static var destructor: Destructor { HandedCallDestructor<Input, Output>() }
  @usableFromInline var failed: FailedInput { FailedCall(self) }
}

/// The destructor of slow molecules that are calls.
final class HandedCallDestructor<Input: Sendable, Output: Sendable>: CallDestructor<Input, Output> {
  private var all: HandedCalls?

  override var handsCallsOn: Bool { true }

  override func begin(_ name: OpaquePointer) {
    all = HandedCalls(name) { Call<Input, Output>.withdraw(from: $0, ticket: $1) }
  }

  override func carry(_ value: UnsafeMutableRawPointer) -> Bool { carry(value, times: 0) }

  /// Injects a call that was put back, with the number of times. Returns false if the soup refuses it.
  func putBack(_ call: Call<Input, Output>, time: Int) -> Bool { Payload.lend(call) { carry($0, times: time) } }

  private func carry(_ value: UnsafeMutableRawPointer, times: Int) -> Bool {
    let (place, caller) = Payload<Call<Input, Output>>.with(value) { call in
      (HandedCalls.Place(call.token), call.token.caller)
    }
    if let caller, caller.isGivenUp {
      crucible_inject_withdrawn(all!.name)
      _ = Payload<Call<Input, Output>>.take(value)
      all!.tellWithdrawn()
      return true
    }
    // Before the injection, which orders the store: after it the call may end, and the caller may use the record again.
    caller?.isReusable.store(false, ordering: .relaxed)
    Payload<Call<Input, Output>>.with(value) { $0.token.note(loss: nil) }
    var ticket = crucible_ticket()
    guard crucible_inject_tracked(all!.name, value, UInt64(times), false, &ticket) else { return false }
    // From here on the call may have ended. Then only the caller remains of it.
    all!.add(place, ticket)
    caller?.wasHandedOn(to: all!, place)
    return true
  }

  override func tellWithdrawn(_ token: ReplyToken) { all!.tellWithdrawn() }
}

extension Payload {
  static func put(_ value: Value, at pointer: UnsafeMutableRawPointer) {
    if isBoxed {
      pointer.initializeMemory(as: Box.self, to: Box(value))
    } else {
      pointer.initializeMemory(as: Value.self, to: value)
    }
  }

  static func with<Result>(_ pointer: UnsafeMutableRawPointer, _ body: (borrowing Value) -> Result) -> Result {
    isBoxed
      ? body(pointer.assumingMemoryBound(to: Box.self).pointee.value)
      : body(pointer.assumingMemoryBound(to: Value.self).pointee)
  }
}

/// The calls in the bag of one name.
final class HandedCalls: @unchecked Sendable {
  /// The key of a call here: addresses that no code follows.
  struct Place: Hashable, @unchecked Sendable {
    private let token: UnsafeRawPointer
    let waiter: UnsafeRawPointer

    init(_ token: ReplyToken) {
      self.token = UnsafeRawPointer(Unmanaged.passUnretained(token).toOpaque())
      waiter = UnsafeRawPointer(token.waiter!)
    }
  }

  private struct Entries {
    var tickets: [Place: [crucible_ticket]] = [:]
    /// From this number of tickets on, `add` removes those whose molecules are gone.
    var most = 16
  }

  let name: OpaquePointer
  /// Its name lives as long as this object, which callers retain.
  private let handle: SoupHandle
  private let takeBack: (OpaquePointer, crucible_ticket) -> Bool
  private let entries = Guarded(Entries())

  private struct Reference: @unchecked Sendable { weak var calls: HandedCalls? }
  /// The calls of all soups: a call may be a molecule of another soup than the caller's.
  private static let everywhere = Guarded<[ObjectIdentifier: Reference]>([:])

  init(_ name: OpaquePointer, takeBack: @escaping (OpaquePointer, crucible_ticket) -> Bool) {
    self.name = name
    self.takeBack = takeBack
    handle = SoupHandle(crucible_name_soup(name), owns: false)
    Self.everywhere.withLock { $0[ObjectIdentifier(self)] = Reference(calls: self) }
  }

  deinit { Self.everywhere.withLock { $0[ObjectIdentifier(self)] = nil } }

  /// Notes that a molecule of the call has been injected. Requires: the soup is held.
  func add(_ place: Place, _ ticket: crucible_ticket) {
    entries.withLock { entries in
      if entries.tickets.count >= entries.most {
        entries.tickets = entries.tickets.filter { $0.value.contains(where: isThere) }
        entries.most = max(16, 2 * entries.tickets.count)
      }
      var tickets = entries.tickets[place] ?? []
      // At each power of two, because the same call may be added and removed many times.
      if tickets.count & (tickets.count - 1) == 0 { tickets.removeAll { !isThere($0) } }
      tickets.append(ticket)
      entries.tickets[place] = tickets
    }
  }

  /// Withdraws the molecules of a call whose caller has given up.
  func withdraw(_ place: Place) {
    let tickets = entries.withLock { $0.tickets.removeValue(forKey: place) } ?? []
    for ticket in tickets where takeBack(name, ticket) { tellWithdrawn() }
  }

  func tellWithdrawn() { SoupContext.tell(of: name) { .withdrew($0) } }

  private func isThere(_ ticket: crucible_ticket) -> Bool {
    var ticket = ticket
    return crucible_still_waits(name, &ticket)
  }

  /// Returns the callers among `waiters` whose call is in a bag, each with the name of that bag.
  static func names(of waiters: Set<UnsafeRawPointer>) -> [UnsafeRawPointer: HandedCalls] {
    let all = everywhere.withLock { $0.values.compactMap(\.calls) }
    var result: [UnsafeRawPointer: HandedCalls] = [:]
    for calls in all {
      let tickets = calls.entries.withLock { $0.tickets.filter { waiters.contains($0.key.waiter) } }
      for (place, tickets) in tickets where tickets.contains(where: calls.isThere) { result[place.waiter] = calls }
    }
    return result
  }
}
