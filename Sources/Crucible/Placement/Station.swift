import CCrucible
import CTask
import Dispatch
import Synchronization

/// A place whose bodies the core does not run by itself.
///
/// The thread that reserves a firing brings it here; this may be any thread. The body runs by the origin of one of its
/// molecules (see `Origin`): in the origin's task, or in a task that was made in it. For a synchronous body the station
/// starts a task that claims the firing. A thread of the station that blocks in a call of this library may claim it
/// first (see `Serving`). The claiming thread then enters the origin's task, so both find the same context.
class Station: @unchecked Sendable {
  let label: String

  init(label: String) { self.label = label }

  /// Whether the calling thread belongs to this station.
  var isCurrent: Bool { false }
  /// Whether it runs one body at a time, so that a body that blocks delays all others.
  var isSerial: Bool { false }
  /// Whether a firing that one of the station's own threads reserves runs at once.
  var entersAtOnce: Bool { false }

  /// Whether the station dropped the body that is about to begin, so that the body must not run.
  func hasDropped() -> Bool { false }

  /// Runs the operation on the station, in a task that inherits from the calling thread's task.
  func start(_ operation: @escaping Operation) { fatalError("a station has to say how it starts") }
  /// Runs the operation on this thread until the operation suspends. Requires: the thread belongs to the station.
  func startAtOnce(_ operation: @escaping Operation) { start(operation) }

  func start(_ operation: @escaping Operation, by origin: Origin) { origin.enter { self.start(operation) } }
  /// Runs the operation on the station by the origin, or else by the calling thread's task.
  final func start(_ operation: @escaping Operation, by origin: Origin?) {
    if let origin { start(operation, by: origin) } else { start(operation) }
  }
  /// Runs the operation by the origin, as `startAtOnce(_:)` does without one.
  func startAtOnce(_ operation: @escaping Operation, by origin: Origin) {
    origin.enter(on: self) { self.startAtOnce(operation) }
  }

  /// The address that identifies the station to a thread.
  final var address: UnsafeRawPointer { UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()) }

  /// Runs on its caller's executor. Requires: no capture list, because with one Swift 6.3 runs it elsewhere.
  typealias Operation = nonisolated(nonsending) @Sendable () async -> Void

  // ---- Synchronous firings that wait ----

  private final class Placed: @unchecked Sendable {
    let firing: OpaquePointer
    let reaction: ReactionBody
    var isClaimed = false  // under the board's lock

    init(_ firing: OpaquePointer, of reaction: ReactionBody) {
      self.firing = firing
      self.reaction = reaction
    }
  }

  private struct Board {
    /// The waiting firings, in the order of their arrival. Claimed firings are removed when they are first.
    var placed: [Placed] = []
    var first = 0
    var servers: [Bell] = []

    mutating func dropClaimed() {
      while first < placed.count && placed[first].isClaimed { first += 1 }
      if first == placed.count {
        placed.removeAll(keepingCapacity: true)  // the firings retain their reactions, and those this station
        first = 0
      } else if first > 16 && 2 * first > placed.count {
        placed.removeSubrange(..<first)
        first = 0
      }
    }
  }

  private let board = Guarded(Board())

  /// Whether a thread of this station may have to serve while it blocks.
  var canServe: Bool { true }

  final func place(_ firing: OpaquePointer, of reaction: ReactionBody) {
    if !canServe || ControlledThread.currentRun != nil {  // a thread that serves outside of the run takes no part
      let origin = Origin.take(of: firing)
      nonisolated(unsafe) let firing = firing
      return start({ crucible_firing_run(firing) }, by: origin)
    }
    let placed = Placed(firing, of: reaction)
    board.withLock { board in
      board.placed.append(placed)
      for server in board.servers { server.ring() }
    }
    start { if self.claim(placed) { self.run(placed.firing, of: reaction) } }
  }

  private func run(_ firing: OpaquePointer, of reaction: ReactionBody) {
    if hasDropped() { reaction.discard(firing) } else { enter(firing) }
  }

  /// Runs a synchronous firing on this thread. Requires: the thread belongs to the station.
  final func enter(_ firing: OpaquePointer) {
    guard let origin = Origin.takeUnlessOwn(of: firing) else { return crucible_firing_run(firing) }
    origin.enter(on: self) { crucible_firing_run(firing) }
  }

  /// Enqueues an `async` firing. If its molecules are taken late, the first task does nothing but take them here.
  final func place(async firing: OpaquePointer, of reaction: ReactionBody) {
    nonisolated(unsafe) let firing = firing
    if !reaction.takesLate { return start({ await reaction.perform(firing) }, by: Origin.take(of: firing)) }
    start { if self.hasDropped() { reaction.discard(firing) } else { self.enter(async: firing, of: reaction) } }
  }

  final func enter(async firing: OpaquePointer, of reaction: ReactionBody) {
    nonisolated(unsafe) let firing = firing
    guard let origin = Origin.takeUnlessOwn(of: firing) else {
      return startAtOnce { await reaction.perform(firing) }
    }
    startAtOnce({ await reaction.perform(firing) }, by: origin)
  }

  private func claim(_ placed: Placed) -> Bool {
    board.withLock { board in
      if placed.isClaimed { return false }
      placed.isClaimed = true
      board.dropClaimed()
      return true
    }
  }

  /// Runs the first waiting firing. Returns false if there is none. Requires: the thread belongs to the station.
  final func serveOne() -> Bool {
    let firing = board.withLock { board -> OpaquePointer? in
      if board.first == board.placed.count { return nil }
      let placed = board.placed[board.first]
      placed.isClaimed = true
      board.dropClaimed()
      return placed.firing
    }
    guard let firing else { return false }
    enter(firing)
    return true
  }

  /// Rings the bell for every firing that arrives from now on, until the server leaves.
  final func attend(_ bell: Bell) { board.withLock { $0.servers.append(bell) } }
  final func leave(_ bell: Bell) { board.withLock { $0.servers.removeAll { $0 === bell } } }
}

