// Memory: see reclamation.h.
//
// Retired are only whole segments that a bag has left (call_rcu costs 52 ns and more, a segment serves hundreds of molecules).
// liburcu's worker thread frees them after a grace period; while a reader is stalled they pile up: the price of pops that
// never wait.

#include "reclamation.h"

#include <stdlib.h>

#include "CCrucible.h"
#include "atomics.h"

static _Atomic uint64_t live_bytes;

uint64_t crucible_live_bytes(void) { return load_relaxed(&live_bytes); }

static size_t rounded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

void *crucible__allocate(size_t size, size_t alignment) {
  if (alignment < 64) alignment = 64;
  void *memory = aligned_alloc(alignment, rounded(size, alignment));
  if (memory) fetch_add_relaxed(&live_bytes, size);
  return memory;
}

void crucible__free(void *memory, size_t size) {
  if (!memory) return;
  fetch_sub_relaxed(&live_bytes, size);
  free(memory);
}

#if defined(CRUCIBLE_TSAN)
// ThreadSanitizer does not see liburcu's grace period: tell it that the end of every read section of then comes before the
// reuse. Coarser than the truth, but only for memory that is being freed.
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
  crucible__free(retired, retired->size);
}

void crucible__retire(struct retired *memory, size_t size) {
  memory->size = size;
  TSAN_RELEASE(&memory->head);
  urcu_bp_call_rcu(&memory->head, reclaim);
}

void crucible_reclaim(void) { urcu_bp_barrier(); }
