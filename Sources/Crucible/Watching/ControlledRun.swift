import CCrucible
import CTask

/// A run that decides which of its threads continues at each step: `explore` of CrucibleTesting.
///
/// The threads of a run take turns. Everything that a soup would give to other threads goes to the run instead: work of
/// the pool, jobs of Swift's executors, and the wait of a blocked thread. A soup that one of these threads defines has
/// the run's clock, unless its options name another one, and the run as an observer, and the run makes its choices.
/// Threads of no run check for none of this.
package protocol ControlledRun: AnyObject, Sendable {
  var clock: any Clock<Duration> { get }
  /// Makes a choice of a soup: a number below the bound. The threads keep their turns.
  func choose(below bound: Int) -> Int
  /// Chooses between what was chosen before, of those up to `number` - 1, and candidate `number`.
  func replaces(_ number: Int) -> Bool
  /// Notes a soup that the run defines. `control` does not own it.
  func add(_ control: Soup.Control)
  /// Notes an event in such a soup. Another thread may continue before this returns.
  func note(_ event: Soup.Event)
  /// The executor for jobs of Swift's pool.
  var executor: any TaskExecutor { get }
  /// Takes work that another thread would do. Returns false if the run has ended, so that the work goes its usual way.
  func take(_ work: ControlledThread.Work, _ perform: @escaping () -> Void) -> Bool
  /// Whether the work that has the turn is of that place.
  func isDoing(_ place: ObjectIdentifier) -> Bool
  /// The time since the run began, in nanoseconds.
  var now: UInt64 { get }
  /// Blocks the calling thread until time has passed.
  func sleep(nanoseconds: UInt64)
  /// Notes the place of calls that the calling thread is about to inject.
  func noteCalls(_ count: Int, at file: StaticString, _ line: UInt)
  /// Notes that a reply to the call has come too late. `call`: as ``Soup/Event/call``.
  func noteLateReply(toCall call: UInt)
  /// Blocks the calling thread. `begin` gets the function that ends the wait, and returns false if there is no wait.
  func block(_ begin: (_ end: @escaping @Sendable () -> Void) -> Bool)
}

/// A thread of a controlled run.
package final class ControlledThread: Sendable {
  /// Work that another thread would do: of the library's pool, of Swift's pool, or of a place.
  package enum Work {
    /// A firing of the soup, or a job.
    case pool(OpaquePointer?)
    case task
    /// Of a serial place, which does its pieces of work one at a time, in order.
    case place(ObjectIdentifier, name: String)
  }

  package let run: any ControlledRun

  package init(of run: any ControlledRun) { self.run = run }

  /// The run of the calling thread.
  package static var currentRun: (any ControlledRun)? {
    crucible_task_current_thread().pointee.run.map { address in
      Unmanaged<ControlledThread>.fromOpaque(address).takeUnretainedValue().run
    }
  }

  /// The number of a processor of the process; each comes in its turn.
  package static var nextProcessor: Int32 { crucible_task_next_processor() }

  /// Makes the calling thread this one, on that processor only. Requires: this object outlives the thread.
  package func begin(on processor: Int32) {
    _ = Self.hooks
    crucible_task_stay_on(processor)
    let thread = crucible_task_current_thread()
    let address = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
    thread.pointee.run = address
    thread.pointee.station = address  // no pool's: whether a body visits depends on measured times
    crucible_pool_begin_blocking()  // no worker takes firings from this thread while it waits for its turn
    crucible_pool_divert { work in
      let work = work.pointee
      let soup = withUnsafePointer(to: work) { crucible_work_soup($0) }
      let run = { withUnsafePointer(to: work) { crucible_work_run($0) } }
      return ControlledThread.currentRun?.take(.pool(soup), run) ?? false
    }
  }

  /// Makes the calling thread one of no run. Requires: it is this one.
  package func end() {
    crucible_pool_divert(nil)
    crucible_pool_end_blocking()
    let thread = crucible_task_current_thread()
    (thread.pointee.run, thread.pointee.station) = (nil, nil)
    Self.leaveProcessor()
  }

  /// Lets the calling thread, and the threads that it creates, run on all processors again.
  package static func leaveProcessor() { crucible_task_leave_processor() }

  /// Forgets what the calling thread has learnt from earlier work, so that its choices depend on the run alone.
  package static func beNew() { crucible_thread_forget() }

  private static let hooks: Void = {
    Soup.beginRuns()
    crucible_waiter_serve_instead(Station.waitSpecially)
    crucible_choose_instead { bound, replaces in
      guard let run = ControlledThread.currentRun else { return 0 }  // the run fails for it
      if replaces { return run.replaces(Int(bound)) ? 0 : 1 }
      return UInt32(run.choose(below: Int(bound)))
    }
    let words = UnownedSerialExecutor(ordinary: MainOfRun.shared).words
    crucible_task_redirect(
      { job in
        guard let run = ControlledThread.currentRun else { return false }
        let job = unsafeBitCast(job, to: UnownedJob.self)
        return run.take(.task) { job.runSynchronously(on: run.executor.asUnownedTaskExecutor()) }
      }, crucible_task_executor(identity: words.0, implementation: words.1))
  }()
}

