// The record of a thread. Its first call makes it, its end releases it, and no registration is needed to find it.

#ifndef CRUCIBLE_THREAD_H
#define CRUCIBLE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CCrucible.h"
#include "base/atomics.h"
#include "base/errors.h"
#include "base/tuning.h"

struct bag;
struct crucible_name;
struct crucible_soup;
struct reaction;

/// The number of a thread in the cell of a bag is a multiple of this (matcher/word/word_front.h).
enum { FIRST_KEEPER = 8 };

/// A piece of work, and the molecule that it may carry, which was never stored (pool/carried.h).
struct task {
  struct reaction *work;  ///< with a mark, which says whether the rest has a molecule
  struct crucible_name *name;
  _Alignas(16) uint64_t value[4];
};

/// The duty of a thread of the pool, for inspection.
enum duty { NO_DUTY, WORKS, BLOCKS, SLEEPS };

/// The most words that a thread claims at once.
enum { MOST_CLAIMED = 64 };

/// One word of a claim, and its values before and after.
struct claimed {
  _Atomic(_Atomic uint64_t *) word;
  _Atomic uint64_t before, after;
};

/// The claims of one thread (claims.h). The thread reuses the record, and all threads read it.
struct claims {
  _Alignas(CRUCIBLE_LINE) _Atomic uint64_t status;  ///< the term of the use, and its outcome
  _Atomic uint32_t count;                ///< the words of a claim that has help
  // For each word of a claim that has help, also of another thread's: the installation that the thread puts there.
  uint64_t installations;          ///< their number, which only the thread uses
  _Atomic uint64_t expected, tag;  ///< what the last one replaces, and the tag that comes there
  struct claimed words[MOST_CLAIMED];
};

/// The call of a name with keys that this thread is about to inject, and the bodies that wait for its reply (KEY-7).
struct asking {
  const struct crucible_name *name;     ///< null: there is none
  const void *thread, *firing;          ///< possible holders of a state: this thread, and the room of a firing
  struct crucible_name *state, *asker;  ///< of the last call that was refused as hopeless: the state and the name
};

struct thread {
  union {
    crucible_kept kept;  ///< what the binding saves; its first member is the following two
    struct {
      /// The number of firings nested on this thread, 0 if no body runs on it, and 256 more for each enclosing part in
      /// which it is raised (firing.h). Others read it for inspection, so it changes like `duty`.
      uint32_t depth;
      uint32_t heat;  ///< additions left before a CAS is tried first again; with `depth` for crucible__is_fresh
    };
  };
  // Members that only this thread uses.
  uint32_t index;   ///< small; no two living threads share one
  bool is_worker;   ///< the thread belongs to the pool
  bool is_first;    ///< the process began with it
  uint32_t blocking;  ///< the number of enclosing marks of blocking (pool.c)
  bool keeps_pool;    ///< a worker that is not inside an externally placed firing or a job
  uint32_t saved_count;
  uint32_t keeper;    ///< its number in the cell of a bag: FIRST_KEEPER times (index + 1)
  int32_t patience;   ///< see patience.h
  uint32_t waits;     ///< the number of times that it waited for another thread, in a call of the library
  int32_t base;       ///< injections up to this depth count as outermost; NO_DEPTH while deferred firings run
  /// The number of the thread in the kernel. A watcher may read the number of the last owner. Its accesses are atomic
  /// but not steps of a schedule, because a number that differs from run to run would prevent a replay.
  int32_t id;
  uint32_t duty;      ///< enum duty; accessed like `id`: atomic, and no step of a schedule
  uintptr_t stack;    ///< the lowest address at which a nested firing may begin
  size_t stack_size;  ///< the size from there to the beginning of the stack; 0: not measured yet; SIZE_MAX: unknown

  void *saved[CRUCIBLE_SAVED];  ///< saved by the binding; `kept` has the function that destroys them

  struct task last_task;  ///< for a worker: the entry that it took last, from the queue or from another worker's slot

  // Inspection reads these members, as mere addresses, to find what still runs.
  _Atomic(const struct reaction *) begun;      ///< the firing that this worker took last and has not ended; null: none
  _Atomic(struct crucible_soup *) advance;  ///< a soup with one hold for the next firing that this worker reserves

  // Members that other threads read, and only the owner writes.
  /// soups that threads of this record have created, minus those that they have ended (soup/soup.c)
  _Atomic uint64_t soups;
  _Atomic uint32_t sections;  ///< the number of locks of the binding that this thread has or acquires (section.c)

