// The firings that a thread has deferred to itself.

#ifndef CRUCIBLE_DEFERRED_H
#define CRUCIBLE_DEFERRED_H

#include "bag/bag.h"
#include "base/thread.h"

/// Appends a firing to the queue of the calling thread. False: no memory.
bool crucible__deferred_push(struct thread *self, struct reaction *reaction);
/// Takes the oldest firing out of the queue of a thread. Null: the queue is empty. Requires: the caller owns the queue,
/// or has found the count raised (DEFER-5).
struct reaction *crucible__deferred_take(struct thread *owner);
/// Whether the body on a thread blocks or takes long. Then other threads may take the firings that the thread deferred.
/// Requires: the watcher has found the thread standing still.
bool crucible__deferred_is_stuck(struct thread *owner);

/// Takes one entry of `bag`, whose number of entries is `count`. False: there is none.
static inline __attribute__((always_inline)) bool crucible__take_counted(struct bag *bag, struct shape shape,
                                                                         _Atomic int64_t *count, void *result) {
  int64_t ready = load_seq_cst(count);  // partner: the addition in `add` in pool.c, or in crucible__deferred_push
  while (ready > 0) {
    if (!cas_acq_rel(count, &ready, ready - 1)) continue;
    uint64_t attempts = 0;
    if (UNLIKELY(!crucible__bag_pop_first(bag, shape, result))) crucible__bag_pop_generic(bag, result, &attempts);
    return true;
  }
  return false;
}

#endif
