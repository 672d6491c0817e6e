// The pool: threads that run reserved firings.

#ifndef CRUCIBLE_POOL_H
#define CRUCIBLE_POOL_H

#include "base/thread.h"

/// Gives a reserved firing to the pool. Lock-free, but for making a thread when there are too few, and for growing the
/// queue.
void crucible__pool_add(struct reaction *reaction);
/// Adds a firing that carries `value`, a molecule of `name`. Requires: the value fits (carried.h).
void crucible__pool_carry(struct reaction *reaction, struct crucible_name *name, const void *value);

/// Puts a reserved firing into the slot of this thread, a worker, which takes it when its body has ended, unless a
/// thief takes it. What was in the slot goes to the pool; if that carries a molecule, the new one goes there instead.
void crucible__slot_put(struct thread *self, struct reaction *reaction);
/// Puts a firing into the slot that carries the molecule in the thread's record, `carried`. Requires:
/// crucible__may_carry was true. Returns true, for callers that end with it.
bool crucible__slot_carry(struct thread *self, struct reaction *reaction);
/// Whether the slot of this thread can take a firing that carries its molecule.
static inline bool crucible__may_carry(struct thread *self) {
  // partner: the store in steal_from_slot
  return self->is_worker && self->blocking == 0 && load_acquire(&self->slot) == NULL;
}
/// Takes back what is in the slot; null: nothing, or it was stolen.
struct reaction *crucible__slot_take(struct thread *self);
/// Defers a reserved firing to this thread itself (deferred.c).
void crucible__defer(struct thread *self, struct reaction *reaction);
/// Takes back the oldest firing that this thread has deferred; null: none is left.
struct reaction *crucible__defer_take(struct thread *self);
/// Gives what is in the slot, and what was deferred, to the pool: this thread is about to wait.
void crucible__hand_over(struct thread *self);

/// A thread is going to block, or is back. If it is the pool's, the pool replaces it when there is work. Nests. A null
/// thread has no record; it may be any thread except the pool's.
void crucible__blocking_begin(struct thread *self);
void crucible__blocking_end(struct thread *self);

/// Makes the queue, once. Before anything else is asked of the pool or its crew.
void crucible__pool_begin(void);
/// Whether firings wait in the queue.
bool crucible__pool_has_work(void);
/// Other numbers hold for the crew.
void crucible__pool_resized(void);

/// In the child: a pool without threads and without work.
void crucible__pool_after_fork(void);

#endif
