import Foundation

/// Counts events down. Waiting threads go on when the count is zero. The watchdog ends a wait that never ends.
public final class Latch: @unchecked Sendable {
  private let condition = NSCondition()
  private var remaining: Int
  private var suspended: [UnsafeContinuation<Void, Never>] = []

  public init(_ count: Int) { remaining = count }

  public var isOpen: Bool { condition.withLock { remaining <= 0 } }

  /// One event. Those beyond the count change nothing.
  public func countDown() {
    condition.lock()
    remaining -= 1
    let woken = remaining == 0 ? suspended : []
    if remaining == 0 {
      suspended = []
      condition.broadcast()
    }
    condition.unlock()
    for continuation in woken { continuation.resume() }
  }

  /// Suspends the task until the count is zero.
  public func wait() async {
    await withUnsafeContinuation { continuation in
      if !enqueue(continuation) { continuation.resume() }
    }
  }

  /// Blocks the thread until the count is zero.
  @available(*, noasync)
  public func waitBlocking() {
    condition.lock()
    while remaining > 0 { condition.wait() }
    condition.unlock()
  }

  private func enqueue(_ continuation: UnsafeContinuation<Void, Never>) -> Bool {
    condition.withLock {
      if remaining <= 0 { return false }
      suspended.append(continuation)
      return true
    }
  }
}

/// A latch for one event.
public struct Gate: Sendable {
  private let latch = Latch(1)

  public init() {}

  public var isOpen: Bool { latch.isOpen }
  public func open() { latch.countDown() }
  public func wait() async { await latch.wait() }
  @available(*, noasync) public func waitBlocking() { latch.waitBlocking() }
}