  // Reserved firings that wait for this thread. Any thread may steal them (pool.c, deferred.c).
  /// for a worker: the firing that it runs next, with a mark (pool/carried.h)
  _Alignas(CRUCIBLE_LINE) _Atomic(struct reaction *) slot;
  struct task carried;       ///< the molecule of the firing in the slot, if it carries one
  _Atomic int64_t deferred;  ///< the number of firings in the queue
  _Atomic uint64_t beat;     ///< changes whenever the owner accesses its slot or its queue
  struct bag *queue;         ///< null: nothing was ever deferred
  _Atomic bool in_use;
  _Atomic uint64_t seen;  ///< used by the watcher: the beat at its last check
  _Atomic int64_t seen_time;  ///< used by the watcher: see crucible__deferred_is_stuck; -1: the beat changes
  /// the reaction of the pool whose body runs on this thread, because the thread is the caller that waits for it
  /// (firing/visits.h); its lowest bit is a mark of the watcher (pool/pool.c); null: no such body runs
  _Atomic(struct reaction *) visiting;
  struct thread *next;    ///< in the registry: written before publication, never after

  /// The reactions of the bodies on this thread, by depth. The first is crucible__above.idle. Inspection reads them, as
  /// mere addresses.
  _Atomic(const struct reaction *) bodies[256];

  struct claims claims;
  struct asking asking;
  const void *placed;  ///< the room of the innermost externally placed firing that runs on this thread; null: none
};

/// The number of the entry for the depth. It reads one byte, so that a begin still increments the depth in memory.
static inline uint8_t crucible__low_depth(const struct thread *self) {
  _Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte is the lowest one");
  uint8_t low;
  memcpy(&low, &self->depth, sizeof low);
  return low;
}

/// The reaction of the innermost body on the thread that asks. If there is none, crucible__above.idle.
static inline const struct reaction *crucible__running(const struct thread *self) {
  return load_relaxed(&self->bodies[crucible__low_depth(self)]);
}

/// The same of any thread.
static inline const struct reaction *crucible__running_there(const struct thread *thread) {
  return load_relaxed(&thread->bodies[(uint8_t)__atomic_load_n(&thread->depth, __ATOMIC_RELAXED)]);
}

static inline void crucible__set_depth(struct thread *self, uint32_t depth) {
  __atomic_store_n(&self->depth, depth, __ATOMIC_RELAXED);
}

/// Both accesses are atomic, because then compilers make one instruction of them.
static inline void crucible__add_depth(struct thread *self, uint32_t more) {
  crucible__set_depth(self, __atomic_load_n(&self->depth, __ATOMIC_RELAXED) + more);
}

static inline void crucible__set_duty(struct thread *self, enum duty duty) {
  __atomic_store_n(&self->duty, duty, __ATOMIC_RELAXED);
}

/// Lower than any depth.
#define NO_DEPTH (-1)

/// Whether this thread has no enclosing injection, so that an injection runs the firings that the thread has deferred.
static inline bool crucible__is_outermost(const struct thread *self) { return (int32_t)self->depth <= self->base; }

/// Whether no body runs on the thread, and it may try a CAS first. Needs one read.
static inline bool crucible__is_fresh(const struct thread *self) {
  _Static_assert(offsetof(struct thread, heat) == offsetof(struct thread, depth) + 4, "one look at both");
  uint64_t both;
  memcpy(&both, &self->depth, sizeof both);
  return both == 0;
}

extern _Thread_local struct thread *crucible__self __attribute__((tls_model("initial-exec")));

/// Makes a record for the calling thread. Null: no memory.
struct thread *crucible__thread_register(void);

void crucible__thread_measure_stack(struct thread *self);

/// Whether the stack of the calling thread has room for one more nested firing.
static inline bool crucible__thread_has_room(struct thread *self) {
  if (UNLIKELY(self->stack_size == 0)) crucible__thread_measure_stack(self);
  return self->depth < CRUCIBLE_DEPTH && (uintptr_t)__builtin_frame_address(0) - self->stack < self->stack_size;
}

static inline struct thread *crucible__thread(void) {
  struct thread *self = crucible__self;
  return LIKELY(self != NULL) ? self : crucible__thread_register();
}

/// Returns the record of this thread, for a call that cannot be refused. Aborts with a message if there is no memory.
static inline struct thread *crucible__thread_for(const char *what) {
  struct thread *self = crucible__thread();
  if (!self) crucible__die("no memory %s", what);
  return self;
}

/// The list of all records ever made, the newest first. They are recycled, and never freed.
struct thread *crucible__thread_list(void);
/// Returns the record with this index, which has been made.
struct thread *crucible__thread_at(uint32_t index);

/// The number of indices that threads may have. Linux has at most this many threads.
#define CRUCIBLE_THREAD_INDICES (UINT32_C(1) << 22)

/// Resets the records in the child of a fork, which has none of the other threads.
void crucible__thread_after_fork(void);

/// Starts a detached thread. Signals for the process go to the program's own threads. Handlers see a crash on the
/// thread, and a profile includes it. Returns 0 or an errno.
int crucible__start_thread(void *(*function)(void *), void *argument);

#endif
