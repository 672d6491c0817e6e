// See reclamation.h.
//
// Only whole segments that a bag has left are retired, because a call of call_rcu is expensive, and a segment serves
// hundreds of molecules. liburcu's worker thread frees them after a grace period, and checks for more at fixed
// intervals. There is no back-pressure. While readers move, the memory that waits is what was retired in one interval
// and a grace period. While a reader is stalled, retired memory accumulates. That is the price of pops that never wait.
// Tests/Lives/garbage.c measures both.

#include "base/reclamation.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "CCrucible.h"
#include "base/above.h"
#include "base/atomics.h"
#include "base/errors.h"
#include "base/memory.h"
#include "base/tuning.h"

static _Atomic uint64_t retired_bytes;

uint64_t crucible_retired_bytes(void) { return load_relaxed(&retired_bytes); }

_Thread_local bool crucible__is_reader __attribute__((tls_model("initial-exec")));

void crucible__become_reader(void) {
  void *room = mmap(NULL, CRUCIBLE_READER_ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (room == MAP_FAILED) {
    char text[200];
    snprintf(text, sizeof text, "a thread cannot be registered with liburcu: %s", strerror(errno));
    crucible__die(text);
  }
  munmap(room, CRUCIBLE_READER_ROOM);
  crucible__is_reader = true;
}

#if defined(CRUCIBLE_TSAN)
// ThreadSanitizer does not see liburcu's grace period. This tells it that the end of every earlier read section comes
// before the reuse. That is coarser than the truth, but only for memory that is being freed.
void __tsan_acquire(void *);
void __tsan_release(void *);
#define TSAN_RELEASE(p) __tsan_release(p)
#define TSAN_ACQUIRE(p) __tsan_acquire(p)
#else
#define TSAN_RELEASE(p) ((void)0)
#define TSAN_ACQUIRE(p) ((void)0)
#endif

static void reclaim(struct rcu_head *head) {
  struct retired *retired = (struct retired *)head;
  TSAN_ACQUIRE(&retired->head);
  fetch_sub_relaxed(&retired_bytes, retired->size);
  if (retired->then) {
    retired->then(retired);
  } else {
    crucible__free(retired, retired->size);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// fork
// ---------------------------------------------------------------------------------------------------------------------
// liburcu's queue of retired memory is linked in two steps. A fork between them would leave the child a queue whose end
// cannot be reached. Then its handler, or its reclaiming thread, would wait forever for the thread that was about to
// link it. So no thread may be in the middle of linking when the process forks. A forking thread sets a flag, and then
// waits for the linking threads. A retiring thread counts itself, and then reads the flag. One of the two sees the
// other. Memory that is retired meanwhile waits in a list of its own, so that a retiring thread never waits.

static _Atomic uint32_t retiring;
static _Atomic bool forking;
static _Atomic(struct retired *) postponed;

static void retire_postponed(void) {
  struct retired *memory = exchange_seq_cst(&postponed, NULL);
  for (struct retired *next; memory; memory = next) {
    next = memory->next;
    urcu_bp_call_rcu(&memory->head, reclaim);
  }
}

static void postpone(struct retired *memory) {
  memory->next = load_relaxed(&postponed);
  while (!cas_seq_cst(&postponed, &memory->next, memory)) {
  }
  // The fork may be over meanwhile, and the forking thread may have read the list before. Partner: the store in
  // crucible__retiring_after_fork.
  if (!load_seq_cst(&forking)) retire_postponed();
}

void crucible__retiring_before_fork(void) {
  store_seq_cst(&forking, true);                       // partner: the load in crucible__retire
  while (load_seq_cst(&retiring) != 0) sched_yield();  // partner: the addition there
}

void crucible__retiring_after_fork(bool in_child) {
  if (in_child) store_relaxed(&retiring, 0);  // threads that were postponing are not in the child
  store_seq_cst(&forking, false);
  retire_postponed();
}

void crucible__retire(struct retired *memory, size_t size, void (*then)(struct retired *memory)) {
  memory->size = size;
  memory->then = then;
  fetch_add_relaxed(&retired_bytes, size);
  TSAN_RELEASE(&memory->head);
  fetch_add_seq_cst(&retiring, 1);  // partner: the load of a forking thread
  if (UNLIKELY(load_seq_cst(&forking))) {
    postpone(memory);
  } else {
    urcu_bp_call_rcu(&memory->head, reclaim);
  }
  fetch_sub_seq_cst(&retiring, 1);
}

void crucible_reclaim(void) {
  crucible__above.free_spares();
  urcu_bp_barrier();
}
