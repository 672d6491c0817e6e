import CCrucible

// Each select has two objects. `SelectContents` owns the data that soups may still refer to. The core's select keeps it
// until no soup contains anything of it. `WaitingSelect` belongs to the caller, and keeps the core's select.
//
// The thread that decides the select signals the waiter once. It does so with the reply to the branch that reacted,
// when the last branch drops out, or when the caller gives up.

/// The calls of a select, and the waiter of its caller.
final class SelectContents: @unchecked Sendable {
  private let calls: [OpenCall]
  /// The name of the first branch in the arguments.
  fileprivate let first: OpaquePointer?
  let waiter = UnsafeMutablePointer<crucible_waiter>.allocate(capacity: 1)
  private var select: OpaquePointer?

  private init(_ calls: [OpenCall], first: OpaquePointer?) {
    self.calls = calls
    self.first = first
    waiter.initialize(to: crucible_waiter())
    for call in calls { call.connect(to: waiter) }
  }

  deinit { waiter.deallocate() }

  var names: [OpaquePointer] { calls.map(\.name) }

  /// Ends the select, and tells observers this outcome for each call. Requires: no call took place.
  func end(_ outcome: UInt32) {
    for call in calls { SoupContext.tell(outcome, of: call.name, at: Caller.address(inCallAt: call.value)) }
    crucible_waiter_signal(waiter, outcome)
  }

  /// Ends the branches. Requires: no soup contains any of them. `winner` is the branch whose value a body got.
  private func end(winner: Int) {
    for (index, call) in calls.enumerated() where index != winner { call.discard() }
  }

  /// Creates a select. Returns its branches, in the order in which it makes the calls.
  ///
  /// - Parameter objection: why no reaction could ever answer a call of that name. Throws if none could.
  static func begin<Result>(
    _ branches: [Soup.Branch<Result>], _ preference: Soup.Preference, at source: StaticSource,
    objection: (OpaquePointer) -> CallError?
  ) throws(CallError) -> (WaitingSelect, [OpenBranch<Result>]) {
    var open = branches.map { $0.begin() }
    let objections = branches.map(\.name).compactMap(objection)
    var refusal = refusal(of: open.map { $0.call.branch })
    if refusal == nil && objections.count == branches.count { refusal = objections[0] }
    if refusal == nil && preference == .none {
      // By the seed of the first one's soup.
      let soup: OpaquePointer = crucible_name_soup(branches[0].name)
      for last in stride(from: open.count - 1, to: 0, by: -1) {
        open.swapAt(last, Int(crucible_soup_choose(soup, UInt32(last + 1))))
      }
    }
    let contents = SelectContents(open.map(\.call), first: branches.first?.name)
    guard refusal == nil, let select = contents.create() else {
      contents.end(winner: branches.count)
      throw refusal ?? .failed(NoMemory())
    }
    let waiting = WaitingSelect(select, contents)
    noteCalls(branches.count, of: branches[0].name, at: source)
    if crucible_select_begin(select) != CRUCIBLE_OK {
      contents.end(Outcome.failed)
      throw .failed(NoMemory())
    }
    return (waiting, open)
  }

  private static func refusal(of calls: [crucible_branch]) -> CallError? {
    var culprits: [OpaquePointer?] = [nil, nil]
    let status = crucible_select_check(calls, calls.count, &culprits)
    switch status {
    case CRUCIBLE_OK: return nil
    case CRUCIBLE_NO_BRANCHES: return .failed(SelectError(cause: .noBranches))
    case CRUCIBLE_NOT_FROZEN: return .failed(SelectError(cause: .isBeingDefined(labelOfName(culprits[0]!))))
    default: return .failed(SelectError(cause: .sharedReaction(labelOfName(culprits[0]!), labelOfName(culprits[1]!))))
    }
  }

  private func create() -> OpaquePointer? {
    let context = Unmanaged.passRetained(self)
    select = crucible_select_create(calls.map(\.branch), calls.count, Self.binding, context.toOpaque())
    if select == nil { context.release() }
    return select
  }

  private static func of(_ context: UnsafeMutableRawPointer?) -> Unmanaged<SelectContents> {
    Unmanaged<SelectContents>.fromOpaque(context!)
  }

