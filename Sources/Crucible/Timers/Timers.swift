import CCrucible

/// The timers of one soup. The object is made with the soup's first timer.
///
/// A timer is armed, then due, then ended. It is armed until its alarm has gone off. A timer that repeats stays armed.
/// When an alarm goes off, it only makes its timer due. A task of the pool injects the due values, one after the other.
/// So no reaction runs on the thread that serves all alarms, and timers fire in the order of their times.
///
///   TIMER-1  A value is injected or destroyed once. `end` decides under the lock, for the first of these: the task
///       that injects, `cancel`, a stop, or the end of the soup. Until then a timer that repeats injects copies.
///   TIMER-2  While the task runs, the soup lives and is not quiet. The thread that finds no task makes the soup
///       pending under the lock, before it starts one. Otherwise a timer does not hold the soup: its alarm has no
///       effect if the soup can no longer be held.
///   TIMER-3  A stopped soup has no timer. A stop first refuses injections, then ends all timers under the lock. Arming
///       checks under the lock whether the soup is stopped. A drain stops a soup that has no timers.
///   TIMER-4  The alarm has a reference to its timer. The thread that cancels the alarm releases it. Otherwise the
///       alarm's function releases it, when it does not set the alarm again.
///   TIMER-5  A timer that repeats ends when it goes off in a soup that no code owns. Otherwise a short period would
///       keep the soup, because one of the timer's molecules would always be in progress.
final class Timers: Sendable {
  private struct State {
    var armed: [ArmedTimer] = []
    var due: [ArmedTimer] = []
    var isInjecting = false
    var isOver = false
    /// The timers that a stop has ended, and that no report has told, by the numbers of their names.
    var ended: [Int: (count: Int, next: UInt64)] = [:]
  }

  private let state = Guarded(State())
  private let shell: SoupHandle
  private let clock: SoupClock
  private nonisolated(unsafe) let core: OpaquePointer

  init(of core: OpaquePointer, _ clock: SoupClock) {
    self.core = core
    self.clock = clock
    shell = SoupHandle(core, owns: false)
  }

  /// Arms the timer. Returns false if the soup is stopped; then the timer has ended.
  func arm(_ timer: ArmedTimer, after delay: Duration) -> Bool {
    let now = clock.now
    let most = UInt64(Int64.max)
    let time = min(min(now, most) + min(delay.nanoseconds, most), most)
    let isArmed = state.withLock { state in
      if state.isOver || crucible_soup_is_stopped(core) { return false }
      timer.place = state.armed.count
      state.armed.append(timer)
      timer.alarm.initialize(to: crucible_alarm(Unmanaged.passRetained(timer).toOpaque(), act: ArmedTimer.goOff))
      clock.set(timer.alarm, now: now, at: time)
      return true
    }
    if !isArmed { timer.destroy(as: crucible_soup_is_stopped(core) ? CRUCIBLE_STOPPED_SOUP : CRUCIBLE_GONE) }
    return isArmed
  }

  func cancel(_ timer: ArmedTimer) -> Bool {
    let isFirst = state.withLock { end(timer, &$0) }
    if isFirst { timer.destroy(as: CRUCIBLE_DISCARDED) }
    return isFirst
  }

  func isArmed(_ timer: ArmedTimer) -> Bool { state.withLock { _ in timer.place != nil } }

  /// Ends all timers. If `isOver`, timers that are armed later end too. Otherwise a report tells them. Returns whether
  /// there was none.
  @discardableResult
  func endAll(isOver: Bool) -> Bool {
    let now = clock.now
    let ended = state.withLock { state in
      state.isOver = isOver
      let all = (state.armed + state.due).filter { end($0, &state) }
      if !isOver { for timer in all { note(timer, at: now, in: &state.ended) } }
      return all
    }
    for timer in ended { timer.destroy(as: isOver ? CRUCIBLE_GONE : CRUCIBLE_STOPPED_SOUP) }
    return ended.isEmpty
  }

  /// Takes the timers that a stop has ended, and that no report has told, as `look` does.
  func takeEnded() -> [Int: (count: Int, next: UInt64)] {
    state.withLock { state in
      defer { state.ended = [:] }
      return state.ended
    }
  }

  private func note(_ timer: ArmedTimer, at now: UInt64, in all: inout [Int: (count: Int, next: UInt64)]) {
    let time = timer.alarm.pointee.time
    let (count, next) = all[timer.index] ?? (0, .max)
    all[timer.index] = (count + 1, min(next, time > now ? time - now : 0))
  }

  /// Ends the timer. Returns false if it has already ended. Requires: the lock is held.
  private func end(_ timer: ArmedTimer, _ state: inout State) -> Bool {
    if timer.hasEnded { return false }
    timer.hasEnded = true
    if timer.place != nil {
      disarm(timer, &state)
      if clock.cancel(timer.alarm) { Unmanaged.passUnretained(timer).release() }
    }
    return true
  }

  private func disarm(_ timer: ArmedTimer, _ state: inout State) {
    let last = state.armed.removeLast()
    if last !== timer {
      last.place = timer.place
      state.armed[timer.place!] = last
    }
    timer.place = nil
  }

