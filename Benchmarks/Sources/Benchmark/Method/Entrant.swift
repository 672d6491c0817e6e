/// Where a case is written: against the core, or against the public API.
enum Layer: String, CaseIterable {
  case c, swift
}

/// How a case is done: by one of the matchers, or without Crucible.
enum Strategy: String, CaseIterable {
  case word, locked
  case pthreadMutex = "pthread-mutex"
  case pthreadCondition = "pthread-condition"
  case spinThenFutex = "spin-then-futex"
  case sequential
  case oneTBB = "onetbb"
  case swiftMutex = "swift-mutex"
  case swiftActor = "swift-actor"
  case dispatchQueue = "dispatch-queue"
  case dispatchSemaphore = "dispatch-semaphore"
  case asyncStream = "async-stream"
  case continuations
  case taskGroup = "task-group"
  /// No matcher at all: what reactions cost the compiler.
  case compiler

  var isMatcher: Bool { self == .word || self == .locked }
  /// Its threads are the system's, one for each processor: in cases on the pool it only stands beside as many workers.
  var hasThreadsOfItsOwn: Bool { self == .taskGroup || self == .dispatchQueue || self == .swiftActor }
}

/// A layer and a strategy: what takes turns in a case.
struct Entrant: Hashable {
  let layer: Layer
  let strategy: Strategy

  /// `c`, `swift`, or the baseline's name.
  var layerName: String { strategy.isMatcher ? layer.rawValue : strategy.rawValue }
  var matcherName: String? { strategy.isMatcher ? strategy.rawValue : nil }
  var description: String { strategy.isMatcher ? "layer \(layer.rawValue), \(strategy.rawValue)" : strategy.rawValue }

  /// In the order of their turns: matchers next to each other, baselines of a layer behind them.
  static let all: [Entrant] =
    [Strategy.word, .locked, .pthreadMutex, .pthreadCondition, .spinThenFutex, .sequential, .oneTBB]
    .map { Entrant(layer: .c, strategy: $0) }
    + [
      Strategy.word, .locked, .swiftMutex, .swiftActor, .dispatchQueue, .dispatchSemaphore, .asyncStream,
      .continuations, .taskGroup,
    ].map { Entrant(layer: .swift, strategy: $0) }
}
