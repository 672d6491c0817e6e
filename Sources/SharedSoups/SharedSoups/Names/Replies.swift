import Dispatch
import Synchronization

/// The calls of one process to one soup that wait for their replies.
///
/// One thread waits on the client's bell for all suspended callers. It reads the outcomes of the client's calls by one
/// query a ring, and also ends the calls of callers that give up. It ends when there was no call for a while. A blocked
/// caller waits itself.
///
/// Keeps invariant 6 of `Store`: a caller that gives up asks the engine to withdraw the call, and gets the outcome that
/// the engine had decided by then, if there is one.
final class Replies: Sendable {
  /// How a call ended, for its caller.
  enum End: Sendable {
    case outcome(CallOutcome)
    case timedOut
    case cancelled
    case failed(any Error)
  }

  private struct Waiting {
    let deadline: Int64?
    let continuation: CheckedContinuation<End, Never>
    var isCancelled = false
  }
  private struct State {
    var waiting: [Int64: Waiting] = [:]
    var isWatched = false
    var read: [ClientID] = []
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

  func newCall() -> ClientID {
    state.withLock {
      $0.last += 1
      return ClientID(client: client, number: $0.last)
    }
  }

  /// The calls whose outcomes were read, for the next injection to forget. If there is none, the engine does after a
  /// day.
  func read() -> [ClientID] {
    state.withLock { state in
      defer { state.read = [] }
      return state.read
    }
  }

  func wait(for call: ClientID, until deadline: Int64?) async -> End {
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let mustWatch = state.withLock { state in
          // A cancellation before this one has found nothing to mark.
          state.waiting[call.number] = Waiting(
            deadline: deadline, continuation: continuation, isCancelled: Task.isCancelled)
          defer { state.isWatched = true }
          return !state.isWatched
        }
        if mustWatch { DispatchQueue(label: "Crucible.Replies").async { self.watch() } } else { ringMyself() }
      }
    } onCancel: {
      state.withLock { $0.waiting[call.number]?.isCancelled = true }
      ringMyself()
    }
  }

  func block(for call: ClientID, until deadline: Int64?) -> End {
    while true {
      let seen = store.bell.read(bell)
      do {
        if let outcome = try store.outcomes(of: client)[call.number] {
          state.withLock { $0.read.append(call) }
          return .outcome(outcome)
        }
        let now = monotonicTime()
        if let deadline, now >= deadline { return try giveUp(call, .timedOut) }
        let patience = min(deadline.map { $0 - now } ?? Int64.max, longestWait)
        store.bell.wait(bell, seen: seen, Bell.everybody, atMost: patience)
      } catch {
        return .failed(error)
      }
    }
  }

  private func ringMyself() { store.bell.ring(bell, Bell.everybody, all: true) }

  private func giveUp(_ call: ClientID, _ end: End) throws -> End {
    try store.withdraw(call, from: soup).map { .outcome($0) } ?? end
  }

  /// Serves the suspended callers, until none came during one wait.
  private func watch() {
    var wasIdle = false
    while true {
      let seen = store.bell.read(bell)
      let result = Result { try store.outcomes(of: client) }
      let now = monotonicTime()
      var (ended, leaving): ([(Waiting, End)], [(Int64, Waiting)]) = ([], [])
      let next: Int64? = state.withLock { state in
        for (number, waiting) in state.waiting {
          switch result {
          case .success(let outcomes):
            if let outcome = outcomes[number] {
              ended.append((waiting, .outcome(outcome)))
              state.read.append(ClientID(client: client, number: number))
            } else if waiting.isCancelled || waiting.deadline.map({ now >= $0 }) == true {
              leaving.append((number, waiting))
            } else {
              continue
            }
          case .failure(let error): ended.append((waiting, .failed(error)))
          }
          state.waiting[number] = nil
        }
        if state.waiting.isEmpty {
          defer { wasIdle = true }
          if !wasIdle { return now.adding(longestWait) }
          state.isWatched = false
          return nil
        }
        wasIdle = false
        return min(state.waiting.values.compactMap(\.deadline).min() ?? Int64.max, now.adding(longestWait))
      }
      for (waiting, end) in ended { waiting.continuation.resume(returning: end) }
      for (number, waiting) in leaving {
        let call = ClientID(client: client, number: number)
        do {
          let end = try giveUp(call, waiting.isCancelled ? .cancelled : .timedOut)
          waiting.continuation.resume(returning: end)
        } catch {
          waiting.continuation.resume(returning: .failed(error))
        }
      }
      guard let next else { return }
      store.bell.wait(bell, seen: seen, Bell.everybody, atMost: next - monotonicTime())
    }
  }
}

/// The longest wait for a bell without a look: the ring of a process that was killed after its commit is lost.
let longestWait: Int64 = 3_000_000_000
