import CHarness

// Baselines of producer-consumer. Between two threads: a ring under a mutex with a condition variable. Between two
// tasks: an AsyncStream, or an actor that holds the items.

/// Returns the baseline; nil for a matcher.
func producerConsumerBaseline(_ setting: Setting) -> (any Contender)? {
  switch setting.strategy {
  case .pthreadCondition: BlockingBufferCase(setting, RingBuffer()) {}
  case .asyncStream: TaskBufferCase { StreamBuffer() }
  case .swiftActor: TaskBufferCase { ActorBuffer() }
  default: nil
  }
}

/// A ring. The producer is at most `Consumption.lead` ahead of the published progress, so the ring is never full.
private final class RingBuffer: BlockingBuffer, @unchecked Sendable {
  private let condition = Condition()
  private let items = UnsafeMutablePointer<Int>.allocate(capacity: size)
  private var first = 0
  private var end = 0

  private static let size = 2 * Consumption.lead

  deinit { items.deallocate() }

  func put(_ item: Int) {
    condition.lock()
    items[end & (Self.size - 1)] = item
    end += 1
    condition.signal()
    condition.unlock()
  }

  func take() -> Int? {
    condition.lock()
    while first == end { condition.wait() }
    let item = items[first & (Self.size - 1)]
    first += 1
    condition.unlock()
    return item
  }
}

protocol TaskBuffer: Sendable {
  func put(_ item: Int) async
  /// Receives items from 0 to `count`, and calls `body` with each.
  func takeAll(_ count: Int, _ body: (Int) -> Void) async
}

final class TaskBufferCase<Buffer: TaskBuffer>: Contender {
  private let crew = TaskCrew(tasks: 2)
  private let make: () -> Buffer

  init(_ make: @escaping () -> Buffer) { self.make = make }

  func measure(rounds: Int, recorders: UnsafeMutablePointer<harness_recorder>?) throws(Wrong) -> harness_sample {
    let progress = Consumption()
    let buffer = make()
    let sample = crew.run(rounds: rounds) { share in
      if share.task == 0 {
        var known = 0
        for item in 0..<rounds {
          progress.wait(before: item, &known)
          await buffer.put(item)
        }
      } else {
        var expected = 0
        var outOfOrder = 0
        await buffer.takeAll(rounds) { item in
          if item != expected { outOfOrder += 1 }
          if item % Consumption.news == 0 { progress.taken.store(item, ordering: .relaxed) }
          expected += 1
        }
        progress.outOfOrder.add(outOfOrder + rounds - expected, ordering: .relaxed)
      }
    }
    try Wrong.unlessEqual("items out of order", expected: 0, found: progress.outOfOrder.load(ordering: .relaxed))
    return sample
  }
}

struct StreamBuffer: TaskBuffer {
  private let items: AsyncStream<Int>
  private let source: AsyncStream<Int>.Continuation

  init() { (items, source) = AsyncStream.makeStream(of: Int.self) }

  func put(_ item: Int) { source.yield(item) }

  func takeAll(_ count: Int, _ body: (Int) -> Void) async {
    var iterator = items.makeAsyncIterator()
    for _ in 0..<count {
      guard let item = await iterator.next() else { return }
      body(item)
    }
  }
}

private actor ActorBuffer: TaskBuffer {
  private var items: [Int] = []
  private var first = 0
  private var waiting: UnsafeContinuation<Int, Never>?

  func put(_ item: Int) {
    if let consumer = waiting {
      waiting = nil
      consumer.resume(returning: item)
    } else {
      items.append(item)
    }
  }

  private func take() async -> Int {
    if first == items.count { return await withUnsafeContinuation { waiting = $0 } }
    let item = items[first]
    first += 1
    if first == items.count {
      items.removeAll(keepingCapacity: true)
      first = 0
    }
    return item
  }

  nonisolated func takeAll(_ count: Int, _ body: (Int) -> Void) async {
    for _ in 0..<count { body(await take()) }
  }
}
