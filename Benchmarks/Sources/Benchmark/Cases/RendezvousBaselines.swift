import CHarness
import Glibc
import Synchronization

// One-way transports of a number, for the baselines of rendezvous. At any time at most one number is in transport.

/// A pthread mutex and a condition variable, each on separate cache lines.
final class Condition: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let variable: UnsafeMutablePointer<pthread_cond_t>

  init() {
    mutex = Self.lines(for: pthread_mutex_t.self)
    variable = Self.lines(for: pthread_cond_t.self)
    pthread_mutex_init(mutex, nil)
    pthread_cond_init(variable, nil)
  }

  deinit {
    pthread_cond_destroy(variable)
    pthread_mutex_destroy(mutex)
    free(variable)
    free(mutex)
  }

  @inline(__always) func lock() { pthread_mutex_lock(mutex) }
  @inline(__always) func unlock() { pthread_mutex_unlock(mutex) }
  @inline(__always) func wait() { pthread_cond_wait(variable, mutex) }
  @inline(__always) func signal() { pthread_cond_signal(variable) }

  private static func lines<T>(for _: T.Type) -> UnsafeMutablePointer<T> {
    aligned_alloc(64, (MemoryLayout<T>.size + 63) & ~63)!.bindMemory(to: T.self, capacity: 1)
  }
}

/// A transport by a word. The taker spins on it for a while and then sleeps.
final class FutexWay: BlockingWay, @unchecked Sendable {
  private let way = UnsafeMutablePointer<harness_way>.allocate(capacity: 1)

  init() { way.initialize(to: harness_way()) }
  deinit { way.deallocate() }

  @inline(__always) func send(_ number: Int) { harness_way_send(way, Int64(number)) }
  @inline(__always) func take() -> Int { Int(harness_way_take(way)) }
}

/// A transport by a number that waits to be taken, or a task that waits for one.
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
