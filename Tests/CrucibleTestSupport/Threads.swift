import Foundation

/// Runs `work` on `count` real threads that start together, and suspends until all of them have been joined: what they
/// keep in thread-local storage is gone then.
///
/// Blocking work belongs on threads of its own: on a few threads of Swift concurrency it starves every task.
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

/// Runs `work` on one real thread, and suspends until it has been joined.
@discardableResult
public func onThread<Result: Sendable>(
  stackSize: Int? = nil, _ work: @escaping @Sendable () throws -> Result
) async throws -> Result {
  try await onThreads(1, stackSize: stackSize) { _ in try work() }[0]
}

/// Runs `work` on `count` real threads that start together, and blocks the calling thread until all have been joined.
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
  for thread in threads { thread.join() }
  return results.map { $0.value! }
}

/// Starts a thread that is to be joined.
@available(*, noasync)
public func spawn(stackSize: Int? = nil, _ work: @escaping @Sendable () -> Void) -> SpawnedThread {
  AddressSanitizer.isOn ? .observed(stackSize, work) : .joinable(stackSize, work)
}

/// Starts a thread that nobody joins.
private func detach(_ work: @escaping @Sendable () -> Void) { _ = SpawnedThread.start(nil, isDetached: true, work) }

/// A thread that ``spawn(stackSize:_:)`` started.
public struct SpawnedThread: Sendable {
  private let waitForEnd: @Sendable () -> Void

  /// Blocks until the thread has ended, and what it had in thread-local storage is gone.
  public func join() { waitForEnd() }

  fileprivate static func joinable(_ stackSize: Int?, _ work: @escaping @Sendable () -> Void) -> Self {
    let thread = start(stackSize, isDetached: false, work)
    return .init { pthread_join(thread, nil) }
  }

  /// A detached thread, whose end is seen by its folder in `/proc`, which it has opened, being empty.
  ///
  /// Once the kernel gives numbers of threads that ended to new ones, the leak checker (compiler-rt of Swift 6.3) takes
  /// a thread that lives for an older one of its number, if that one was joinable, and does not look at what it refers
  /// to: it reports memory that is in use. A C program that starts and joins 33,000 threads and leaves one that holds
  /// an allocation has such a report each time; with 20,000, or with 70,000 detached ones, none
  /// (`/proc/sys/kernel/pid_max` is 32,768).
  fileprivate static func observed(_ stackSize: Int?, _ work: @escaping @Sendable () -> Void) -> Self {
    let folder = Shared<Int32>(nil)
    let done = Latch(1)
    _ = start(stackSize, isDetached: true) {
      folder.put(open("/proc/thread-self", O_RDONLY | O_DIRECTORY))
      work()
      done.countDown()
    }
    return .init {
      done.waitBlocking()
      let folder = folder.value!
      precondition(folder >= 0, "the thread's folder in /proc could not be opened")
      while faccessat(folder, "stat", F_OK, 0) == 0 { sched_yield() }
      close(folder)
    }
  }

  fileprivate static func start(
    _ stackSize: Int?, isDetached: Bool, _ work: @escaping @Sendable () -> Void
  ) -> pthread_t {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
    if isDetached { pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
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
}

private final class Work: Sendable {
  let run: @Sendable () -> Void
  init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
