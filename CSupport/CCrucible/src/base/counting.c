// See counting.h.
//
// Each thread has a tally of its own, which outlives it, in a list that only grows.

#include "base/counting.h"

#if defined(CRUCIBLE_COUNT_ATOMICS)

#include <stdatomic.h>
#include <stdlib.h>

#include "base/errors.h"

struct tally {
  uint64_t count;
  struct tally *next;
};

_Thread_local uint64_t *crucible__tally;
static _Atomic(struct tally *) tallies;

uint64_t *crucible__tally_make(void) {
  struct tally *tally = calloc(1, sizeof *tally);
  if (!tally) crucible__die("no memory to count atomic operations");
  tally->next = atomic_load(&tallies);
  while (!atomic_compare_exchange_weak(&tallies, &tally->next, tally)) {
  }
  return crucible__tally = &tally->count;
}

uint64_t crucible__atomics_counted(void) {
  uint64_t sum = 0;
  for (struct tally *t = atomic_load(&tallies); t; t = t->next) sum += t->count;
  return sum;
}

void crucible__atomics_reset(void) {
  for (struct tally *t = atomic_load(&tallies); t; t = t->next) t->count = 0;
}

#endif
