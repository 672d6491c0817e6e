// The pool: threads that run reserved firings.

#ifndef CRUCIBLE_POOL_H
#define CRUCIBLE_POOL_H

#include "base/thread.h"

/// Submits a reserved firing to the pool. Lock-free, except for creating a thread when there are too few, and for
/// growing the queue.
void crucible__pool_add(struct reaction *reaction);
/// Submits a firing that carries `value`, a molecule of `name`. Requires: the value fits (carried.h).
void crucible__pool_carry(struct reaction *reaction, struct crucible_name *name, const void *value);

/// Puts a reserved firing into the slot of this thread, which is a worker. The worker takes it when its body has ended,
/// unless a thief takes it first. The firing that was in the slot goes to the pool. If that one carries a molecule, it
/// stays, and the new one goes to the pool.
void crucible__slot_put(struct thread *self, struct reaction *reaction);
/// Puts a firing into the slot that carries the molecule in the thread's record, `carried`. Requires:
/// crucible__may_carry was true. Returns true, for callers that end with this call.
bool crucible__slot_carry(struct thread *self, struct reaction *reaction);
/// Whether the slot of this thread can take a firing that carries its molecule.
static inline bool crucible__may_carry(struct thread *self) {
  // partner: the store in steal_from_slot
  return self->is_worker && self->blocking == 0 && load_acquire(&self->slot) == NULL;
}
/// What a visit replaces on its thread.
struct visit {
  struct reaction *outer;  ///< the reaction of the visit around this one; null: there is none
  bool keeps_pool;
};
/// Begins the run of a body on this thread, which is its caller's (firing/visits.h).
struct visit crucible__visit_begin(struct thread *self, struct reaction *reaction);
/// Ends it. `visit`: the result of its begin.
void crucible__visit_end(struct thread *self, struct visit visit);
/// Takes the firing in the slot. Null: the slot is empty, or a thief took the firing.
struct reaction *crucible__slot_take(struct thread *self);
/// Defers a reserved firing to this thread itself (deferred.c).
void crucible__defer(struct thread *self, struct reaction *reaction);
/// Takes the oldest firing that this thread has deferred. Null: none is left.
struct reaction *crucible__defer_take(struct thread *self);
/// Submits the firing in the slot, and the deferred firings, to the pool, because this thread is about to wait.
void crucible__hand_over(struct thread *self);

/// Notes that the body on this thread waits in a call of the library. If it visits a caller, its reaction visits none
/// any more.
void crucible__note_wait(struct thread *self);
/// Mark the begin and the end of a time in which a thread blocks. If it is a pool thread, the pool replaces it when
/// there is work. Calls nest. A null thread has no record, and so is not a pool thread.
void crucible__blocking_begin(struct thread *self);
void crucible__blocking_end(struct thread *self);

/// Makes the queue, once. Requires: called before any other use of the pool or its crew.
void crucible__pool_begin(void);
/// Whether firings wait in the queue.
bool crucible__pool_has_work(void);
/// Applies changed numbers of the crew.
void crucible__pool_resized(void);

/// Resets the pool in the child of a fork: it has no threads and no work.
void crucible__pool_after_fork(void);

#endif
