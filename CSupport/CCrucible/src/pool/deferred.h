// The firings that a thread has deferred to itself.

#ifndef CRUCIBLE_DEFERRED_H
#define CRUCIBLE_DEFERRED_H

#include "types.h"

/// Appends a firing to the queue of this thread, the calling one. False: no memory.
bool crucible__deferred_push(struct thread *self, struct reaction *reaction);
/// Takes the oldest firing out of the queue of a thread; null: there is none. Any thread may call this.
struct reaction *crucible__deferred_take(struct thread *owner);
/// Whether the body that runs on a thread, which the watcher has found standing still, blocks or takes long: other
/// threads may then have what it deferred.
bool crucible__deferred_is_stuck(struct thread *owner);

/// Takes one of what `bag` holds, of which `count` says how many; null: none.
static inline struct reaction *crucible__take_counted(struct bag *bag, _Atomic int64_t *count) {
  int64_t ready = load_seq_cst(count);  // partner: the addition in crucible__pool_add, or in crucible__deferred_push
  while (ready > 0) {
    // unseen: counted only; the slot's turn orders the payload
    if (!cas_acq_rel(count, &ready, ready - 1)) continue;
    struct reaction *reaction;
    uint64_t attempts = 0;
    crucible__rings_pop_mpmc(bag, &reaction, &attempts);
    return reaction;
  }
  return NULL;
}

#endif
