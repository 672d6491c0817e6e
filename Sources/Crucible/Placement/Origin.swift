import CCrucible
import CTask

/// A task that the injecting thread made for a molecule. The task has the injector's task-local values and priority,
/// and has not begun. The body that consumes the molecule runs in this task, or in one that it makes.
///
/// The core keeps an origin with each molecule of the names that need one (`soup/origins.c`). The library makes it
/// through public interfaces only. The thread that makes a task which prefers the pool enqueues it there, and the
/// pool's executor returns this task (`parks`) instead of running it. So the library reads and copies nothing of a
/// task, and anything that Swift adds to tasks is included.
///
/// A task runs on the thread that has its job, even inside another task that the thread runs.
///   TASK-1  The origin's task runs once for each use, and so ends. Otherwise it would never be freed.
///   TASK-2  An origin for several molecules is used under its lock, except for the last use. Each use but the last
///       makes another origin in its task. The task then waits for the next use.
final class Origin: @unchecked Sendable {
  private enum Work {
    case copy(() -> Void)
    case now(() -> Void)
    case later(Station.Operation)
  }

  private var job: UnownedJob?
  private var work: Work?
  /// The continuation of an origin with several uses, between two of them.
  private var next: UnsafeContinuation<Void, Never>?
  /// The thread that made it of its own task, by its address.
  private let maker: UnsafeMutablePointer<crucible_task_thread>?
  private let isShared: Bool
  private let uses: Guarded<UInt64>

  private init(uses: UInt64, maker: UnsafeMutablePointer<crucible_task_thread>?) {
    self.maker = maker
    isShared = uses > 1
    self.uses = Guarded(uses)
  }

  /// Makes an origin for what the calling thread injects. It has the values of the thread's task, or none if the thread
  /// runs a body that has no context of its own.
  static func make(uses: UInt64 = 1) -> Origin {
    if !crucible_lacks_context() { return ofTask(uses: uses) }
    let origin = Origin(uses: uses, maker: nil)
    origin.willPark()
    Task.detached(executorPreference: PoolExecutor.shared) { await origin.performAll() }
    return origin
  }

  private static func ofTask(uses: UInt64 = 1) -> Origin {
    let origin = Origin(uses: uses, maker: crucible_task_current_thread())
    origin.willPark()
    if origin.isShared {
      Task(executorPreference: PoolExecutor.shared) { await origin.performAll() }
    } else {
      Task(executorPreference: PoolExecutor.shared) { await origin.perform() }
    }
    return origin
  }

