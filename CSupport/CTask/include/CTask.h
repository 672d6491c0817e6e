// Entry points of Swift's concurrency runtime that have no public name, and what a thread remembers beneath its tasks.
// `Placement/RuntimeEntry.swift` has the public fallback, and Package.swift the toolchains that take it.

#ifndef CRUCIBLE_TASK_H
#define CRUCIBLE_TASK_H

#include <stdbool.h>
#include <stdint.h>

/// Whether the calling thread runs on this serial executor, given by the two words of an `UnownedSerialExecutor`.
/// Unlike `preconditionIsolated` it never ends the program.
bool crucible_task_is_on(uintptr_t identity, uintptr_t implementation);

/// Whether the calling thread runs on an actor that has an executor of its own, for example the main actor.
bool crucible_task_is_on_own_executor(void);

/// A callback for the cancellation of a task. The caller provides the memory.
typedef struct {
  void (*_Nonnull act)(void *_Nonnull context);
  void *_Nonnull context;
} crucible_task_cancellation;
/// From now on the cancellation of the current task calls `act`, on any thread. If the task is cancelled already, it
/// calls `act` at once. It does what `withTaskCancellationHandler` does, without the function in between from which the
/// task would have to return to its executor. Requires: the same function of the task ends it, and records that it
/// begins meanwhile end first.
const void *_Nonnull crucible_task_on_cancel(const crucible_task_cancellation *_Nonnull cancellation);
/// When this has returned, `act` does not run and will not run.
void crucible_task_forget_cancel(const void *_Nonnull record);

/// The task that the calling thread runs; null: none. A Swift object.
const void *_Nullable crucible_task_current(void);
/// Whether the task that the calling thread runs is cancelled, as `Task.isCancelled` does, without retaining the task.
bool crucible_task_is_cancelled(void);
/// Cancels the task, which the caller keeps. Runs the handlers of its cancellation.
void crucible_task_cancel(const void *_Nonnull task);

/// The two words of an `UnownedTaskExecutor`.
typedef struct {
  uintptr_t identity, implementation;
} crucible_task_executor;
extern crucible_task_executor crucible_task_pool_executor;
/// From now on `take` gets each job that a thread of a controlled run would enqueue on Swift's pool. If it returns
/// false, the job is enqueued as usual. For such threads the main actor has that executor, given by its two words.
void crucible_task_redirect(bool (*_Nonnull take)(void *_Nonnull job), crucible_task_executor main);
/// Whether the calling thread runs no task, or one of Swift's pool or of the library's pool.
bool crucible_task_is_on_pools(void);
/// The pool's executor; it is set once, before its first job.
static inline crucible_task_executor crucible_task_pool(void) { return crucible_task_pool_executor; }
static inline void crucible_task_set_pool(crucible_task_executor executor) { crucible_task_pool_executor = executor; }

/// Belongs to the calling thread alone.
typedef struct {
  const void *_Nullable drops;     ///< the loop that has dropped the piece of work which this thread runs
  const void *_Nullable enqueues;  ///< the loop whose `enqueue` it is in
  const void *_Nullable station;   ///< whose body it runs by an origin
  const void *_Nullable given;     ///< the origins that molecules are put back with
  const void *_Nullable parks;     ///< the origin whose task is about to be enqueued
  const void *_Nullable leaving;   ///< the definition that ends here, whose names are leaving
  void *_Nullable observed;        ///< the innermost body on it that observers see, in its frame
  const void *_Nullable run;       ///< the controlled run that it belongs to
} crucible_task_thread;
extern _Thread_local crucible_task_thread crucible_task_this_thread __attribute__((tls_model("initial-exec")));
static inline crucible_task_thread *_Nonnull crucible_task_current_thread(void) { return &crucible_task_this_thread; }

/// Runs the closure of an object of Swift: `(Object, Inputs) -> Void`, whose two words are the first that the object
/// stores. Swift itself would retain a closure that a variable holds, around the call. Requires: the closure is not
/// changed meanwhile.
void crucible_task_run(void *_Nullable object, void *_Nonnull const *_Nonnull inputs);

/// Adds references to an object of Swift, without a locked instruction. Requires: no other thread knows the object.
void crucible_task_retain_alone(void *_Nonnull object, uint32_t count);
/// Ends references to an object of Swift.
void crucible_task_release_all(void *_Nonnull object, uint32_t count);

/// A processor of the process; the next call returns the next one. -1: the system does not tell.
int crucible_task_next_processor(void);
/// Keeps the calling thread on a processor, and lets it run on all of the process again. A thread that it creates
/// meanwhile stays there as well.
void crucible_task_stay_on(int processor);
void crucible_task_leave_processor(void);
/// The system's number of the calling thread.
int crucible_task_thread_number(void);
/// Writes the name of the calling thread, as the system shows it.
void crucible_task_thread_name(char name[_Nonnull 16]);

#endif
