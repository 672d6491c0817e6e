// What Swift's concurrency runtime knows and its library does not say, and what a thread has to remember beneath its tasks.

#ifndef CRUCIBLE_TASK_H
#define CRUCIBLE_TASK_H

#include <stdbool.h>
#include <stdint.h>

/// Whether the calling thread runs on this serial executor, given by the two words of an `UnownedSerialExecutor`. Never ends the
/// program.
bool crucible_task_is_on(uintptr_t identity, uintptr_t implementation);

/// Whether the calling thread runs on an actor that has an executor of its own, the main actor for one.
bool crucible_task_is_on_own_executor(void);

/// What is to be done when a task is cancelled. It lies where the caller likes.
typedef struct {
  void (*_Nonnull act)(void *_Nonnull context);
  void *_Nonnull context;
} crucible_task_cancellation;
/// From now on the cancellation of the current task acts, on whatever thread that is; at once, if it is cancelled already. The same
/// as `withTaskCancellationHandler`, without the function in between, from which the task would have to come back to its
/// executor. To be ended by the same function of the task, in which meanwhile nothing else may be begun of what it ends.
const void *_Nonnull crucible_task_on_cancel(const crucible_task_cancellation *_Nonnull cancellation);
/// When this has returned, it does not act any more, and is not acting.
void crucible_task_forget_cancel(const void *_Nonnull record);

/// The task that the calling thread runs; null: none. A Swift object.
const void *_Nullable crucible_task_current(void);
/// Cancels the task, which the caller keeps. Runs the handlers of its cancellation.
void crucible_task_cancel(const void *_Nonnull task);

/// Of the calling thread alone.
typedef struct {
  const void *_Nullable drops;     ///< the loop that has dropped the piece of work which this thread runs
  const void *_Nullable enqueues;  ///< the loop whose `enqueue` it is in
  bool threw;                      ///< the body that ended last on it threw; only of soups that are observed
} crucible_task_thread;
crucible_task_thread *_Nonnull crucible_task_current_thread(void);

#endif
