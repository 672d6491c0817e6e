import CHarness

// Baselines of producer-consumer: between two threads, a ring under a mutex with a condition variable. Of channel:
// between two tasks, an AsyncStream.

/// A ring. The producer is at most `Consumption.lead` ahead of the published progress, so the ring is never full.
final class RingBuffer: BlockingBuffer, @unchecked Sendable {
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

func tasksPass<Buffer: TaskBuffer>(_ make: @escaping () -> Buffer) -> Contender {
  let crew = TaskCrew(tasks: 2)
  return Contender { (rounds, _) throws(Wrong) in
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
        progress.outOfOrder.add(outOfOrder + rounds - expected)
      }
    }
    try Wrong.unlessEqual("items out of order", expected: 0, found: progress.outOfOrder.value)
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