extension Station: Hashable {
  static func == (a: Station, b: Station) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

final class MainStation: Station, @unchecked Sendable {
  static let shared: MainStation = {
    used.store(true, ordering: .releasing)
    crucible_waiter_serve_instead(Station.waitSpecially)
    return MainStation(label: "main")
  }()

  private static let used = Atomic<Bool>(false)

  /// Whether any reaction is placed here.
  static var isUsed: Bool { used.load(ordering: .acquiring) }

  /// A body that runs by an origin is on the main thread, in a task that does not show this.
  override var isCurrent: Bool { crucible_task_current_thread().pointee.station == address || Station.isOnMainActor }
  override var isSerial: Bool { true }
  override var entersAtOnce: Bool { true }

  override func start(_ operation: @escaping Operation) { Task { @MainActor in await operation() } }
  override func startAtOnce(_ operation: @escaping Operation) { Task.immediate { @MainActor in await operation() } }
}

/// Any other actor. Its bodies run on the pool's threads, unless the actor has an executor of its own.
final class ActorStation<Isolation: Actor>: Station, @unchecked Sendable {
  private let kept: Isolation?
  private weak var known: Isolation?
  private let hasOwnExecutor: Bool

  var actor: Isolation? { kept ?? known }

  init(_ actor: Isolation, isKept: Bool) {
    kept = isKept ? actor : nil
    known = isKept ? nil : actor
    hasOwnExecutor = Station.hasOwnExecutor(actor)
    super.init(label: "actor \(Isolation.self)")
  }

  override var isCurrent: Bool { actor.map { Station.isOn($0) } ?? false }
  override var isSerial: Bool { true }

  /// All of its bodies are `async`.
  override var canServe: Bool { false }

  override func start(_ operation: @escaping Operation) {
    guard let actor else { return TaskStation.pool.start(operation) }
    // With a preference, a task on the actor's own executor would be enqueued there twice, behind others.
    if hasOwnExecutor {
      Task { [actor] in await Self.run(operation, on: actor) }
    } else {
      Task(executorPreference: PoolExecutor.shared) { [actor] in await Self.run(operation, on: actor) }
    }
  }

  /// Uses the origin's task, unless the actor has an executor of its own: as above, that task prefers the pool.
  override func start(_ operation: @escaping Operation, by origin: Origin) {
    guard let actor else { return TaskStation.pool.start(operation, by: origin) }
    if hasOwnExecutor { return super.start(operation, by: origin) }
    origin.resume { await Self.run(operation, on: actor) }
  }

