// What the core knows about a thread: made on its first call, given back when it ends, found without registration.

#ifndef CRUCIBLE_THREAD_H
#define CRUCIBLE_THREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/atomics.h"

struct crucible_soup;
struct reaction;

/// What a thread runs that runs no body.
extern const struct reaction crucible__idle;

enum { MOST_SAVED = 16 };

struct thread {
  // Of this thread alone.
  uint32_t depth;   ///< firings nested on this thread; 0 ⇔ running is crucible__idle
  uint32_t heat;    ///< additions left before a CAS is tried first again; beside the depth, for crucible__is_fresh
  uint32_t index;   ///< small; no two living threads share one
  bool is_worker;   ///< of the pool
  uint32_t blocking;  ///< how many marks of blocking are around what it does (pool.c)
  bool keeps_pool;    ///< a worker, and not in the middle of what is placed externally
  uint32_t saved_count;

  void (*destroy_saved)(void *);
  void *saved[MOST_SAVED];  ///< by the language binding
  void *saved_call;         ///< the same; null: none

  // Read by looks at what still runs, as mere addresses.
  _Atomic(const struct reaction *) running;    ///< of the innermost body on this thread
  _Atomic(const struct reaction *) begun;      ///< the firing that this worker took last and has not ended, null: none
  _Atomic(struct crucible_soup *) spare;       ///< held once more, for the next firing that this worker reserves

  // Seen by others. A firing that is reserved and waits for this thread; any thread may steal it (pool.c).
  _Alignas(64) _Atomic(struct reaction *) slot;
  _Atomic uint64_t beat;  ///< moves whenever the owner touches its slot
  _Atomic bool in_use;
  _Atomic uint64_t seen;  ///< of the watcher: the beat at its last look
  struct thread *next;    ///< of the registry: written before publication, never after
};

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

static inline struct thread *crucible__thread(void) {
  struct thread *self = crucible__self;
  return LIKELY(self != NULL) ? self : crucible__thread_register();
}

/// All records ever made, the newest first; they are recycled, never freed.
struct thread *crucible__thread_list(void);

/// In the child: the other threads are not there any more.
void crucible__thread_after_fork(void);

#endif
