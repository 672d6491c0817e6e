import CCrucible

// Each select has two objects. `SelectContents` owns the data that soups may still refer to. The core's select keeps it
// until no soup contains anything of it. `WaitingSelect` belongs to the caller, its alarm and its cancellation, and
// keeps the core's select.
//
// The thread that decides the select signals the waiter once. It does so with the reply to the branch that reacted,
// when the last branch drops out, or when the caller gives up.

/// The branches of a select, and the waiter of its caller.
class AnySelectContents: @unchecked Sendable {
  /// The names of the branches, in their order. Nothing changes them after the select has begun.
  final var names: [OpaquePointer]
  /// The name of the first branch in the arguments. Nil if there is none.
  fileprivate let first: OpaquePointer?
  let waiter = UnsafeMutablePointer<crucible_waiter>.allocate(capacity: 1)
  private var select: OpaquePointer?

  init(_ names: [OpaquePointer]) {
    self.names = names
    first = names.first
    waiter.initialize(to: crucible_waiter())
  }

  deinit { waiter.deallocate() }

  /// Ends the branches. Requires: no soup contains any of them. `winner` is the branch whose value a body got.
  func end(winner: Int) {}

  func create(_ branches: [crucible_branch]) -> OpaquePointer? {
    let context = Unmanaged.passRetained(self)
    select = crucible_select_create(branches, branches.count, AnySelectContents.binding, context.toOpaque())
    if select == nil { context.release() }
    return select
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Unmanaged<AnySelectContents> {
    Unmanaged<AnySelectContents>.fromOpaque(context!)
  }

  /// Never freed.
  private nonisolated(unsafe) static let binding: UnsafePointer<crucible_select_binding> = {
    let binding = UnsafeMutablePointer<crucible_select_binding>.allocate(capacity: 1)
    binding.initialize(
      to: crucible_select_binding(
        selects: { core, reaction in SoupContext.of(core).beginSelecting(reaction) },
        put_back: { name, value, attempts, origin in
          let destructor = Unmanaged<Destructor>.fromOpaque(crucible_name_context(name)!).takeUnretainedValue()
          let (_, left) = Origin.give(origin.map { [Origin.take($0)] } ?? []) {
            destructor.putBack(value, as: name, time: Int(attempts))
          }
          for origin in left { origin.end() }
        },
        left: { context, branch, reason in
          if reason == CRUCIBLE_WITHDRAWN {
            SoupContext.tell(of: of(context).takeUnretainedValue().names[branch]) { .withdrew($0) }
          }
        },
        ended: { context, reason in
          crucible_waiter_signal(of(context).takeUnretainedValue().waiter, Outcome.of(reason))
        },
        release: { context in
          let contents = of(context).takeRetainedValue()
          contents.end(winner: crucible_select_winner(contents.select!))
        }))
    return UnsafePointer(binding)
  }()
}

/// A select as its caller sees it while it waits.
final class WaitingSelect: GivingUp, @unchecked Sendable {
  private let select: OpaquePointer
  private let contents: AnySelectContents
  private let notes: UnsafeMutablePointer<crucible_waiting>
  let alarm = UnsafeMutablePointer<crucible_alarm>.allocate(capacity: 1)

  /// Takes over the caller's reference to the core's select.
  init(_ select: OpaquePointer, _ contents: AnySelectContents) {
    self.select = select
    self.contents = contents
    notes = .allocate(capacity: contents.names.count)
  }

  deinit {
    crucible_select_release(select)
    notes.deallocate()
    alarm.deallocate()
  }

  /// Injects the calls, until the select is decided.
  func begin() throws(CallError) {
    if crucible_select_begin(select) != CRUCIBLE_OK { throw .failed(NoMemory()) }
  }

  /// The branch that reacted. Nil if none did; the waiter has the reason. The caller must read it after the wait.
  var winner: Int? {
    let winner = crucible_select_winner(select)
    return winner < contents.names.count ? winner : nil
  }

  func giveUp(_ outcome: UInt32) {
    if crucible_select_give_up(select) { crucible_waiter_signal(waiter, outcome) }
  }

  private var waiter: UnsafeMutablePointer<crucible_waiter> { contents.waiter }
  private var isOver: Bool { crucible_waiter_is_signalled(waiter) }

  private func deadline(_ limit: Duration?) -> Deadline? {
    limit.map { Deadline(after: $0, calling: contents.first!) }
  }

  /// Makes the caller visible in every soup that it calls.
  private func beginNotes(_ limit: UInt64, _ file: StaticString, _ line: UInt, isThread: Bool) {
    for (index, name) in contents.names.enumerated() {
      (notes + index).initialize(to: crucible_waiting(name, waiter, limit, file, line))
      crucible_waiting_begin(notes + index, isThread)
    }
  }

  private func endNotes() { for index in contents.names.indices { crucible_waiting_end(notes + index) } }

  /// Suspends the task until the select is over. Its cancellation, or the limit, gives it up.
  nonisolated(nonsending)
    func wait(within limit: Duration?, _ file: StaticString, _ line: UInt) async
  {
    if isOver { return }
    let deadline = deadline(limit)
    beginNotes(deadline?.limit ?? .max, file, line, isThread: false)
    await suspend(waiter, until: deadline)
    endNotes()
  }

  /// Blocks the thread until the select is over, or the limit gives it up.
  func waitBlocking(within limit: Duration?, _ file: StaticString, _ line: UInt) {
    if isOver { return }
    let deadline = deadline(limit)
    let isSet = deadline.map(setAlarm) ?? false
    beginNotes(deadline?.limit ?? .max, file, line, isThread: true)
    let stations = contents.names.reduce(into: [Station]()) { found, name in
      found += Station.current(of: crucible_name_soup(name)).filter { !found.contains($0) }
    }
    if stations.isEmpty {
      crucible_waiter_wait(waiter)
    } else {
      Station.serve(stations, until: waiter, deadline: nil) {}
    }
    endNotes()
    if isSet { cancelAlarm(of: deadline!) }
  }
}