/// Tells the run of the calling thread, if there is one, the place of calls that are about to be injected.
func noteCalls(_ count: Int = 1, of name: OpaquePointer, at source: StaticSource) {
  if crucible_name_is_special(name) { ControlledThread.currentRun?.noteCalls(count, at: source.file, source.line) }
}

extension Soup.Event {
  private var memory: UnsafeMutableRawPointer? { UnsafeMutableRawPointer(bitPattern: address) }

  /// The address of the caller's record, which identifies the call while its caller waits. Nil: the event concerns no
  /// call, or the call is not known. Requires: the observer has not returned.
  package var call: UInt? {
    guard let memory else { return nil }
    guard case .injected(let molecule, _) = kind else { return address }
    if crucible_name_kind(OpaquePointer(bitPattern: molecule.name)!) != CRUCIBLE_FAST { return nil }
    return UInt(bitPattern: Caller.address(inCallAt: crucible_branch_value(memory)))
  }

  /// The value as a text. That of an injection is readable until the observer returns, and that of a reply after its
  /// body continues and before its caller does.
  package var value: String? {
    guard let memory else { return nil }
    switch kind {
    case .injected(let molecule, _):
      return Destructor.of(OpaquePointer(bitPattern: molecule.name)!)?.text(of: memory)
    case .replied(let molecule):
      let caller = Unmanaged<PendingCall>.fromOpaque(memory).takeUnretainedValue()
      return Destructor.of(OpaquePointer(bitPattern: molecule.name)!)?.text(ofAnswer: caller.result)
    default: return nil
    }
  }
}

extension ControlledRun {
  /// Waits until the waiter is signalled.
  func wait(for waiter: UnsafeMutablePointer<crucible_waiter>) {
    block { end in
      waiter.pointee.context = Unmanaged.passRetained(WaitEnd(end)).toOpaque()
      waiter.pointee.resume = { Unmanaged<WaitEnd>.fromOpaque($0.pointee.context!).takeRetainedValue().act() }
      if crucible_waiter_suspend(waiter) { return true }
      Unmanaged<WaitEnd>.fromOpaque(waiter.pointee.context!).release()
      return false
    }
  }
}

/// The executor of the main actor, for threads of controlled runs.
private final class MainOfRun: SerialExecutor {
  static let shared = MainOfRun()

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let isTaken = ControlledThread.currentRun?.take(.place(ObjectIdentifier(self), name: "main")) {
      job.runSynchronously(on: self.asUnownedSerialExecutor())
    }
    // A task of a run that is resumed elsewhere is lost to the run, which has failed for it, and to the main actor.
    if isTaken != true { fatalError("Crucible: a thread that no run controls has resumed a main task of a run") }
  }

  func checkIsolated() { precondition(isIsolatingCurrentContext() == true, "not on the main actor of a run") }

  // A body that runs by an origin is in a task that does not show its place.
  func isIsolatingCurrentContext() -> Bool? { ControlledThread.currentRun?.isDoing(ObjectIdentifier(self)) }
}

/// The time of waits that have no soup's clock: of the continuous clock, and in a controlled run of the run.
package enum WaitTime {
  package static var now: Duration { .nanoseconds(Int64(clamping: ControlledThread.currentRun?.now ?? crucible_now())) }

  /// The pause after one of that length, before the next look. In a run a look is a step, and steps are limited. With
  /// ever longer pauses, schedules in which time passes early would end most waits in vain.
  static func next(after pause: Duration) -> Duration {
    min(pause * 2, .milliseconds(ControlledThread.currentRun == nil ? 1 : 10))
  }

  static func sleep(for duration: Duration) async throws {
    if let run = ControlledThread.currentRun { return try await run.clock.sleep(for: duration) }
    try await Task.sleep(for: duration)
  }
}

private final class WaitEnd: Sendable {
  let act: @Sendable () -> Void
  init(_ act: @escaping @Sendable () -> Void) { self.act = act }
}

/// A clock that a run advances.
package protocol DrivenClock: Clock {
  /// Adds the alarms of a soup. They live as long as the soup.
  func add(_ alarms: ClockAlarms)
}

extension Soup.Control {
  /// Whether the soup is defined and its contents are not gone.
  package var isAlive: Bool { whileHeld(core) { true } ?? false }
  /// Whether it controls the soup with that core.
  package func controls(_ core: OpaquePointer) -> Bool { self.core == core }
  /// Whether nothing is in progress in the soup.
  package var isQuiet: Bool { SoupContext.isQuiet(core) }
  /// Stops the soup and cancels its bodies, without a wait.
  package func abandon() {
    beginStop()
    cancelBodies()
  }
}
