/// Where a case is written: against the core, or against the public API.
enum Layer: String, CaseIterable {
  case c, swift
}

/// How a case is done: by one of the matchers, or without Crucible.
enum Strategy: String, CaseIterable {
  case word, locked
  case pthreadMutex = "pthread-mutex"
  case swiftMutex = "swift-mutex"
  case sequential

  var isMatcher: Bool { self == .word || self == .locked }
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
  static let all: [Entrant] = [
    Entrant(layer: .c, strategy: .word), Entrant(layer: .c, strategy: .locked),
    Entrant(layer: .c, strategy: .pthreadMutex), Entrant(layer: .c, strategy: .sequential),
    Entrant(layer: .swift, strategy: .word), Entrant(layer: .swift, strategy: .locked),
    Entrant(layer: .swift, strategy: .swiftMutex),
  ]
}
