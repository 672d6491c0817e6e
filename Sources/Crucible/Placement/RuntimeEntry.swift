// Queries that Swift's public interface cannot answer, and a public fallback.
//
// Package.swift defines `CRUCIBLE_PUBLIC_RUNTIME` for toolchains whose private entry points are not known. Then the
// library cannot tell that a thread runs on an actor, unless it is the main actor. So a blocking call on an actor
// blocks for ever if only a body on this actor could answer it; otherwise the call throws `Deadlock`. A thread that
// blocks on such an actor, in a task that prefers an executor, may run bodies that are placed on the executor. An
// awaited call takes more time (`PendingCall.wait`), and so do a firing (`ReactionBody.Closure`) and a definition
// (`String.smallWords`). Nothing else differs. `Tests/run --with unit-public-runtime` runs the unit tests on the
// fallback. `RuntimeWords.swift` has the words of frozen types, which both use.

import CTask
import Dispatch

#if CRUCIBLE_PUBLIC_RUNTIME
  extension Station {
    /// Whether the calling thread runs on the main actor, which is the main queue. The thread's number does not show
    /// that. In a program with an `async` main function the first thread ends, and other threads run the queue.
    static var isOnMainActor: Bool { DispatchQueue.getSpecific(key: mainQueueMark) == true }
    private static let mainQueueMark = {
      let mark = DispatchSpecificKey<Bool>()
      DispatchQueue.main.setSpecific(key: mark, value: true)
      return mark
    }()
    /// Whether the calling thread may run on an actor that has an executor of its own.
    static var isOnOwnExecutor: Bool { isOnMainActor }
    /// Whether the calling thread runs no task, or one of Swift's pool or of the library's pool.
    static var isOnPools: Bool {
      crucible_task_current_thread().pointee.station == nil && !isOnMainActor
        && withUnsafeCurrentTask { task in
          task?.unownedTaskExecutor.map { $0 == PoolExecutor.unowned } ?? true
        }
    }
    /// Whether the calling thread is known to run on the actor.
    static func isOn(_ actor: some Actor) -> Bool { false }
    /// Whether the actor may have an executor of its own.
    static func hasOwnExecutor(_ actor: some Actor) -> Bool { true }
  }

  enum RunningTask {
    /// The task that the calling thread runs. It is the address of an object of Swift.
    static var current: UnsafeRawPointer? {
      withUnsafeCurrentTask { $0?.pointer }
    }
    static var isCancelled: Bool { Task.isCancelled }
    /// Cancels the task. Requires: the caller keeps it.
    static func cancel(_ task: UnsafeRawPointer) { UnsafeCurrentTask(pointer: task).cancel() }
  }
#else
  extension Station {
    static var isOnMainActor: Bool { isOn(MainActor.sharedUnownedExecutor) }
    static var isOnOwnExecutor: Bool { crucible_task_is_on_own_executor() }
    static var isOnPools: Bool { crucible_task_is_on_pools() }
    static func isOn(_ actor: some Actor) -> Bool { isOn(actor.unownedExecutor) }

    /// Whether the actor has an executor of its own. For a default actor the second word is 0.
    static func hasOwnExecutor(_ actor: some Actor) -> Bool { actor.unownedExecutor.words.1 != 0 }

    private static func isOn(_ executor: UnownedSerialExecutor) -> Bool {
      let (identity, implementation) = executor.words
      return crucible_task_is_on(identity, implementation)
    }
  }

  enum RunningTask {
    static var current: UnsafeRawPointer? { crucible_task_current() }
    static var isCancelled: Bool { crucible_task_is_cancelled() }
    static func cancel(_ task: UnsafeRawPointer) { crucible_task_cancel(task) }
  }
#endif
