import Foundation
import Synchronization

/// Runs `work` on `count` real threads that start together, and suspends until all of them have been joined: what they keep
/// in thread-local storage is gone then.
///
/// Blocking work belongs on threads of its own: on this machine's two threads of Swift concurrency it starves every task.
///
/// - Returns: the results by thread number. Throws the error of the lowest number that threw.
@discardableResult
public func onThreads<Result: Sendable>(
  _ count: Int, stackSize: Int? = nil, _ work: @escaping @Sendable (Int) throws -> Result
) async throws -> [Result] {
  let results = await withUnsafeContinuation { continuation in
    detach { continuation.resume(returning: runThreads(count, stackSize: stackSize, work)) }
  }
  return try results.map { try $0.get() }
}

/// The same for one thread.
@discardableResult
public func onThread<Result: Sendable>(
  stackSize: Int? = nil, _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await onThreads(1, stackSize: stackSize) { _ in try work() }[0]
}

/// The same, blocking the calling thread.
@available(*, noasync)
public func runThreads<Output: Sendable>(
  _ count: Int, stackSize: Int? = nil, _ work: @escaping @Sendable (Int) throws -> Output
) -> [Result<Output, any Error>] {
  let results = (0..<count).map { _ in Shared<Result<Output, any Error>>(nil) }
  let barrier = Latch(count)
  let threads = (0..<count).map { index in
    spawn(stackSize: stackSize) {
      barrier.countDown()
      barrier.waitBlocking()
      results[index].put(Result { try work(index) })
    }
  }
  for thread in threads { pthread_join(thread, nil) }
  return results.map { $0.value! }
}

/// Starts a thread that is to be joined.
@available(*, noasync)
public func spawn(stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void) -> pthread_t {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
  var thread = pthread_t()
  let error = pthread_create(
    &thread, &attributes,
    { argument in
      Unmanaged<Work>.fromOpaque(argument!).takeRetainedValue().run()
      return nil
    }, Unmanaged.passRetained(Work(work)).toOpaque())
  if error != 0 { fatalError("no thread: \(String(cString: strerror(error)))") }
  return thread
}

/// Starts a thread that nobody joins.
private func detach(_ work: @escaping @Sendable () -> Void) { pthread_detach(spawn(work)) }

private final class Work: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}

/// Lets threads meet again and again, spinning: they go on within nanoseconds of each other, as races need it.
public final class Rendezvous: Sendable {
  private let parties: Int
  private let arrived = Atomic<Int>(0)

  public init(_ parties: Int) { self.parties = parties }

  /// Returns once all parties have come as often as the caller.
  @available(*, noasync)
  public func meet() {
    let number = arrived.add(1, ordering: .acquiringAndReleasing).oldValue
    let target = (number / parties + 1) * parties
    var spins = 0
    while arrived.load(ordering: .acquiring) < target {
      spins += 1
      if spins % 64 == 0 { sched_yield() }
    }
  }
}
