import Crucible

/// The interface against which a case is written: the core, or the public API.
enum Layer: String, CaseIterable {
  case c, swift
}

/// The means that does a case: one of the library's matchers, or a program without Crucible.
struct Strategy: Hashable, Sendable {
  let name: String

  /// All matchers, by their names in options and results. All code that runs or compares matchers uses this list.
  static let matchers: [(strategy: Strategy, matcher: Soup.Matcher)] = Soup.Matcher.all.map {
    (Strategy(name: $0.description), $0)
  }

  /// The baselines, in the order of their turns.
  static let baselines = [
    pthreadMutex, pthreadCondition, pthreadRWLock, pthreadBarrier, spinThenFutex, oneTBB, swiftMutex, swiftMutexes,
    swiftActor, actorSameExecutor, dispatchQueue, dispatchSemaphore, posixSemaphore, asyncStream, continuations,
    task, taskGroup, asyncLet,
  ]
  static let all = matchers.map(\.strategy) + baselines
  /// The strategies that --compare measures against each other.
  static let compared = matchers.map(\.strategy)

  static let word = Strategy(name: "word")
  static let arrival = Strategy(name: "arrival")
  /// The reference of all ratios.
  static let locked = Strategy(name: "locked")

  static let pthreadMutex = Strategy(name: "pthread-mutex")
  static let pthreadCondition = Strategy(name: "pthread-condition")
  static let pthreadRWLock = Strategy(name: "pthread-rwlock")
  static let pthreadBarrier = Strategy(name: "pthread-barrier")
  static let spinThenFutex = Strategy(name: "spin-then-futex")
  static let oneTBB = Strategy(name: "onetbb")
  static let swiftMutex = Strategy(name: "swift-mutex")
  /// 64 of them.
  static let swiftMutexes = Strategy(name: "swift-mutexes")
  static let swiftActor = Strategy(name: "swift-actor")
  /// An actor that shares an executor with its callers, so that a call does not change the executor.
  static let actorSameExecutor = Strategy(name: "actor-same-executor")
  static let dispatchQueue = Strategy(name: "dispatch-queue")
  static let dispatchSemaphore = Strategy(name: "dispatch-semaphore")
  static let posixSemaphore = Strategy(name: "posix-semaphore")
  static let asyncStream = Strategy(name: "async-stream")
  static let continuations = Strategy(name: "continuations")
  static let task = Strategy(name: "task")
  static let taskGroup = Strategy(name: "task-group")
  static let asyncLet = Strategy(name: "async-let")
  /// The compiler instead of a matcher: the time that reactions cost it.
  static let compiler = Strategy(name: "compiler")

  var matcher: Soup.Matcher? {
    Self.matchers.first { $0.strategy == self }?.matcher
  }
  /// Whether it uses the system's threads, one for each processor. In cases on the pool it is compared only with as
  /// many workers.
  var hasThreadsOfItsOwn: Bool { [.task, .taskGroup, .asyncLet, .dispatchQueue, .swiftActor].contains(self) }
}

/// A strategy, and for a matcher the layer in which the case is written. Entrants take turns in a case.
struct Entrant: Hashable {
  /// The layer; nil for a baseline.
  let layer: Layer?
  let strategy: Strategy

  /// `c`, `swift`, or the baseline's name.
  var layerName: String { layer?.rawValue ?? strategy.name }
  var matcherName: String? { layer == nil ? nil : strategy.name }
  var description: String { layer.map { "layer \($0.rawValue), \(strategy.name)" } ?? strategy.name }

  /// All entrants, in the order of their turns: the matchers of a layer next to each other, baselines last.
  static let all: [Entrant] =
    Layer.allCases.flatMap { layer in Strategy.matchers.map { Entrant(layer: layer, strategy: $0.strategy) } }
    + Strategy.baselines.map { Entrant(layer: nil, strategy: $0) }
}
