import Crucible

/// The events that a probe received, and the tests that wait for them.
final class Board: Sendable {
  enum End {
    case come
    case late(remaining: Int)
    case cancelled
  }

  private struct Wait {
    var remaining: Int
    /// Whether it counts molecules that have arrived, instead of events.
    let ofArrivals: Bool
    let weight: @Sendable (Soup.Event) -> Int
    var end: End?
    var continuation: UnsafeContinuation<End, Never>?
  }

  private struct State {
    var events: [Soup.Event] = []
    /// The injections of which the molecules are in the soup or were consumed.
    var arrivals: [Soup.Event] = []
    /// By thread, the injections that are about to happen.
    var begun: [UInt: [Soup.Event]] = [:]
    var notesEnds = false
    var waits: [Int: Wait] = [:]
    var last = 0

    /// The waits that go on, with their conditions.
    func open(_ isIncluded: (Wait) -> Bool) -> [Int: @Sendable (Soup.Event) -> Int] {
      waits.filter { $0.value.end == nil && isIncluded($0.value) }.mapValues(\.weight)
    }
  }

  private let state = Guarded(State())

  var events: [Soup.Event] { state.withLock { $0.events } }

  /// Notes an event. It computes the weights without the lock, because a condition may use the probe and the soup.
  func note(_ event: Soup.Event) {
    let thread = currentSystemThread()
    let (waits, arrived) = state.withLock { state in
      state.events.append(event)
      if case .refused = event.kind { _ = state.begun[thread]?.popLast() }
      // A thread that has a later event is inside the injection, or has ended it.
      var arrived = state.begun.removeValue(forKey: thread) ?? []
      if case .injected = event.kind {
        if state.notesEnds { state.begun[thread] = [event] } else { arrived.append(event) }
      }
      return (state.open { !$0.ofArrivals }, arrived)
    }
    for (id, weight) in waits { count(weight(event), for: id) }
    arrive(arrived)
  }

  /// From now on `noteEnd` is called at the end of each injection. Before, an injection counts from its event on.
  func beginNotingEnds() { state.withLock { $0.notesEnds = true } }

  /// Notes that an injection on this thread ends.
  func noteEnd() { arrive(state.withLock { $0.begun.removeValue(forKey: currentSystemThread()) } ?? []) }

  private func arrive(_ events: [Soup.Event]) {
    if events.isEmpty { return }
    let waits = state.withLock { state in
      state.arrivals += events
      return state.open(\.ofArrivals)
    }
    for (id, weight) in waits { for event in events { count(weight(event), for: id) } }
  }

  /// Begins a wait until the events since the beginning have that weight together. The caller must call `forget` after
  /// the wait.
  func begin(_ count: Int, ofArrivals: Bool, _ weight: @escaping @Sendable (Soup.Event) -> Int) -> Int {
    let (id, past) = state.withLock { state in
      state.last += 1
      state.waits[state.last] = Wait(
        remaining: count, ofArrivals: ofArrivals, weight: weight, end: count <= 0 ? .come : nil)
      return (state.last, ofArrivals ? state.arrivals : state.events)
    }
    for event in past { self.count(weight(event), for: id) }
    return id
  }

  func forget(_ id: Int) { state.withLock { $0.waits[id] = nil } }

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

  /// Ends a wait as too late, unless it has ended.
  func endLate(_ id: Int) { end(id, .late(remaining: state.withLock { $0.waits[id]?.remaining ?? 0 })) }

  /// Ends a wait, unless it has ended.
  func end(_ id: Int, _ end: End) {
    let continuation = state.withLock { state -> UnsafeContinuation<End, Never>? in
      guard let wait = state.waits[id], wait.end == nil else { return nil }
      state.waits[id]!.end = end
      return wait.continuation
    }
    continuation?.resume(returning: end)
  }

  private func count(_ weight: Int, for id: Int) {
    let continuation = state.withLock { state -> UnsafeContinuation<End, Never>? in
      guard let wait = state.waits[id], wait.end == nil else { return nil }
      state.waits[id]!.remaining -= weight
      if wait.remaining > weight { return nil }
      state.waits[id]!.end = .come
      return wait.continuation
    }
    continuation?.resume(returning: .come)
  }
}
