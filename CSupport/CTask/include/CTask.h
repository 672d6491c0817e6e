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

/// Of the calling thread alone.
typedef struct {
  const void *_Nullable drops;     ///< the loop that has dropped the piece of work which this thread runs
  const void *_Nullable enqueues;  ///< the loop whose `enqueue` it is in
  bool threw;                      ///< the body that ended last on it threw; only of soups that are observed
} crucible_task_thread;
crucible_task_thread *_Nonnull crucible_task_current_thread(void);

#endif
