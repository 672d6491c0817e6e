import Dispatch
import Synchronization

// What carries a number one way in the baselines of rendezvous. There is never more than one under way.

/// The semaphore hands the number over.
final class SemaphoreWay: BlockingWay, @unchecked Sendable {
  private let semaphore = DispatchSemaphore(value: 0)
  private var number = 0

  func send(_ number: Int) {
    self.number = number
    semaphore.signal()
  }

  func take() -> Int {
    semaphore.wait()
    return number
  }
}

/// Only one task takes.
final class StreamWay: SuspendingWay, @unchecked Sendable {
  private let source: AsyncStream<Int>.Continuation
  private var iterator: AsyncStream<Int>.Iterator

  init() {
    let (numbers, source) = AsyncStream.makeStream(of: Int.self)
    self.source = source
    iterator = numbers.makeAsyncIterator()
  }

  func send(_ number: Int) { source.yield(number) }
  func nextTaken() async -> Int { await iterator.next() ?? -1 }
}

/// A number that nobody has taken, or a task that waits for one.
final class ContinuationWay: SuspendingWay {
  private enum Content {
    case nothing
    case number(Int)
    case task(UnsafeContinuation<Int, Never>)
  }

  private let content = Mutex(Content.nothing)

  func send(_ number: Int) {
    let waiting: UnsafeContinuation<Int, Never>? = content.withLock { content in
      guard case .task(let task) = content else {
        content = .number(number)
        return nil
      }
      content = .nothing
      return task
    }
    waiting?.resume(returning: number)
  }

  func nextTaken() async -> Int {
    await withUnsafeContinuation { task in
      let number: Int? = content.withLock { content in
        guard case .number(let number) = content else {
          content = .task(task)
          return nil
        }
        content = .nothing
        return number
      }
      if let number { task.resume(returning: number) }
    }
  }
}
