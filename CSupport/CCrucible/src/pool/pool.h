// The pool: threads that run reserved firings, and the number of them.

#ifndef CRUCIBLE_POOL_H
#define CRUCIBLE_POOL_H

#include "CCrucible.h"
#include "bag/bag.h"
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

/// Arranges that the handler of shortages is called, on a thread created for it (shortage.c). Does not wait for it.
void crucible__shortage_tell(const crucible_pool_shortage *shortage);
/// Retries, if the handler has not been called because no thread could be created for it.
void crucible__shortage_retry(void);

// Reset the pool in the child of a fork: there are no threads and no work, nothing is to be reported, no alarm is set.
void crucible__pool_after_fork(void);
void crucible__crew_after_fork(void);
void crucible__shortage_after_fork(void);
void crucible__alarms_after_fork(void);

// crew.c: the number of threads that the pool has, may have, and should have
struct crew {
  _Atomic uint32_t threads;  ///< those that exist or are being created
  _Atomic uint32_t blocked;  ///< of these, the threads that wait, or are marked as blocking
  _Atomic uint64_t size;     ///< the number of workers, and above it the limit, which is never lower; 0: not begun
  _Atomic uint64_t refused;  ///< how often a thread was needed, but the limit refused it
  _Atomic uint32_t lacks;    ///< there is a shortage, and it has been reported
};

extern struct crew crucible__crew;

static inline uint32_t crucible__crew_workers(void) { return (uint32_t)load_seq_cst(&crucible__crew.size); }
static inline uint32_t crucible__crew_limit(void) { return (uint32_t)(load_seq_cst(&crucible__crew.size) >> 32); }

/// Whether fewer of `threads` can run than should.
static inline bool crucible__crew_is_short_of(uint32_t threads) {
  return threads < crucible__crew_workers() + load_seq_cst(&crucible__crew.blocked);
}
static inline bool crucible__crew_is_short(void) {
  return crucible__crew_is_short_of(load_seq_cst(&crucible__crew.threads));
}

/// Whether `threads` are too many. They are if more can run than should. They are also too many if they exceed the
/// limit and include more than one that can run.
static inline bool crucible__crew_exceeds(uint32_t threads) {
  uint32_t blocked = load_seq_cst(&crucible__crew.blocked);
  return threads > crucible__crew_workers() + blocked || (threads > crucible__crew_limit() && threads > blocked + 1);
}
static inline bool crucible__crew_has_too_many(void) {
  return crucible__crew_exceeds(load_seq_cst(&crucible__crew.threads));
}

/// Sets the initial numbers.
void crucible__crew_begin(void);
/// Creates a thread that runs `work`, if the crew is short of one. `needed`: a failure is a shortage.
void crucible__crew_hire(void *(*work)(void *), bool needed);
/// Removes the calling worker from the count if there are too many.
bool crucible__crew_leave(void);
/// Ends a shortage, if there was one, because a worker has nothing to do.
void crucible__crew_idles(void);

// deferred.c: the firings that a thread has deferred to itself
/// Appends a firing to the queue of the calling thread. False: no memory.
bool crucible__deferred_push(struct thread *self, struct reaction *reaction);
/// Takes the oldest firing out of the queue of a thread. Null: the queue is empty. Requires: the caller owns the queue,
/// or has found the count raised (DEFER-5).
struct reaction *crucible__deferred_take(struct thread *owner);
/// Whether the body on a thread blocks or takes long. Then other threads may take the firings that the thread deferred.
/// Requires: the watcher has found the thread standing still.
bool crucible__deferred_is_stuck(struct thread *owner);

/// Takes one entry of `bag`, whose number of entries is `count`. False: there is none.
static INLINE bool crucible__take_counted(struct bag *bag, struct shape shape, _Atomic int64_t *count, void *result) {
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
