import Crucible
import Foundation
import Testing

@testable import SharedSoups

/// The engines, each new for each test.
enum EngineKind: String, CaseIterable, CustomTestStringConvertible {
  case memory, sqlite, redis

  /// Those that see at once that the process of a worker has ended. On Redis the lease alone says so.
  static let withLives = [EngineKind.memory, .sqlite]

  var testDescription: String { rawValue }

  /// Lets workers be lost whose processes are gone: on Redis when their leases are over and another worker comes.
  func loseWorkers(of bench: `Shared engines`.Bench) throws {
    if self != .redis { return }
    bench.store.clock.advance(by: 2 * `Shared engines`.Bench.lease)
    _ = try bench.register(1000)
    try bench.store.release(1000, of: bench.ids.soup)
  }

  /// Runs the test with an engine, and removes its files.
  func with(_ body: (Engine) async throws -> Void) async throws {
    switch self {
    case .memory: try await body(Engine.memory())
    case .redis: try await body(Engine.redis("\(RedisServer.shared.get().address)?db=\(RedisServer.newDatabase())"))
    case .sqlite: try await withFolder { try await body(Engine.sqlite("\($0)/soup.db", durability: .normal)) }
    }
  }
}

func withFolder(_ body: (String) async throws -> Void) async throws {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("shared-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  defer {
    do { try FileManager.default.removeItem(at: folder) } catch { Issue.record("\(error)") }
  }
  try await body(folder.path)
}

/// Waits until the condition holds. Records an issue if it does not within a long time.
func eventually(
  _ sentence: String, _ location: SourceLocation = #_sourceLocation, _ isSo: () async throws -> Bool
) async rethrows {
  let deadline = ContinuousClock.now + .seconds(60)
  while try await !isSo() {
    guard ContinuousClock.now < deadline else {
      Issue.record("not in time: \(sentence)", sourceLocation: location)
      return
    }
    await Task.yield()
  }
}

extension SharedControl {
  /// Runs `body` while a worker works in this process, then ends the worker.
  func working<Result>(
    atOnce limit: Int = 4, lease: Duration = .seconds(10), _ body: () async throws -> Result
  ) async throws -> Result {
    let work = Task { try await self.work(atOnce: limit, lease: lease) }
    let result: Result
    do {
      result = try await body()
    } catch {
      work.cancel()
      try await work.value
      throw error
    }
    work.cancel()
    try await work.value
    return result
  }

  /// Waits until nothing can react and no body runs.
  func settle(_ location: SourceLocation = #_sourceLocation) async throws {
    try await eventually("the soup is at rest", location) { try await !snapshot().isBusy }
  }
}

/// Advances the engine's clock, and lets workers look.
func advance(_ engine: Engine, by time: Duration, _ soup: SharedControl) async throws {
  engine.store.clock.advance(by: time.nanoseconds)
  try await engine.run { store in
    try store.setCondition(store.contents(of: soup.link!.soup).condition, of: soup.link!.soup)
  }
}

struct Order: Codable, Sendable, Hashable {
  var id: Int
  var item = "tea"
}
struct Payment: Codable, Sendable, Hashable {
  var order: Int
  var cents = 100
}
struct Refused: Error, CustomStringConvertible { var description: String { "refused" } }

/// Something that a test and bodies share.
actor Box<Value: Sendable> {
  private(set) var values: [Value] = []
  func add(_ value: Value) { values.append(value) }
  var count: Int { values.count }
}

/// Lets bodies wait until the test opens it.
actor Gate {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private(set) var arrived = 0

  func pass() async {
    arrived += 1
    if isOpen { return }
    await withCheckedContinuation { waiting.append($0) }
  }

  func open() {
    isOpen = true
    for continuation in waiting { continuation.resume() }
    waiting = []
  }
}

/// Runs the body on a thread that may block.
func blocking(_ body: @escaping @Sendable () throws -> Void) async throws {
  try await withCheckedThrowingContinuation { continuation in
    Thread { continuation.resume(with: Result { try body() }) }.start()
  }
}
