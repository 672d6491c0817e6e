// The record of a thread, made on its first call, given back when it ends, and found without registration.

#ifndef CRUCIBLE_THREAD_H
#define CRUCIBLE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/atomics.h"
#include "base/tuning.h"

struct bag;
struct crucible_name;
struct crucible_soup;
struct reaction;

/// A thread's number in the cell of a bag is a multiple of it (matcher/word/word_front.h).
enum { FIRST_KEEPER = 8 };

/// A piece of work, and the molecule that it may carry: one that was never stored (pool/carried.h).
struct task {
  struct reaction *work;  ///< marked; the mark says whether the rest has a molecule
  struct crucible_name *name;
  _Alignas(16) uint64_t value[4];
};

/// The duty of a thread of the pool, for looks.
enum duty { NO_DUTY, WORKS, BLOCKS, SLEEPS };

struct thread {
  // Members that only this thread uses.
  uint32_t depth;   ///< firings nested on this thread; 0 ⇔ no body runs on it
  uint32_t heat;    ///< additions left before a CAS is tried first again; beside the depth, for crucible__is_fresh
  uint32_t index;   ///< small; no two living threads share one
  bool is_worker;   ///< of the pool
  uint32_t blocking;  ///< how many marks of blocking are around what it does (pool.c)
  bool keeps_pool;    ///< a worker, and not in the middle of what is placed externally
  uint32_t saved_count;
  uint32_t keeper;    ///< by which the cell of a bag knows it: FIRST_KEEPER times one more than its index
  int32_t base;       ///< the depth up to which injections count as outermost; NO_DEPTH while what was deferred runs
  /// The number of the thread in the kernel. A watcher may read that of the last owner. Its accesses are atomic and no
  /// steps of a schedule, because a number that differs from run to run would prevent a replay.
  int32_t id;
  uint32_t duty;      ///< enum duty; its accesses are atomic as those of `id`, and no steps of a schedule
  uintptr_t stack;    ///< the lowest address at which a nested firing may begin
  size_t stack_size;  ///< from there to where it begins; 0: not measured yet; SIZE_MAX: nothing is known of it

  void (*destroy_saved)(void *);
  void *saved[CRUCIBLE_SAVED];  ///< by the language binding
  void *saved_call;         ///< the same; null: none
  void *saved_at_once;      ///< the same
  void *saved_definition;   ///< the same
  void *const *put_back_from;  ///< the inputs of the innermost body that may put calls back; null: none

  struct task taken;  ///< of a worker: the entry that it took last, from the queue or from another worker's slot

  // Read by looks at what still runs, as mere addresses.
  _Atomic(const struct reaction *) running;    ///< of the innermost body on this thread; none: crucible__above.idle
  _Atomic(const struct reaction *) begun;      ///< the firing that this worker took last and has not ended, null: none
  _Atomic(struct crucible_soup *) spare;       ///< held once more, for the next firing that this worker reserves

  // Seen by others, written by the owner alone.
  _Atomic uint64_t soups;  ///< that threads of this record have made, less those that they have ended (soup/soup.c)

  // Seen by others. Firings that are reserved and wait for this thread; any thread may steal them (pool.c, deferred.c).
  _Alignas(64) _Atomic(struct reaction *) slot;  ///< of a worker: the one that it runs next, marked (pool/carried.h)
  struct task carried;       ///< of the firing in the slot, if it carries its molecule
  _Atomic int64_t deferred;  ///< how many are in the queue
  _Atomic uint64_t beat;     ///< moves whenever the owner touches its slot or its queue
  struct bag *queue;         ///< null: none was ever deferred
  _Atomic bool in_use;
  _Atomic uint64_t seen;  ///< of the watcher: the beat at its last look
  _Atomic int64_t seen_time;  ///< the same: see crucible__deferred_is_stuck; -1: it moves
  struct thread *next;    ///< of the registry: written before publication, never after
};

/// The thread's number in the cell of a bag.
static inline uint32_t crucible__keeper(const struct thread *self) { return self->keeper; }

static inline void crucible__set_duty(struct thread *self, enum duty duty) {
  __atomic_store_n(&self->duty, duty, __ATOMIC_RELAXED);
}

/// No depth is so small.
#define NO_DEPTH (-1)

/// Whether an injection here runs what this thread has deferred, for no injection is around it.
static inline bool crucible__is_outermost(const struct thread *self) { return (int32_t)self->depth <= self->base; }

/// No body runs on it, and it may try a CAS first. One look.
static inline bool crucible__is_fresh(const struct thread *self) {
  _Static_assert(offsetof(struct thread, heat) == offsetof(struct thread, depth) + 4, "one look at both");
  uint64_t both;
  memcpy(&both, &self->depth, sizeof both);
  return both == 0;
}

extern _Thread_local struct thread *crucible__self __attribute__((tls_model("initial-exec")));

/// Null: no memory.
struct thread *crucible__thread_register(void);

void crucible__thread_measure_stack(struct thread *self);

/// Whether the stack of this thread, the calling one, has room for one more nested firing.
static inline bool crucible__thread_has_room(struct thread *self) {
  if (UNLIKELY(self->stack_size == 0)) crucible__thread_measure_stack(self);
  return self->depth < CRUCIBLE_DEPTH && (uintptr_t)__builtin_frame_address(0) - self->stack < self->stack_size;
}

static inline struct thread *crucible__thread(void) {
  struct thread *self = crucible__self;
  return LIKELY(self != NULL) ? self : crucible__thread_register();
}

/// All records ever made, the newest first; they are recycled, never freed.
struct thread *crucible__thread_list(void);

/// The indices that threads may have: Linux has at most so many threads.
#define CRUCIBLE_THREAD_INDICES (UINT32_C(1) << 22)

/// In the child: the other threads are not there any more.
void crucible__thread_after_fork(void);

#endif