  /// Never freed.
  private nonisolated(unsafe) static let binding: UnsafePointer<crucible_select_binding> = {
    let binding = UnsafeMutablePointer<crucible_select_binding>.allocate(capacity: 1)
    binding.initialize(
      to: crucible_select_binding(
        selects: { core, reaction in SoupContext.of(core).beginSelecting(reaction) },
        put_back: { name, value, attempts, origin in
          Origin.giveAll(origin.map { [Origin.take($0)] } ?? []) {
            Destructor.of(name)!.putBack(value, as: name, time: Int(attempts))
          }
        },
        left: { context, branch, reason in
          if reason == CRUCIBLE_WITHDRAWN {
            let call = of(context).takeUnretainedValue().calls[branch]
            SoupContext.tell(of: call.name, at: Caller.address(inCallAt: call.value)) { .withdrew($0) }
          }
        },
        ended: { context, reason in of(context).takeUnretainedValue().end(Outcome.of(reason)) },
        release: { context in
          let contents = of(context).takeRetainedValue()
          contents.end(winner: crucible_select_winner(contents.select!))
        }))
    return UnsafePointer(binding)
  }()
}

extension OpenCall {
  fileprivate var branch: crucible_branch { crucible_branch(name: name, value: value, owns: owns) }
}

final class WaitingSelect: GivingUp, @unchecked Sendable {
  private let select: OpaquePointer
  private let contents: SelectContents
  private let notes: UnsafeMutablePointer<crucible_waiting>
  let alarm = UnsafeMutablePointer<crucible_alarm>.allocate(capacity: 1)

  /// Takes over the caller's reference to the core's select.
  init(_ select: OpaquePointer, _ contents: SelectContents) {
    self.select = select
    self.contents = contents
    notes = .allocate(capacity: contents.names.count)
  }

  deinit {
    crucible_select_release(select)
    notes.deallocate()
    alarm.deallocate()
  }

  /// Returns the reply, or throws the reason why there is none. The caller must call this once, after the wait.
  func result<Result>(of branches: [OpenBranch<Result>]) throws(CallError) -> Result {
    let winner = crucible_select_winner(select)
    guard winner < branches.count else { throw CallError(outcome: waiter.pointee.outcome) }
    return try branches[winner].result()
  }

  func giveUp(_ outcome: UInt32) {
    if crucible_select_give_up(select) { contents.end(outcome) }
  }

  private var waiter: UnsafeMutablePointer<crucible_waiter> { contents.waiter }
  private var isOver: Bool { crucible_waiter_is_signalled(waiter) }

  /// Makes the caller visible in every soup that it calls.
  private func beginNotes(_ limit: UInt64, _ file: StaticString, _ line: UInt, isThread: Bool) {
    for (index, name) in contents.names.enumerated() {
      (notes + index).initialize(to: crucible_waiting(name, waiter, limit, file, line))
      crucible_waiting_begin(notes + index, isThread)
    }
  }

  private func endNotes() { for index in contents.names.indices { crucible_waiting_end(notes + index) } }

  nonisolated(nonsending)
    func wait(within limit: Duration?, _ file: StaticString, _ line: UInt) async
  {
    if isOver { return }
    let deadline = limit.map { Deadline(after: $0, calling: contents.first!) }
    beginNotes(deadline?.limit ?? .max, file, line, isThread: false)
    await suspend(waiter, until: deadline)
    endNotes()
  }

  func waitBlocking(within limit: Duration?, _ file: StaticString, _ line: UInt) {
    if isOver { return }
    let deadline = limit.map { Deadline(after: $0, calling: contents.first!) }
    let isSet = deadline.map(setAlarm) ?? false
    beginNotes(deadline?.limit ?? .max, file, line, isThread: true)
    let stations = contents.names.reduce(into: [Station]()) { found, name in
      found += Station.current(of: crucible_name_soup(name)).filter { !found.contains($0) }
    }
    if stations.isEmpty {
      crucible_waiter_wait(waiter)
    } else {
      Station.serve(stations, until: waiter)
    }
    endNotes()
    if isSet { cancelAlarm(of: deadline!) }
  }
}
