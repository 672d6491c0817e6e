// Grace periods, and the thread that frees memory after them.
//
// Retired memory waits in a list that any thread may push to. One thread takes the whole list, waits for a grace period
// of liburcu, and frees what it took. Then it sleeps until more is retired, and for an interval after that, so that one
// grace period serves much memory. There is no back-pressure. While readers move, the memory that waits is what was
// retired in one interval and a grace period. While a reader is stalled, retired memory accumulates. That is the price
// of pops that never wait. Tests/Lives/garbage.c measures both.
//
// The thread is the library's own. liburcu has one for `call_rcu`, which ends the process if it cannot be made, blocks
// the signals of a crash, and delays each fork by one of its intervals.
//
//   GRACE-1  The thread does not sleep while memory waits. It sets `work` to 0, and then takes the list. A thread that
//       retires pushes, and then reads `work`. In the total order either the push comes before the taking, or the
//       thread reads 0. Then it sets `work` to 1 and wakes the other one.
//
// fork. A process forks while no memory is being freed, so the child finds a list and no half-freed memory. It makes a
// thread of its own when it needs one.
//
// The first definition makes the thread. While none can be made, memory waits, and each definition and each retirement
// tries again.

#include "base/grace.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "base/atomics.h"
#include "base/futex.h"
#include "base/lock.h"
#include "base/thread.h"
#include "base/tuning.h"

static _Atomic(struct retired *) waiting;  ///< the newest first
static _Atomic uint32_t work;
static _Atomic uint32_t begun;
static struct lock reclaiming = {PTHREAD_MUTEX_INITIALIZER};

void crucible__grace_wait(void) {
  lock_acquire(&reclaiming);
  // partner: the CAS of the thread that has retired it
  struct retired *memory = exchange_seq_cst(&waiting, NULL);
  if (memory) urcu_bp_synchronize_rcu();
  for (struct retired *next; memory; memory = next) {
    next = memory->next;
    crucible__reclaim(memory);
  }
  lock_release(&reclaiming);
}

static void *run(void *unused) {
  (void)unused;
  prctl(PR_SET_NAME, "crucible memory");
  for (;;) {
    while (load_acquire(&work) == 0) crucible__park(&work, 0, UINT64_MAX);
    clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = CRUCIBLE_GRACE_INTERVAL}, NULL);
    store_seq_cst(&work, 0);  // GRACE-1
    crucible__grace_wait();
  }
  return NULL;
}

/// Makes the thread, if the process has none. If none can be made, says so once, and the next call tries again.
static void begin(void) {
  if (exchange_acq_rel(&begun, 1) != 0) return;
  int error = crucible__start_thread(run, NULL);
  if (error == 0) return;
  store_release(&begun, 0);
  static _Atomic uint32_t told;
  if (exchange_acq_rel(&told, 1) != 0) return;
  fprintf(stderr, "Crucible: no thread can be created that frees memory (%s): it is kept until one can\n",
          strerror(error));
}

void crucible__grace_begin(void) {
  if (UNLIKELY(load_relaxed(&begun) == 0)) begin();
}

void crucible__grace_then_reclaim(struct retired *memory) {
  struct retired *next = load_relaxed(&waiting);
  do {
    memory->next = next;
    // partner: the exchange in crucible__grace_wait
  } while (!cas_seq_cst(&waiting, &next, memory));
  // GRACE-1
  if (load_seq_cst(&work) == 0 && exchange_seq_cst(&work, 1) == 0) crucible__unpark(&work, 1);
  crucible__grace_begin();
}

void crucible__grace_before_fork(void) { lock_acquire(&reclaiming); }

void crucible__grace_after_fork(bool in_child) {
  if (in_child) store_relaxed(&begun, 0);
  lock_release(&reclaiming);
}
