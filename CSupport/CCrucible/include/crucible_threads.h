// Alarms, and the pool's threads.

#ifndef CRUCIBLE_THREADS_H
#define CRUCIBLE_THREADS_H

#include "crucible_define.h"

#pragma clang assume_nonnull begin

// ---------------------------------------------------------------------------------------------------------------------
// Alarms
// ---------------------------------------------------------------------------------------------------------------------

/// A function that is called at a given time, unless it is cancelled before. The owner chooses where the alarm lies. It
/// must stay there until it was cancelled or its function has been called.
typedef struct crucible_alarm {
  /// Called by the one thread that watches all alarms. It must return soon. It may destroy the alarm, or set it again.
  void (*act)(struct crucible_alarm *alarm);
  void *_Nullable context;  ///< used by the owner
  // Members that only the core uses.
  struct crucible_alarm *_Nullable next;
  struct crucible_alarm *_Nullable *_Nullable link;
  uint64_t time;
  uint32_t wheel, process;
} crucible_alarm;

/// The time of the monotonic clock, in nanoseconds.
uint64_t crucible_now(void);
/// Sets an alarm: the core calls `alarm->act` at `time`, or up to 16 µs later. If the times of two alarms differ by
/// more than 16 µs, the core calls the earlier one first. `now`: any time since the last reading of the clock.
void crucible_alarm_set(crucible_alarm *alarm, uint64_t now, uint64_t time);
/// Cancels an alarm. False: its function has been called, or is about to be, perhaps in the parent of this process.
bool crucible_alarm_cancel(crucible_alarm *alarm);

// ---------------------------------------------------------------------------------------------------------------------
// Locks
// ---------------------------------------------------------------------------------------------------------------------

/// A lock for data of the language binding. All zero: no thread holds it. While a process forks, no other thread holds
/// one.
typedef struct {
  uint32_t state;  ///< used by the core alone
} crucible_lock;

/// Acquires the lock. Blocks while another thread holds it, and while another thread forks. A thread may hold several
/// locks. A thread that holds one must not wait for another thread.
void crucible_lock_acquire(crucible_lock *lock);
/// Releases the lock. Requires: this thread has acquired it.
void crucible_lock_release(crucible_lock *lock);

// ---------------------------------------------------------------------------------------------------------------------
// Threads
// ---------------------------------------------------------------------------------------------------------------------

/// The highest limit that the pool can have.
#define CRUCIBLE_MAX_POOL_LIMIT 1024

/// Sets the number of pool threads that may run bodies at once. The default is the number of processors. Threads beyond
/// it end when they are idle. False: the number is not from 1 to the limit.
bool crucible_pool_set_workers(size_t count);
/// Whether the calling thread belongs to the pool, and a job that it adds finds a thread, even if the bodies that wait
/// in the pool's queue before it block in calls of the library: none blocks now, and the limit allows one more thread
/// than there are workers.
bool crucible_pool_takes_job(void);
/// Calls `run` with `job` on a thread of the pool. Requires: `job` is aligned to 2 bytes or more, and `run` is the same
/// in all calls.
void crucible_pool_run(void *job, void (*run)(void *job));
/// Sets the number of threads that the pool may have, including blocked ones. The default is 256. Threads beyond the
/// limit end between two bodies, except the last one that can run. False: the limit is below the number of workers or
/// above the maximum.
bool crucible_pool_set_limit(size_t count);

/// An entry of the pool's queue: a firing, with the molecule that it may carry, or a job.
typedef struct {
  _Alignas(16) uint8_t bytes[48];
} crucible_work;
/// From now on the work that this thread adds to the pool goes to `take`, unless that returns false. Null: to the pool
/// again. After the first call, every addition in the process takes a few instructions more.
void crucible_pool_divert(bool (*_Nullable take)(const crucible_work *work));
/// Makes the calling thread decide as if it was new: it forgets how busy names were, and how long replies took.
void crucible_thread_forget(void);
/// The soup of a firing; null for a job. The soup lives until the work has run.
crucible_soup *_Nullable crucible_work_soup(const crucible_work *work);
/// Runs work that was diverted, and ends it. Requires: this thread diverts its own work.
void crucible_work_run(const crucible_work *work);

/// Begins code in which this thread may block for reasons that the core does not know. Other threads may run firings
/// that were deferred to it, and if it belongs to the pool, the pool replaces it until the end. The same thread must
/// call the end. Calls nest, and only the outermost counts. May create a thread.
void crucible_pool_begin_blocking(void);
void crucible_pool_end_blocking(void);
/// Blocks this thread for `nanoseconds` by the monotonic clock (UINT64_MAX: no limit), marked as blocking. 0 returns at
/// once.
void crucible_pool_sleep(uint64_t nanoseconds);

