import Synchronization

/// The calls of one process to one soup that wait for their replies.
///
/// One thread waits on the client's bell for all suspended callers. It reads the outcomes of the client's calls by one
/// query a ring, and also ends the calls of callers that give up. It ends when there was no call for a while. A blocked
/// caller waits itself.
///
/// Keeps invariant 6 of `Store`: a caller that gives up asks the engine to withdraw the call, and gets the outcome that
/// the engine had decided by then, if there is one. If the engine fails, the caller gets its error. The call is then
/// withdrawn with the next step of this process, before a reply could go to nobody.
final class Replies: Sendable {
  /// How a call ended, for its caller.
  enum End: Sendable {
    case outcome(CallOutcome)
    case timedOut
    case cancelled
    case failed(any Error)
  }

  private struct Waiting {
    let losses: Int
    let deadline: Int64?
    let continuation: CheckedContinuation<End, Never>
    var isCancelled = false
  }
  private struct State {
    var waiting: [ClientID: Waiting] = [:]
    var isWatched = false
    var read: [ClientID] = []
    /// The calls that ended for their callers, and that the engine may still have.
    var abandoned: Set<ClientID> = []
    var last: Int64 = 0
  }

  private let store: any Store
  private let soup: Int64
  private let client = Int64.random(in: 1...Int64.max)
  private let state = Mutex(State())
  private var bell: Int { Bell.ofClient(client) }

  init(_ store: any Store, _ soup: Int64) {
    self.store = store
    self.soup = soup
  }

  /// A call, and what the engine had lost before it.
  struct NewCall {
    let id: ClientID
    let losses: Int
  }

  func newCall() -> NewCall {
    let number = state.withLock {
      $0.last += 1
      return $0.last
    }
    return NewCall(id: ClientID(client: client, number: number), losses: store.losses(of: soup))
  }

  private static let lost = EngineError(
    .system, "the engine has lost steps that it had acknowledged, and perhaps this call")

  /// Runs a step, and passes it the calls that the engine may forget: abandoned calls, and calls whose outcomes were
  /// read. If no step follows, the engine forgets calls with an outcome after a day.
  func forgetting<Result>(_ step: ([ClientID]) throws -> Result) rethrows -> Result {
    let (read, abandoned) = state.withLock { state in
      defer { (state.read, state.abandoned) = ([], []) }
      return (state.read, state.abandoned)
    }
    do {
      return try step(read + abandoned)
    } catch {
      state.withLock { $0.read += read }
      abandon(abandoned)
      throw error
    }
  }

  /// Notes that a call could not be injected. If the engine failed, it may have the call all the same.
  func giveUp(_ call: NewCall, after error: any Error) {
    if (error as? EngineError)?.kind == .system { abandon([call.id]) }
  }

  private func abandon(_ calls: Set<ClientID>) {
    if calls.isEmpty { return }
    state.withLock { $0.abandoned.formUnion(calls) }
    // Without a thread, the next step does it.
    try? beginToWatch()
  }

  private func beginToWatch() throws {
    let isNew = try state.withLock { state in
      if state.isWatched { return false }
      try onOwnThread { self.watch() }
      state.isWatched = true
      return true
    }
    if !isNew { ringMyself() }
  }

  func wait(for call: NewCall, until deadline: Int64?) async -> End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        state.withLock { state in
          // A cancellation before this one has found nothing to mark.
          state.waiting[call.id] = Waiting(
            losses: call.losses, deadline: deadline, continuation: continuation, isCancelled: Task.isCancelled)
        }
        do {
          try beginToWatch()
        } catch {
          let waiting = state.withLock { $0.waiting.removeValue(forKey: call.id) }
          abandon([call.id])
          waiting?.continuation.resume(returning: .failed(error))
        }
      }
    } onCancel: {
      state.withLock { $0.waiting[call.id]?.isCancelled = true }
      ringMyself()
    }
  }

  func block(for new: NewCall, until deadline: Int64?) -> End {
    let call = new.id
    while true {
      let seen = store.bell.read(bell)
      do {
        if let outcome = try store.outcomes(of: client, in: soup)[call.number] {
          state.withLock { $0.read.append(call) }
          return .outcome(outcome)
        }
        if store.losses(of: soup) > new.losses { throw Replies.lost }
        let now = MachineClock.monotonic.now
        if let deadline, now >= deadline {
          return try store.withdraw([call], from: soup)[0].map { .outcome($0) } ?? .timedOut
        }
        let patience = min(deadline.map { $0 - now } ?? Int64.max, longestWait)
        store.bell.wait(bell, seen: seen, Bell.everybody, atMost: patience)
      } catch {
        abandon([call])
        return .failed(error)
      }
    }
  }

  private func ringMyself() { store.bell.ring(bell, Bell.everybody, all: true) }

  /// Serves the suspended callers, until none came during one wait.
  private func watch() {
    var wasIdle = false
    while true {
      let seen = store.bell.read(bell)
      serve(Result { try store.outcomes(of: client, in: soup) })
      let now = MachineClock.monotonic.now
      let next: Int64? = state.withLock { state in
        if state.waiting.isEmpty && state.abandoned.isEmpty {
          defer { wasIdle = true }
          if !wasIdle { return now.adding(longestWait) }
          state.isWatched = false
          return nil
        }
        wasIdle = false
        return min(state.waiting.values.compactMap(\.deadline).min() ?? Int64.max, now.adding(longestWait))
      }
      guard let next else { return }
      store.bell.wait(bell, seen: seen, Bell.everybody, atMost: next - MachineClock.monotonic.now)
    }
  }

  /// Ends the calls that have an outcome, and withdraws those of callers that give up, in one step.
  private func serve(_ result: Result<[Int64: CallOutcome], any Error>) {
    let (now, losses) = (MachineClock.monotonic.now, store.losses(of: soup))
    var (ended, leaving): ([(Waiting, End)], [(ClientID, Waiting, End)]) = ([], [])
    let abandoned = state.withLock { state in
      for (call, waiting) in state.waiting {
        switch result {
        case .success(let outcomes):
          if let outcome = outcomes[call.number] {
            ended.append((waiting, .outcome(outcome)))
            state.read.append(call)
          } else if waiting.isCancelled || waiting.deadline.map({ now >= $0 }) == true {
            leaving.append((call, waiting, waiting.isCancelled ? .cancelled : .timedOut))
          } else if losses > waiting.losses {
            leaving.append((call, waiting, .failed(Replies.lost)))
          } else {
            continue
          }
        case .failure(let error): leaving.append((call, waiting, .failed(error)))
        }
        state.waiting[call] = nil
      }
      return state.abandoned
    }
    for (waiting, end) in ended { waiting.continuation.resume(returning: end) }
    if leaving.isEmpty && abandoned.isEmpty { return }
    do {
      let outcomes = try store.withdraw(leaving.map(\.0) + abandoned, from: soup)
      state.withLock { $0.abandoned.subtract(abandoned) }
      for ((_, waiting, end), outcome) in zip(leaving, outcomes) {
        waiting.continuation.resume(returning: outcome.map { .outcome($0) } ?? end)
      }
    } catch {
      let isGone = (error as? EngineError)?.kind == .destroyed
      state.withLock { $0.abandoned = isGone ? [] : $0.abandoned.union(leaving.map(\.0)) }
      for (_, waiting, _) in leaving { waiting.continuation.resume(returning: .failed(error)) }
    }
  }
}

/// The longest wait for a bell without a look: the ring of a process that was killed after its commit is lost.
let longestWait: Int64 = 3_000_000_000