  /// Enqueues the operation on the actor's executor, in the order of these calls.
  override func startAtOnce(_ operation: @escaping Operation, by origin: Origin) {
    guard let actor else { return TaskStation.pool.start(operation, by: origin) }
    if hasOwnExecutor {
      origin.enter(on: self) { Task.immediate { await Self.run(operation, on: actor) } }
    } else {
      origin.begin { await Self.run(operation, on: actor) }
    }
  }

  /// Isolates all of the operation, and not only the body in it, so that the molecule is taken on the actor.
  private static func run(_ operation: Operation, on actor: isolated Isolation) async {
    _ = crucible_task_current_thread()  // without it Swift 6.3 does not switch to the actor first
    await operation()
  }
}

/// The station of a task executor, and of anything that can become one.
class TaskStation: Station, @unchecked Sendable {
  static let task = TaskStation(PoolExecutor.shared, label: "task", isOwn: true)
  static let pool = TaskStation(PoolExecutor.shared, label: "pool", isOwn: true)

  private let executor: any TaskExecutor
  /// Whether the station is the pool. A pool thread that blocks is replaced, and so delays no other body.
  private let isOwn: Bool

  init(_ executor: any TaskExecutor, label: String? = nil, isOwn: Bool = false) {
    self.executor = executor
    self.isOwn = isOwn
    super.init(label: label ?? "executor \(type(of: executor))")
  }

  override var isCurrent: Bool {
    if isOwn { return false }
    if crucible_task_current_thread().pointee.station == address { return true }
    // A task that prefers this executor runs elsewhere while it runs on an actor that has an executor of its own.
    return !Station.isOnOwnExecutor
      && withUnsafeCurrentTask { $0?.unownedTaskExecutor == executor.asUnownedTaskExecutor() }
  }
  override var isSerial: Bool { executor is any SerialExecutor }
  override var canServe: Bool { !isOwn }

  override func start(_ operation: @escaping Operation) { Task(executorPreference: executor) { await operation() } }
  override func startAtOnce(_ operation: @escaping Operation) {
    Task.immediate(executorPreference: executor) { await operation() }
  }
  override func start(_ operation: @escaping Operation, by origin: Origin) {
    if isOwn { origin.resume(operation) } else { super.start(operation, by: origin) }
  }
}

/// The pool of the thread that completed the match, for `async` bodies: the library's pool for its own threads, else
/// Swift's. A body that visits its caller begins on the caller's thread.
class ConcurrencyStation: Station, @unchecked Sendable {
  static let shared = ConcurrencyStation(label: "Swift's pool")

  override final var isCurrent: Bool { true }
  override final var canServe: Bool { false }

  override final func start(_ operation: @escaping Operation) {
    // A task on the other pool would have to wake a thread there.
    if crucible_pool_takes_job() {
      Task(executorPreference: PoolExecutor.shared) { await operation() }
    } else {
      Task { await operation() }
    }
  }
  override final func start(_ operation: @escaping Operation, by origin: Origin) {
    if crucible_pool_takes_job() { origin.resume(operation) } else { super.start(operation, by: origin) }
  }
  override final func startAtOnce(_ operation: @escaping Operation) { Task.immediate { await operation() } }
}

/// The thread that completed the match, for `async` bodies. Where that is impossible, a pool as by default.
final class InlineStation: ConcurrencyStation, @unchecked Sendable {
  static let inline = InlineStation(label: "inline")

  override var entersAtOnce: Bool { true }
}

final class QueueStation: TaskStation, @unchecked Sendable {
  private let mark = DispatchSpecificKey<Bool>()
  private let isConcurrent: Bool
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue, isConcurrent: Bool) {
    self.queue = queue
    self.isConcurrent = isConcurrent
    queue.setSpecific(key: mark, value: true)
    super.init(QueueExecutor(queue, isConcurrent: isConcurrent), label: "queue '\(queue.label)'")
  }

  deinit { queue.setSpecific(key: mark, value: nil) }

  override var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }
  override var isSerial: Bool { !isConcurrent }
}

private final class QueueExecutor: TaskExecutor {
  private let queue: DispatchQueue
  private let isConcurrent: Bool

  init(_ queue: DispatchQueue, isConcurrent: Bool) {
    self.queue = queue
    self.isConcurrent = isConcurrent
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let run = { @Sendable in job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    let work = isConcurrent ? .task : ControlledThread.Work.place(ObjectIdentifier(queue), name: queue.label)
    if ControlledThread.currentRun?.take(work, run) != true { queue.async(execute: run) }
  }
}
