import CCrucible

/// The alarms of one soup by a clock other than the continuous one: a heap, and a task that sleeps until the earliest.
///
/// Alarms go off in the order of their times; alarms of the same time go off in the order in which they were set. A
/// task exists only while an alarm is set. An alarm that is set before all others cancels the sleeping task, and
/// another task replaces it. `generation` shows which task is in charge.
///
/// The clock ends at `end`: its time stands still there, and an alarm from that time on never goes off. No task sleeps
/// for it. So no sum of times overflows.
///
/// The lock is never held while code of the clock or an alarm's function runs.
package final class ClockAlarms: Sendable {
  fileprivate struct Entry {
    let time: UInt64
    let number: UInt64
    let alarm: UnsafeMutablePointer<crucible_alarm>

    func isBefore(_ other: Entry) -> Bool { (time, number) < (other.time, other.number) }
  }

  fileprivate struct State: @unchecked Sendable {
    /// The heap. The `wheel` of each alarm is its index here.
    var heap: [Entry] = []
    var lastNumber: UInt64 = 0
    var sleeper: Task<Void, Never>?
    var generation: UInt64 = 0
    /// The time until which the task sleeps; the maximum if there is none.
    var sleepsUntil = UInt64.max
    /// The task calls the due alarms, and checks again before it sleeps.
    var isAwake = false
  }

  private enum Step: @unchecked Sendable {
    case act(UnsafeMutablePointer<crucible_alarm>)
    case sleep(until: UInt64)
    case end
  }

  /// 292 years after the clock was made, in nanoseconds.
  private static let end = UInt64(Int64.max)

  private let state = Guarded(State())
  /// Whether a controlled run advances the clock. Then there is no task, and the run calls the alarms.
  private let isDriven: Bool
  let now: @Sendable () -> UInt64
  private let sleep: @Sendable (UInt64) async throws -> Void

  init<C: Clock>(_ clock: C) where C.Duration == Duration {
    let origin = clock.now
    now = { min(origin.duration(to: clock.now).nanoseconds, Self.end) }
    sleep = { try await clock.sleep(until: origin.advanced(by: .nanoseconds(Int64(clamping: $0))), tolerance: nil) }
    let driver = clock as? any DrivenClock
    isDriven = driver != nil
    driver?.add(self)
  }

  /// Whether a due alarm has not gone off, or its function has not returned.
  var isAnyDue: Bool {
    let now = now()
    return state.withLock { $0.isAwake || $0.heap.first.map { $0.time <= now } ?? false }
  }

  func set(_ alarm: UnsafeMutablePointer<crucible_alarm>, at time: UInt64) {
    nonisolated(unsafe) let alarm = alarm
    let time = time < Self.end ? time : .max
    let replaced = state.withLock { state -> Task<Void, Never>? in
      alarm.pointee.time = time
      state.lastNumber += 1
      state.insert(Entry(time: time, number: state.lastNumber, alarm: alarm))
      if state.isAwake || time >= state.sleepsUntil { return nil }
      defer { startTask(&state, sleepingUntil: time) }
      return state.sleeper
    }
    replaced?.cancel()
  }

  func cancel(_ alarm: UnsafeMutablePointer<crucible_alarm>) -> Bool {
    nonisolated(unsafe) let alarm = alarm
    let (wasSet, unneeded) = state.withLock { state -> (Bool, Task<Void, Never>?) in
      guard state.remove(alarm) else { return (false, nil) }
      if !state.heap.isEmpty || state.isAwake { return (true, nil) }
      state.sleepsUntil = .max
      state.generation += 1
      return (true, state.sleeper.take())
    }
    unneeded?.cancel()
    return wasSet
  }

  private func startTask(_ state: inout State, sleepingUntil time: UInt64) {
    state.generation += 1
    state.sleepsUntil = time
    if isDriven { return }
    state.sleeper = Task.detached(executorPreference: PoolExecutor.shared) { [generation = state.generation] in
      await self.watch(generation, from: time)
    }
  }

  private func watch(_ generation: UInt64, from first: UInt64) async {
    var time = first
    while true {
      try? await sleep(time)  // ends early on cancellation; then another task may be in charge
      guard let next = goOff(generation) else { return }
      time = next
    }
  }

  /// Calls the due alarms. Returns the time of the next alarm. Nil if there is none, or if another task is in charge.
  private func goOff(_ generation: UInt64) -> UInt64? {
    while true {
      let now = now()
      let step = state.withLock { state -> Step in
        guard state.generation == generation else { return .end }
        guard let first = state.heap.first, first.time != .max else {
          (state.sleepsUntil, state.isAwake, state.sleeper) = (.max, false, nil)
          return .end
        }
        if first.time > now {
          (state.sleepsUntil, state.isAwake) = (first.time, false)
          return .sleep(until: first.time)
        }
        state.isAwake = true
        _ = state.remove(first.alarm)
        return .act(first.alarm)
      }
      switch step {
      case .act(let alarm): alarm.pointee.act(alarm)
      case .sleep(let time): return time
      case .end: return nil
      }
    }
  }
}

// ---- For a controlled run ----

extension ClockAlarms {
  /// The nanoseconds until the next alarm; nil if none is set.
  package var remaining: UInt64? {
    let now = now()
    return state.withLock { state in
      guard let time = state.heap.first?.time, time != .max else { return nil }
      return time > now ? time - now : 0
    }
  }

  /// Calls the alarms that are due.
  package func goOffDue() { _ = goOff(state.withLock(\.generation)) }
}

// ---- The heap ----

extension ClockAlarms.State {
  fileprivate mutating func insert(_ entry: ClockAlarms.Entry) {
    heap.append(entry)
    moveUp(entry, from: heap.count - 1)
  }

  /// Removes the alarm. Returns false if it is not in the heap.
  fileprivate mutating func remove(_ alarm: UnsafeMutablePointer<crucible_alarm>) -> Bool {
    let place = Int(alarm.pointee.wheel)
    guard place < heap.count, heap[place].alarm == alarm else { return false }
    let last = heap.removeLast()
    if place == heap.count { return true }
    if place > 0 && last.isBefore(heap[(place - 1) / 2]) {
      moveUp(last, from: place)
    } else {
      moveDown(last, from: place)
    }
    return true
  }

  private mutating func put(_ entry: ClockAlarms.Entry, at place: Int) {
    heap[place] = entry
    entry.alarm.pointee.wheel = UInt32(place)
  }

  private mutating func moveUp(_ entry: ClockAlarms.Entry, from place: Int) {
    var place = place
    while place > 0, case let parent = (place - 1) / 2, entry.isBefore(heap[parent]) {
      put(heap[parent], at: place)
      place = parent
    }
    put(entry, at: place)
  }

  private mutating func moveDown(_ entry: ClockAlarms.Entry, from place: Int) {
    var place = place
    while true {
      var child = 2 * place + 1
      if child + 1 < heap.count && heap[child + 1].isBefore(heap[child]) { child += 1 }
      guard child < heap.count, heap[child].isBefore(entry) else { break }
      put(heap[child], at: place)
      place = child
    }
    put(entry, at: place)
  }
}