  private func willPark() {
    crucible_task_current_thread().pointee.parks = UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Stores the job when its task has been enqueued.
  func setAside(_ job: UnownedJob) { self.job = job }

  private func takeJob() -> UnownedJob {
    if let next = next.take() {
      willPark()
      next.resume()
    }
    return job.take()!
  }

  private nonisolated(nonsending) func perform() async {
    switch work.take() {
    case .now(let work): work()
    case .later(let operation): await operation()
    case .copy, nil: break
    }
  }

  private nonisolated(nonsending) func performAll() async {
    while case .copy(let make) = work {
      work = nil
      make()
      await withUnsafeContinuation { next = $0 }
    }
    await perform()
  }

  // ---- Uses ----

  /// Returns an origin for one use: this one, if no other use is left.
  private func taken() -> Origin {
    if !isShared { return self }
    return uses.withLock { uses in
      if uses == 1 { return self }
      uses -= 1
      return copy()
    }
  }

  /// Makes another origin of the same task. Requires: this one has several uses, and no other thread uses it meanwhile.
  private func copy() -> Origin {
    var copy: Origin?
    work = .copy { copy = Origin.ofTask() }
    takeJob().runSynchronously(on: PoolExecutor.unowned)
    return copy!
  }

  /// Returns another origin of the task of an origin with several uses. Nil if that has ended.
  func anotherOne() -> Origin? { uses.withLock { $0 == 0 ? nil : copy() } }

  /// Runs `work` on this thread, in the origin's task. Requires: this thread belongs to the station.
  func enter(on station: Station? = nil, _ work: @escaping () -> Void) { run(.now(work), at: station?.address) }

  private func run(_ work: Work, at station: UnsafeRawPointer?) {
    self.work = work
    let thread = crucible_task_current_thread()
    let before = thread.pointee.station
    thread.pointee.station = station
    takeJob().runSynchronously(on: PoolExecutor.unowned)
    crucible_task_current_thread().pointee.station = before
  }

  /// Runs `work` on this thread, in the origin's task, without a change of place.
  func enterHere(_ work: @escaping () -> Void) {
    let here = crucible_task_current_thread().pointee.station
    // The origin's task does not show that the thread is on the main actor.
    let isOnMain = here == nil && MainStation.isUsed && Station.isOnMainActor
    run(.now(work), at: isOnMain ? MainStation.shared.address : here)
  }

  /// Runs the operation in the origin's task: on this thread, until the operation switches to an actor.
  func begin(_ operation: @escaping Station.Operation) { run(.later(operation), at: nil) }

  /// Runs the operation on the pool, in the origin's task.
  func resume(_ operation: @escaping Station.Operation) {
    work = .later(operation)
    PoolExecutor.run(takeJob())
  }

  /// Ends so many uses that no firing will need.
  func end(uses count: UInt64 = 1) {
    let isLast = uses.withLock { uses in
      uses -= count
      return uses == 0
    }
    if isLast { takeJob().runSynchronously(on: PoolExecutor.unowned) }
  }

  // ---- For the core ----

  static let hooks: Void = {
    var hooks = crucible_origins(
      // The origin's task keeps it.
      make: { count in Unmanaged.passUnretained(Given.next() ?? make(uses: count)).toOpaque() },
      end: { origin, count in Unmanaged<Origin>.fromOpaque(origin).takeUnretainedValue().end(uses: count) },
      run: ReactionBody.callAndEndOrigins)
    crucible_set_origins(&hooks)
  }()

  /// Returns the origin that the core had for a molecule that was consumed.
  static func take(_ pointer: UnsafeMutableRawPointer) -> Origin {
    Unmanaged<Origin>.fromOpaque(pointer).takeUnretainedValue().taken()
  }

  /// Takes the origin by which the body of the firing must run. Nil if the calling thread's own task is its context.
  static func take(of firing: OpaquePointer) -> Origin? { crucible_firing_take_origin(firing).map { take($0) } }

  /// Takes the origin by which the body of the firing must run. Nil if the body needs none, because this thread is
  /// inside the injection and the firing inherits from the thread's own task.
  static func takeUnlessOwn(of firing: OpaquePointer) -> Origin? {
    let looksOwn = crucible_firing_has_own_origin(firing)
    guard let origin = crucible_firing_take_origin(firing) else { return nil }
    return takeUnlessOwn(origin, looksOwn: looksOwn)
  }

  /// Takes an origin that the core had. Nil if this thread's own task has made it, for the current injection.
  static func takeUnlessOwn(_ pointer: UnsafeMutableRawPointer, looksOwn: Bool) -> Origin? {
    // The core compares addresses. The origin of this injection may have ended on another thread. That thread may then
    // have made a new one at the same address.
    let maker = Unmanaged<Origin>.fromOpaque(pointer).takeUnretainedValue().maker
    let origin = take(pointer)
    let thread = crucible_task_current_thread()
    // Molecules that this thread puts back may have an origin of another task.
    if !looksOwn || thread.pointee.given != nil || maker != thread { return origin }
    origin.end()
    return nil
  }

  /// The origins for the next molecules that this thread puts back, in their order.
  private final class Given {
    var origins: [Origin]
    var first = 0

    init(_ origins: [Origin]) { self.origins = origins }

    static func next() -> Origin? {
      guard let given = crucible_task_current_thread().pointee.given else { return nil }
      let all = Unmanaged<Given>.fromOpaque(given).takeUnretainedValue()
      if all.first == all.origins.count { return nil }
      all.first += 1
      return all.origins[all.first - 1]
    }
  }

  /// Calls `inject`, and gives these origins to the molecules that it injects. Returns the origins that remain.
  static func give<Result>(_ origins: [Origin], _ inject: () -> Result) -> (result: Result, left: [Origin]) {
    if origins.isEmpty { return (inject(), []) }
    let given = Given(origins)
    let result = withGiven(UnsafeRawPointer(Unmanaged.passUnretained(given).toOpaque()), inject)
    return withExtendedLifetime(given) { (result, Array(origins[given.first...])) }
  }

  /// Calls `inject`, and gives these origins to the molecules that it injects. Ends the origins that remain.
  static func giveAll<Result>(_ origins: [Origin], _ inject: () -> Result) -> Result {
    let (result, left) = give(origins, inject)
    for origin in left { origin.end() }
    return result
  }

  /// Calls `act`. Injections of `act` make their own origins.
  static func givingNone(_ act: () -> Void) { withGiven(nil, act) }

  private static func withGiven<Result>(_ given: UnsafeRawPointer?, _ act: () -> Result) -> Result {
    let before = crucible_task_current_thread().pointee.given
    crucible_task_current_thread().pointee.given = given
    let gave = crucible_set_given(given != nil)
    let result = act()
    _ = crucible_set_given(gave)
    crucible_task_current_thread().pointee.given = before
    return result
  }
}
