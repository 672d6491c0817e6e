// Alarms, and the pool's threads.

#ifndef CRUCIBLE_THREADS_H
#define CRUCIBLE_THREADS_H

#include "crucible_define.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

// ---------------------------------------------------------------------------------------------------------------------
// Alarms
// ---------------------------------------------------------------------------------------------------------------------

/// A function that is called at a moment, unless it is cancelled before. It lies where its owner likes, and must stay
/// there until it was cancelled or its function has been called.
typedef struct crucible_alarm {
  /// Called by the one thread that watches all alarms: to return soon. It may destroy the alarm, or set it again.
  void (*act)(struct crucible_alarm *alarm);
  void *_Nullable context;  ///< of its owner
  // Members that only the core uses.
  struct crucible_alarm *_Nullable next;
  struct crucible_alarm *_Nullable *_Nullable link;
  uint64_t time;
  uint32_t wheel, process;
} crucible_alarm;

/// Nanoseconds, by the monotonic clock.
uint64_t crucible_now(void);
/// Calls `alarm->act` at `time` or up to 16 µs later, in the order of the moments as far as they differ by more. `now`:
/// any moment from the last look at the clock on.
void crucible_alarm_set(crucible_alarm *alarm, uint64_t now, uint64_t time);
/// False: its function has been called, or is about to be, also if that was the parent of this process.
bool crucible_alarm_cancel(crucible_alarm *alarm);

// ---------------------------------------------------------------------------------------------------------------------
// Threads
// ---------------------------------------------------------------------------------------------------------------------

/// The most that the limit of the pool's threads may be.
#define CRUCIBLE_MAX_POOL_LIMIT 1024

/// Sets how many threads of the pool may run bodies at once; the default is the number of processors.
/// Threads beyond it end when they are idle. False: it is not from 1 to the limit.
bool crucible_pool_set_workers(size_t count);
size_t crucible_pool_workers(void);
/// Calls `run` with `job` on a thread of the pool. `job` is aligned to 2 bytes or more; `run` is the same in all calls.
void crucible_pool_run(void *job, void (*run)(void *job));
/// Sets how many threads the pool may have, with those that are blocked; the default is 256. Threads beyond the limit
/// end between two bodies, except the last one that can run. Returns false if the limit is below the number of workers
/// or above the most.
bool crucible_pool_set_limit(size_t count);
size_t crucible_pool_limit(void);

/// Begins code in which this thread may block for reasons that the core does not know. If the thread is the pool's, the
/// pool replaces it until the end, which comes on the same thread. Nests; only the outermost counts. May make a thread.
void crucible_pool_begin_blocking(void);
void crucible_pool_end_blocking(void);
/// Blocks this thread for `nanoseconds` by the monotonic clock (UINT64_MAX: for ever), so marked. 0 returns at once.
void crucible_pool_sleep(uint64_t nanoseconds);

typedef struct {
  size_t workers;
  size_t limit;
  size_t threads;          ///< that there are, or that are being made
  size_t blocked;          ///< of these, that wait, or are marked as blocking
  size_t idle;             ///< of these, that sleep because there is nothing to do
  uint64_t queued;         ///< firings in the queue; none that a thread has deferred to its slot
  uint64_t limit_reached;  ///< how often a thread was needed and the limit refused it
  uint64_t wake_ups;       ///< how often a thread woke that had slept because there was nothing to do
} crucible_pool_status;
/// Reads the numbers of the pool, one after the other.
crucible_pool_status crucible_pool_look(void);

/// A thread of the pool, as a look finds it.
typedef struct {
  int32_t thread;   ///< as the kernel numbers it
  bool is_blocked;  ///< it waits, or is marked as blocking
  bool is_idle;     ///< it sleeps because there is nothing to do
  const void *_Nullable reaction;  ///< of the body that it runs, for crucible_soup_find_reaction; null: none
} crucible_pool_thread;
/// Up to `capacity` of the threads of the pool, each read by itself. Answers how many there are.
size_t crucible_pool_threads(crucible_pool_thread *threads, size_t capacity);
/// Which reaction of the soup, which is held, that is; CRUCIBLE_ANY: none.
ptrdiff_t crucible_soup_find_reaction(const crucible_soup *soup, const void *reaction);

/// The pool needed a thread and could not have it.
typedef struct {
  crucible_pool_status status;
  int error;  ///< why none could be made, as errno says it; 0: the limit
} crucible_pool_shortage;
/// Writes what happened and what to do about it, in one line without its end. At most `capacity` bytes, the final 0
/// included.
void crucible_pool_shortage_text(const crucible_pool_shortage *shortage, char *text, size_t capacity);
/// Sets what is called in a shortage; null: what writes the text to standard error, which is the default. It is called
/// once, and again only after a thread of the pool has been idle, or the limit has been set. It runs on a thread made
/// for it, one at a time: it may block, inject and set the limit. While no such thread can be made either, it waits for
/// one, and the text is written at once.
void crucible_pool_on_shortage(void (*_Nullable handler)(const crucible_pool_shortage *shortage));

/// The value that a thread destroys: why, and how deep.
typedef struct {
  crucible_reason reason;  ///< CRUCIBLE_DISCARDED: nothing that anybody could want to know the reason for
  uint32_t depth;
} crucible_destruction;
/// From here to the end this thread destroys a value for that reason. Answers what it was in the middle of before.
crucible_destruction crucible_thread_begin_destroying(crucible_reason reason);
void crucible_thread_end_destroying(crucible_destruction outer);
/// The reason; CRUCIBLE_DISCARDED if it destroys nothing, or runs a body that the destruction has led to.
crucible_reason crucible_thread_destroys(void);

/// Pointers that the language binding saves with a thread, for its later use: takes the one that was saved last; null:
/// there is none.
void *_Nullable crucible_thread_take_saved(void);
/// False: the thread has 16 already, or there is no memory. `destroy`, always the same, is called with each that is
/// left when the thread ends.
bool crucible_thread_save(void *value, void (*destroy)(void *value));
/// Saves and takes one pointer more, for a call. Requires: the same `destroy` each time. False: the thread has one.
void *_Nullable crucible_thread_take_saved_call(void);
bool crucible_thread_save_call(void *call, void (*destroy)(void *call));
/// Saves and takes one more, for a call that is answered at once. False also on a thread that has no record yet.
void *_Nullable crucible_thread_take_saved_at_once(void);
bool crucible_thread_save_at_once(void *call, void (*destroy)(void *call));
/// Saves and takes one more, for a definition. False also on a thread that has no record yet.
void *_Nullable crucible_thread_take_saved_definition(void);
bool crucible_thread_save_definition(void *definition, void (*destroy)(void *definition));

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#ifdef __cplusplus
}
#endif

#endif