  /// The function of its alarm. The thread of all alarms or that of a clock calls it.
  fileprivate func goOff(_ timer: ArmedTimer) {
    // TIMER-5. A thread that holds the soup for a moment counts as an owner. Then the timer ends one period later.
    if timer.period != nil && !crucible_soup_is_owned(core) {
      _ = cancel(timer)
      Unmanaged.passUnretained(timer).release()
      return
    }
    let (startsTask, isLast) = state.withLock { state -> (Bool, Bool) in
      if timer.hasEnded { return (false, true) }
      let startsTask = !state.isInjecting
      if startsTask {
        // If the soup is ending, its end also ends the timer.
        guard crucible_soup_hold(core) else { return (false, true) }
        crucible_soup_begin_pending(core)
        crucible_soup_release(core)
        state.isInjecting = true
      }
      state.due.append(timer)
      if let period = timer.period {
        let time = timer.alarm.pointee.time
        clock.set(timer.alarm, now: time, at: time + period)
      } else {
        disarm(timer, &state)
      }
      return (startsTask, timer.period == nil)
    }
    if startsTask { Task.detached(executorPreference: PoolExecutor.shared) { self.injectDue() } }
    if isLast { Unmanaged.passUnretained(timer).release() }
  }

  private func injectDue() {
    while let due = takeDue() {
      for timer in due where mayInject(timer) {
        if timer.injectByOrigin() || timer.period != nil || !crucible_soup_is_stopped(core) { continue }
        let now = clock.now
        state.withLock { note(timer, at: now, in: &$0.ended) }  // the stop has refused its value
      }
    }
    crucible_soup_end_pending(core)
  }

  private func takeDue() -> [ArmedTimer]? {
    state.withLock { state in
      if state.due.isEmpty {
        state.isInjecting = false
        return nil
      }
      defer { state.due = [] }
      return state.due
    }
  }

  private func mayInject(_ timer: ArmedTimer) -> Bool {
    state.withLock { state in timer.period == nil ? end(timer, &state) : !timer.hasEnded }
  }

  /// Returns by the number of each name: how many timers are armed, and in how many nanoseconds the next is due.
  func look() -> [Int: (count: Int, next: UInt64)] {
    let now = clock.now
    return state.withLock { state in
      state.armed.reduce(into: [:]) { note($1, at: now, in: &$0) }
    }
  }
}

/// One timer. The lock of the soup's timers protects all that can change, except the value.
class ArmedTimer: @unchecked Sendable {
  let timers: Timers
  fileprivate let name: OpaquePointer
  /// The period. Nil for a timer that fires once.
  fileprivate let period: UInt64?
  fileprivate let alarm = UnsafeMutablePointer<crucible_alarm>.allocate(capacity: 1)
  /// The origin of the task that armed it, if its name has origins. It is kept until the timer has ended.
  private let origin: Origin?
  /// The timer's index among the armed ones.
  fileprivate var place: Int?
  fileprivate var hasEnded = false

  fileprivate init(_ timers: Timers, _ name: OpaquePointer, every period: Duration?) {
    self.timers = timers
    self.name = name
    self.period = period?.nanoseconds
    origin = crucible_name_has_origins(name) ? Origin.make(uses: period == nil ? 1 : .max) : nil
  }

  deinit { alarm.deallocate() }

  fileprivate var index: Int { crucible_name_index(name) }

  fileprivate static let goOff: @convention(c) (UnsafeMutablePointer<crucible_alarm>) -> Void = { alarm in
    let timer = Unmanaged<ArmedTimer>.fromOpaque(alarm.pointee.context!).takeUnretainedValue()
    timer.timers.goOff(timer)
  }

  /// Injects with the context of the task that armed the timer. Returns false if the soup refuses the value.
  fileprivate final func injectByOrigin() -> Bool {
    let own = period == nil ? origin : origin?.anotherOne()
    return Origin.giveAll(own.map { [$0] } ?? []) { inject() }
  }

  fileprivate final func destroy(as reason: crucible_reason) {
    let outer = crucible_thread_begin_destroying(reason)
    destroyValue()
    crucible_thread_end_destroying(outer)
    origin?.end(uses: period == nil ? 1 : .max)
  }

  /// Injects the value, or a copy of it. The timer is no owner, so a soup that drains accepts it.
  fileprivate func inject() -> Bool { true }
  fileprivate func destroyValue() {}
}

final class TimerOfValue<Value: Sendable>: ArmedTimer, @unchecked Sendable {
  /// The value. Nil if it was injected or destroyed.
  private let value: Guarded<Value?>

  init(_ timers: Timers, _ name: OpaquePointer, every period: Duration?, _ value: Value) {
    self.value = Guarded(value)
    super.init(timers, name, every: period)
  }

  override func inject() -> Bool {
    let taken = value.withLock { period == nil ? $0.take() : $0 }
    guard let taken else { return true }
    if Payload<Value>.inject(taken, into: name, owns: false) { return true }
    if crucible_last_refusal() == CRUCIBLE_FULL { crucible_soup_count_dropped(crucible_name_soup(name)) }
    return false
  }

  override func destroyValue() {
    if let taken = value.withLock({ $0.take() }) { LostCalls.note(in: taken, Outcome.ofDrop) }
  }
}
