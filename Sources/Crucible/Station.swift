import CCrucible
import Dispatch
import Synchronization

/// Where bodies run that the core does not run by itself.
///
/// A firing comes here when it is reserved, on the thread that reserved it. From there on it goes in a task, which inherits what
/// the injector's task has; a synchronous one may also be run by a thread of this station that blocks in a call of ours (see
/// `Serving`): all firings of one reaction are alike, so what a task runs is any one that has not been run.
class Station: @unchecked Sendable {
  let label: String

  init(label: String) { self.label = label }

  /// Whether the calling thread is this station's.
  var isCurrent: Bool { false }
  /// Whether it runs one thing at a time, so that whoever blocks it keeps all of its bodies waiting.
  var isSerial: Bool { false }
  /// Whether what comes from one of its own threads is run at once.
  var entersAtOnce: Bool { false }

  /// Whether the body that is about to begin is not to: the station dropped it.
  func hasDropped() -> Bool { false }

  /// Runs the operation here, in a task.
  func start(_ operation: @escaping Operation) { fatalError("a station has to say how it starts") }
  /// Runs the operation on this very thread, which is the station's, until it suspends.
  func startAtOnce(_ operation: @escaping Operation) { start(operation) }

  /// Runs where its caller does.
  typealias Operation = nonisolated(nonsending) @Sendable () async -> Void

  // ---- Synchronous firings that have come and not been run ----

  private struct Board {
    var placed: [ObjectIdentifier: (reaction: ReactionBody, firing: SendablePointer, count: Int)] = [:]
    var servers: [Bell] = []
  }

  private let board = Mutex(Board())

  /// Brings a synchronous firing here.
  final func place(_ firing: OpaquePointer, of reaction: ReactionBody) {
    let firing = SendablePointer(firing)
    board.withLock { board in
      board.placed[ObjectIdentifier(reaction), default: (reaction, firing, 0)].count += 1
      for server in board.servers { server.ring() }
    }
    start {
      guard self.claim(reaction) else { return }
      if self.hasDropped() { reaction.discard(firing.pointer) } else { crucible_firing_run(firing.pointer) }
    }
  }

  /// False: those that have come have all been run.
  private func claim(_ reaction: ReactionBody) -> Bool {
    board.withLock { board in
      let id = ObjectIdentifier(reaction)
      guard let count = board.placed[id]?.count else { return false }
      if count == 1 { board.placed[id] = nil } else { board.placed[id]!.count = count - 1 }
      return true
    }
  }

  /// Runs one that has come, on a thread of the station. False: there is none.
  final func serveOne() -> Bool {
    guard let placed = board.withLock({ $0.placed.values.first }) else { return false }
    if claim(placed.reaction) { crucible_firing_run(placed.firing.pointer) }
    return true
  }

  /// From now on, until it leaves, the bell is rung for every firing that comes.
  final func attend(_ bell: Bell) { board.withLock { $0.servers.append(bell) } }
  final func leave(_ bell: Bell) { board.withLock { $0.servers.removeAll { $0 === bell } } }
}

extension Station: Hashable {
  static func == (a: Station, b: Station) -> Bool { a === b }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// The main actor.
final class MainStation: Station, @unchecked Sendable {
  static let shared = MainStation(label: "main")

  override var isCurrent: Bool { MainActor.sharedUnownedExecutor.isCurrent }
  override var isSerial: Bool { true }
  override var entersAtOnce: Bool { true }

  override func start(_ operation: @escaping Operation) { Task { @MainActor in await operation() } }
  override func startAtOnce(_ operation: @escaping Operation) { Task.immediate { @MainActor in await operation() } }
}

/// Any other actor. Its bodies run on the pool's threads, unless the actor has an executor of its own.
final class ActorStation<Isolation: Actor>: Station, @unchecked Sendable {
  private let actor: Isolation

  init(_ actor: Isolation) {
    self.actor = actor
    super.init(label: "actor \(Isolation.self)")
  }

  override var isCurrent: Bool { actor.unownedExecutor.isCurrent }
  override var isSerial: Bool { true }

  override func start(_ operation: @escaping Operation) {
    Task(executorPreference: PoolExecutor.shared) { [actor] in await Self.run(operation, on: actor) }
  }

  private static func run(_ operation: Operation, on _: isolated Isolation) async { await operation() }
}

/// A task executor, and whatever can be made one.
class TaskStation: Station, @unchecked Sendable {
  static let task = TaskStation(PoolExecutor.shared, label: "task", isOwn: true)
  /// Of `async` bodies.
  static let pool = TaskStation(PoolExecutor.shared, label: "pool", isOwn: true)

  private let executor: any TaskExecutor
  /// The pool: a thread of it that blocks is replaced, and so keeps nobody waiting.
  private let isOwn: Bool

  init(_ executor: any TaskExecutor, label: String? = nil, isOwn: Bool = false) {
    self.executor = executor
    self.isOwn = isOwn
    super.init(label: label ?? "executor \(type(of: executor))")
  }

  override var isCurrent: Bool {
    !isOwn && withUnsafeCurrentTask { $0?.unownedTaskExecutor == executor.asUnownedTaskExecutor() }
  }
  override var isSerial: Bool { executor is any SerialExecutor }

  override func start(_ operation: @escaping Operation) { Task(executorPreference: executor) { await operation() } }
}

/// The thread that completed the match, for `async` bodies; where that cannot be, the pool.
final class InlineStation: Station, @unchecked Sendable {
  static let shared = InlineStation(label: "inline")

  override var isCurrent: Bool { true }
  override var entersAtOnce: Bool { true }

  override func start(_ operation: @escaping Operation) { TaskStation.pool.start(operation) }
  override func startAtOnce(_ operation: @escaping Operation) {
    Task.immediate(executorPreference: PoolExecutor.shared) { await operation() }
  }
}

/// A dispatch queue.
final class QueueStation: TaskStation, @unchecked Sendable {
  private let mark = DispatchSpecificKey<Bool>()
  private let isConcurrent: Bool
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue, isConcurrent: Bool) {
    self.queue = queue
    self.isConcurrent = isConcurrent
    queue.setSpecific(key: mark, value: true)
    super.init(QueueExecutor(queue), label: "queue '\(queue.label)'")
  }

  deinit { queue.setSpecific(key: mark, value: nil) }

  override var isCurrent: Bool { DispatchQueue.getSpecific(key: mark) == true }
  override var isSerial: Bool { !isConcurrent }
}

/// Runs tasks on a dispatch queue.
private final class QueueExecutor: TaskExecutor {
  private let queue: DispatchQueue

  init(_ queue: DispatchQueue) { self.queue = queue }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
