import Crucible
import Synchronization

/// The events that a probe was told, and who waits for which.
final class Board: Sendable {
  enum End {
    case come
    case late(remaining: Int)
    case cancelled
  }

  private struct Wait {
    var remaining: Int
    let weight: @Sendable (Event) -> Int
    var end: End?
    var continuation: UnsafeContinuation<End, Never>?
  }

  private struct State {
    var events: [Event] = []
    var waits: [Int: Wait] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  var events: [Event] { state.withLock { $0.events } }

  func note(_ event: Event) {
    let woken = state.withLock { state in
      state.events.append(event)
      return state.waits.keys.compactMap { id in
        let weight = state.waits[id]!.weight(event)
        return weight > 0 ? Board.count(weight, &state.waits[id]!) : nil
      }
    }
    for continuation in woken { continuation.resume(returning: .come) }
  }

  /// A wait for events of that weight together, since the beginning.
  func begin(_ count: Int, _ weight: @escaping @Sendable (Event) -> Int) -> Int {
    state.withLock { state in
      state.last += 1
      var wait = Wait(remaining: count, weight: weight)
      for event in state.events { _ = Board.count(weight(event), &wait) }
      if count <= 0 { wait.end = .come }
      state.waits[state.last] = wait
      return state.last
    }
  }

  /// Suspends until the wait has ended.
  func wait(for id: Int) async -> End {
    await withUnsafeContinuation { continuation in
      let end = state.withLock { state in
        if let end = state.waits[id]!.end { return end as End? }
        state.waits[id]!.continuation = continuation
        return nil
      }
      if let end { continuation.resume(returning: end) }
    }
  }

  /// Its time is over, unless it has ended.
  func endLate(_ id: Int) { end(id, .late(remaining: state.withLock { $0.waits[id]?.remaining ?? 0 })) }

  /// Unless it has ended.
  func end(_ id: Int, _ end: End) {
    let continuation = state.withLock { state -> UnsafeContinuation<End, Never>? in
      guard let wait = state.waits[id], wait.end == nil else { return nil }
      state.waits[id]!.end = end
      return wait.continuation
    }
    continuation?.resume(returning: end)
  }

  /// Answers whoever is to be woken.
  private static func count(_ weight: Int, _ wait: inout Wait) -> UnsafeContinuation<End, Never>? {
    if wait.end != nil { return nil }
    wait.remaining -= weight
    if wait.remaining > 0 { return nil }
    wait.end = .come
    return wait.continuation
  }
}
