// Locks of the language binding, which no fork leaves locked.
//
// The binding keeps data of its own under locks: of soups, of calls, of the process. A lock is one word, because there
// may be one in each call. A thread that finds it held spins for a moment, because sections are short, and then sleeps.
// The holder does not hand the lock over: a running thread may take it before a woken one. So a thread that waits for
// the processor holds up no others.
//
// fork. The child has only the thread that forked. Data that another thread was changing under a lock would stay
// half-changed in the child, and the lock held. So no thread is in a section while the process forks:
//   SECTION-1  A thread counts itself in its record before it acquires its first lock, and until it has released it.
//       Then it reads `forking`. A thread that forks sets `forking`, and then reads the counts of all records. In the
//       total order one of the two sees the other. Either the forking thread waits for the section, or the thread
//       takes its count back and waits until the fork is over.
//   SECTION-2  A thread in a section waits only for other threads in sections, and for locks of the core. A thread that
//       forks holds none of those before all sections have ended (soup/process.c). So the wait ends.
// Handlers of the program for `fork` may use the library, and so the forking thread itself passes.
//
// A thread without a record, for which there is no memory, counts itself in `unrecorded`.
//
// Callers: any thread. The thread that acquires a lock releases it. Progress: blocks, like any lock.

#include "base/section.h"

#include <limits.h>

#include "CCrucible.h"
#include "base/atomics.h"
#include "base/futex.h"
#include "base/thread.h"
#include "base/tuning.h"

enum { FREE, HELD, AWAITED };

static _Atomic uint32_t forking;
static _Atomic uint32_t unrecorded;
static _Thread_local bool forks __attribute__((tls_model("initial-exec")));

static NOINLINE void await_fork(_Atomic uint32_t *count) {
  do {
    fetch_sub_seq_cst(count, 1);
    while (load_acquire(&forking)) crucible__park(&forking, 1, UINT64_MAX);
    // Partners: those of `enter`, when another fork begins just now.
    fetch_add_seq_cst(count, 1);
  } while (load_seq_cst(&forking));
}

static inline void enter(void) {
  struct thread *self = crucible__thread();
  if (LIKELY(self != NULL)) {
    uint32_t count = load_relaxed(&self->sections);
    if (UNLIKELY(count > 0)) {
      store_relaxed(&self->sections, count + 1);
      return;
    }
    store_seq_cst(&self->sections, 1);  // partner: the load in crucible__sections_before_fork
  } else {
    // partner: the load in crucible__sections_before_fork
    fetch_add_seq_cst(&unrecorded, 1);
  }
  // partner: the store in crucible__sections_before_fork
  if (UNLIKELY(load_seq_cst(&forking)) && !forks) await_fork(self ? &self->sections : &unrecorded);
}

static inline void leave(void) {
  struct thread *self = crucible__self;
  // A thread that has got its record in a section has entered that section without it.
  if (LIKELY(self && load_relaxed(&self->sections) > 0)) {
    // partner: the load in crucible__sections_before_fork
    store_release(&self->sections, load_relaxed(&self->sections) - 1);
  } else {
    // partner: the load in crucible__sections_before_fork
    fetch_sub_seq_cst(&unrecorded, 1);
  }
}

static _Atomic uint32_t *state_of(crucible_lock *lock) { return (_Atomic uint32_t *)(void *)&lock->state; }

static NOINLINE void await(_Atomic uint32_t *lock) {
  for (int i = 0; i < CRUCIBLE_LOCK_LOOKS; i++) {
    for (int pause = 0; pause < CRUCIBLE_LOOK_PAUSES; pause++) spin_pause();
    uint32_t state = FREE;
    // partner: the exchange in crucible_lock_release
    if (load_relaxed(lock) == FREE && cas_acquire(lock, &state, HELD)) return;
  }
  // partner: the exchange in crucible_lock_release
  while (exchange_acquire(lock, AWAITED) != FREE) crucible__park(lock, AWAITED, UINT64_MAX);
}

void crucible_lock_acquire(crucible_lock *lock) {
  enter();
  uint32_t state = FREE;
  // partner: the exchange in crucible_lock_release
  if (UNLIKELY(!cas_acquire(state_of(lock), &state, HELD))) await(state_of(lock));
}

void crucible_lock_release(crucible_lock *lock) {
  // From here on another thread may free the lock.
  _Atomic uint32_t *state = state_of(lock);
  if (UNLIKELY(exchange_release(state, FREE) == AWAITED)) crucible__unpark(state, 1);
  leave();
}

void crucible__sections_before_fork(void) {
  forks = true;
  store_seq_cst(&forking, 1);  // partner: the load in enter
  for (struct thread *t = crucible__thread_list(); t; t = t->next) {
    if (t == crucible__self) continue;  // a value's end, or a handler of a signal, forks in a section of this thread
    while (load_seq_cst(&t->sections) != 0) give_way();  // partner: the store in enter
  }
  // partner: the addition in enter
  while (load_seq_cst(&unrecorded) != 0) give_way();
}

void crucible__sections_after_fork(void) {
  forks = false;
  store_release(&forking, 0);  // partner: the load in await_fork
  crucible__unpark(&forking, INT_MAX);
}
