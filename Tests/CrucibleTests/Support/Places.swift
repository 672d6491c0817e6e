import Crucible
import CrucibleTestSupport
import Dispatch
import Foundation
import Synchronization
import Testing

/// A loop like that of a UI toolkit: one thread that takes pieces of work off a queue.
final class ThreadLoop: ReactionLoop, @unchecked Sendable {
  /// It guards what follows.
  private let condition = NSCondition()
  private var works: [LoopWork] = []
  private var others: [@Sendable () -> Void] = []
  private var isGone = false
  private var thread: pthread_t?

  init(isRunning: Bool = true) {
    if !isRunning { return }
    let started = Gate()
    Thread.detachNewThread { [self] in
      condition.withLock { thread = pthread_self() }
      started.open()
      while let work = next() { work() }
    }
    while !started.isOpen { sched_yield() }
  }

  var isCurrent: Bool { condition.withLock { thread.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

  func enqueue(_ work: LoopWork) {
    // The work is dropped outside of the lock, if at all.
    condition.withLock {
      if !isGone { works.append(work) }
      condition.signal()
    }
  }

  /// Blocks until there is work. Returns nil if the loop is gone.
  private func next() -> (() -> Void)? {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if !others.isEmpty { return others.removeFirst() }
      if !works.isEmpty { return works.removeFirst().run }
      if isGone { return nil }
      condition.wait()
    }
  }

  /// Runs work that belongs to no reaction on the loop's thread.
  func run(_ work: @escaping @Sendable () -> Void) {
    condition.withLock {
      others.append(work)
      condition.signal()
    }
  }

  var waiting: Int { condition.withLock { works.count } }

  /// Ends the loop, and drops the work that it has not run.
  func go() {
    let dropped = condition.withLock {
      isGone = true
      condition.signal()
      defer { works = [] }
      return works
    }
    withExtendedLifetime(dropped) {}
  }
}

/// A task executor of some threads of its own.
final class ThreadExecutor: TaskExecutor {
  private let condition = NSCondition()
  private let jobs = Mutex<[UnownedJob]>([])
  private let threads = Mutex<[pthread_t]>([])

  init(threads count: Int = 1) {
    for _ in 0..<count {
      Thread.detachNewThread { [self] in
        threads.withLock { $0.append(pthread_self()) }
        while true { next().runSynchronously(on: asUnownedTaskExecutor()) }
      }
    }
  }

  var isCurrent: Bool { threads.withLock { $0.contains { pthread_equal($0, pthread_self()) != 0 } } }

  func enqueue(_ job: UnownedJob) {
    jobs.withLock { $0.append(job) }
    condition.withLock { condition.signal() }
  }

  private func next() -> UnownedJob {
    condition.lock()
    defer { condition.unlock() }
    while true {
      if let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return job }
      condition.wait()
    }
  }
}

/// A serial executor that counts its jobs, and cannot tell by itself whether it is current.
final class CountingExecutor: SerialExecutor {
  private let queue = DispatchQueue(label: "counting")
  private let enqueued = Tally()

  var jobs: Int { enqueued.count }

  func enqueue(_ job: UnownedJob) {
    enqueued.add()
    queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }
}

/// A task executor that counts its jobs, and runs one at a time.
final class CountingTaskExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "counting")
  private let enqueued = Tally()

  var jobs: Int { enqueued.count }

  func enqueue(_ job: UnownedJob) {
    enqueued.add()
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// An actor with which the tests isolate bodies.
protocol Teller: Actor {
  var seen: [[Int]] { get set }
}

actor DefaultTeller: Teller {
  var seen: [[Int]] = []
}

actor CustomTeller: Teller {
  let executor = CountingExecutor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  var seen: [[Int]] = []
}

/// An actor whose executor can tell and check whether it is current.
actor KnowingTeller: Teller {
  private final class Executor: SerialExecutor {
    let queue = DispatchQueue(label: "knowing")
    let mark = DispatchSpecificKey<Bool>()

    init() { queue.setSpecific(key: mark, value: true) }

    func enqueue(_ job: UnownedJob) {
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
    func isIsolatingCurrentContext() -> Bool? { DispatchQueue.getSpecific(key: mark) == true }
  }

  private let executor = Executor()
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  var seen: [[Int]] = []
}

/// A placement, and a check whether a body runs there.
struct Place: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let placement: Placement
  let isHere: @Sendable () -> Bool

  static let automatic = Place(testDescription: "automatic", placement: .automatic) {
    // A task that prefers the pool is that of a molecule.
    withUnsafeCurrentTask { $0 != nil && $0?.unownedTaskExecutor == nil } ? onSwiftsPool : onPool
  }
  static let pool = Place(testDescription: "pool", placement: .pool) { onPool }
  static let task = Place(testDescription: "task", placement: .task) { withUnsafeCurrentTask { $0 != nil } }
  static let inline = Place(testDescription: "inline", placement: .inline) { true }
  static let serial = Place(testDescription: "queue", placement: .queue(queue)) { onQueue(queue) }
  static let concurrent = Place(testDescription: "concurrent queue", placement: .queue(wide, isConcurrent: true)) {
    onQueue(wide)
  }
  static let executed = Place(testDescription: "executor", placement: .executor(executor)) { executor.isCurrent }
  static let looped = Place(testDescription: "loop", placement: .loop(loop)) { loop.isCurrent }

  /// The places that make a task for each firing.
  static let tasks = [task, serial, concurrent, executed, looped]
  static let all = [automatic, pool, inline] + tasks

  /// Whether the calling thread belongs to the library's pool.
  static var onPool: Bool {
    let number = currentThread()
    return Soup.Pool.threads.contains { $0.number == number }
  }
  /// Whether the calling thread runs a task that prefers no executor, on no thread of the library's pool.
  static var onSwiftsPool: Bool { !onPool && withUnsafeCurrentTask { $0 != nil && $0?.unownedTaskExecutor == nil } }

  private static let queue = marked(DispatchQueue(label: "place"))
  private static let wide = marked(DispatchQueue(label: "places", attributes: .concurrent))
  private static let executor = ThreadExecutor(threads: 2)
  private static let loop = ThreadLoop()
  private static let mark = DispatchSpecificKey<ObjectIdentifier>()

  private static func marked(_ queue: DispatchQueue) -> DispatchQueue {
    queue.setSpecific(key: mark, value: ObjectIdentifier(queue))
    return queue
  }

  private static func onQueue(_ queue: DispatchQueue) -> Bool {
    DispatchQueue.getSpecific(key: mark) == ObjectIdentifier(queue)
  }
}

/// The number that the system gives this thread.
func currentThread() -> Int {
  var path = [UInt8](repeating: 0, count: 64)
  let length = path.withUnsafeMutableBytes {
    readlink("/proc/thread-self", $0.assumingMemoryBound(to: CChar.self).baseAddress!, 64)
  }
  return Int(String(decoding: path.prefix(length), as: UTF8.self).split(separator: "/").last!)!
}
