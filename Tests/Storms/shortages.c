// A pool that is at its limit all the time: bodies block, and other threads report shortages faster than the handler
// takes them.

#include <pthread.h>
#include <sched.h>

#include "storms.h"

enum { SHORTAGES = 24, TELLERS = 3 };

static struct {
  crucible_name *job;
  _Atomic bool may_end;
  _Atomic uint32_t ran;
  uint64_t seed;
} shortages;

static void block(void *context, void *const *inputs) {
  crucible_pool_begin_blocking();
  while (!atomic_load_explicit(&shortages.may_end, memory_order_relaxed)) sched_yield();
  crucible_pool_end_blocking();
  atomic_fetch_add_explicit(&shortages.ran, 1, memory_order_relaxed);
}

static void *ask(void *number) {
  seed_thread(shortages.seed, (uintptr_t)number);
  for (int i = 0; i < SHORTAGES; i++) {
    if (!crucible_inject(shortages.job, &shortages)) fail("a job is refused");
    if (one_in(20)) set_handler();
    crucible_pool_set_limit(1 + draw(3));  // from now on the next shortage is a new one
    for (uint32_t pauses = draw(6); pauses > 0; pauses--) sched_yield();
  }
  return NULL;
}

uint64_t storm_shortages(uint64_t seed) {
  shortages.seed = seed;
  atomic_init(&shortages.may_end, false);
  atomic_init(&shortages.ran, 0);
  crucible_soup_options options = {.label = "blocked"};
  crucible_name_options job = {.label = "job"};
  crucible_soup *soup = crucible_soup_create(&options);
  if (!soup || crucible_soup_add_name(soup, &job, NULL, &shortages.job) != CRUCIBLE_OK) fail("no memory");
  crucible_reaction_options reaction = {.inputs = &shortages.job, .input_count = 1, .body = block};
  complete(soup, &reaction);
  crucible_pool_set_workers(1);
  pthread_t threads[TELLERS];
  for (uintptr_t i = 0; i < TELLERS; i++) {
    if (pthread_create(&threads[i], NULL, ask, (void *)(i + 1)) != 0) fail("no thread");
  }
  for (int i = 0; i < TELLERS; i++) pthread_join(threads[i], NULL);
  atomic_store_explicit(&shortages.may_end, true, memory_order_relaxed);
  if (!crucible_soup_wait_quiet(soup, UINT64_C(60000000000))) fail("the bodies that blocked do not end");
  if (atomic_load_explicit(&shortages.ran, memory_order_relaxed) != TELLERS * SHORTAGES) fail("a job has not run");
  crucible_soup_release(soup);
  return TELLERS * SHORTAGES;
}