typedef struct {
  size_t workers;
  size_t limit;
  size_t threads;          ///< those that exist or are being created
  size_t blocked;          ///< of these, the threads that wait, or are marked as blocking
  size_t idle;             ///< of these, the threads that sleep because there is nothing to do
  uint64_t queued;         ///< firings in the queue, without those that a thread has deferred to its slot
  uint64_t limit_reached;  ///< how often a thread was needed, but the limit refused it
  uint64_t wake_ups;       ///< how often a thread woke that had slept because there was nothing to do
} crucible_pool_status;
/// Reads the numbers of the pool, one after the other.
crucible_pool_status crucible_pool_look(void);

/// A snapshot of a thread of the pool.
typedef struct {
  int32_t thread;   ///< its number in the kernel
  bool is_blocked;  ///< it waits, or is marked as blocking
  bool is_idle;     ///< it sleeps because there is nothing to do
  const void *_Nullable reaction;  ///< of the body that it runs, for crucible_soup_find_reaction; null: none
} crucible_pool_thread;
/// Copies up to `capacity` threads of the pool, each read separately. Returns the number of threads.
size_t crucible_pool_threads(crucible_pool_thread *threads, size_t capacity);
/// Finds the index of this reaction in the soup. CRUCIBLE_ANY: it is not there. Requires: the soup is held.
ptrdiff_t crucible_soup_find_reaction(const crucible_soup *soup, const void *reaction);

/// Describes a situation in which the pool needed a thread and could not get one.
typedef struct {
  crucible_pool_status status;
  int error;  ///< the errno of the failed creation; 0: the limit was reached
} crucible_pool_shortage;
/// Writes a description and advice as one line, without a line end. Writes at most `capacity` bytes, including the
/// final 0.
void crucible_pool_shortage_text(const crucible_pool_shortage *shortage, char *text, size_t capacity);
/// Sets the function that is called in a shortage. Null: the default, which writes the text to standard error. It is
/// called once, and again only after a thread of the pool has been idle, or the limit has been set. It runs on a thread
/// created for it, one at a time. It may block, inject and set the limit. While no such thread can be created either,
/// the call is delayed, and the text is written at once.
void crucible_pool_on_shortage(void (*_Nullable handler)(const crucible_pool_shortage *shortage));

/// A destruction in progress on a thread: its reason and its nesting depth.
typedef struct {
  crucible_reason reason;  ///< CRUCIBLE_DISCARDED: no other reason is worth reporting
  uint32_t depth;
} crucible_destruction;
/// Notes that this thread destroys a value for that reason, until the end. Returns the enclosing destruction.
crucible_destruction crucible_thread_begin_destroying(crucible_reason reason);
void crucible_thread_end_destroying(crucible_destruction outer);
/// The reason of the destruction in progress. CRUCIBLE_DISCARDED: there is none, or the thread runs a body that the
/// destruction has caused.
crucible_reason crucible_thread_destroys(void);

/// Takes the last saved pointer. The language binding saves pointers with a thread for later use. Null: none is saved.
void *_Nullable crucible_thread_take_saved(void);
/// Saves a pointer. False: the thread has 16 already, or there is no memory. `destroy`, always the same function, is
/// called with each remaining pointer when the thread ends.
bool crucible_thread_save(void *value, void (*destroy)(void *value));
/// What else a thread saves a pointer for, one each.
typedef enum : uint32_t { CRUCIBLE_FOR_CALL, CRUCIBLE_FOR_CALL_AT_ONCE, CRUCIBLE_FOR_DEFINING } crucible_purpose;
typedef struct {
  uint64_t of_the_library;  ///< members of the record, which begins here
  void (*_Nullable destroy)(void *value);
  void *_Nullable values[CRUCIBLE_FOR_DEFINING + 1];  ///< by purpose; null: none is saved
} crucible_kept;
/// The pointers that this thread has saved by purpose. Null: it has no record yet.
crucible_kept *_Nullable crucible_thread_kept(void);
/// Takes the pointer that is saved for the purpose. Null: none is.
static inline void *_Nullable crucible_thread_take(crucible_purpose purpose) {
  crucible_kept *_Nullable kept = crucible_thread_kept();
  void *_Nullable value = kept ? kept->values[purpose] : NULL;
  if (value) kept->values[purpose] = NULL;
  return value;
}
/// Saves a pointer for the purpose, like crucible_thread_save. False: one is saved already, or there is no record.
static inline bool crucible_thread_keep(crucible_purpose purpose, void *value, void (*destroy)(void *value)) {
  crucible_kept *_Nullable kept = crucible_thread_kept();
  if (!kept || kept->values[purpose]) return false;
  kept->values[purpose] = value;
  kept->destroy = destroy;
  return true;
}

#pragma clang assume_nonnull end

#endif
