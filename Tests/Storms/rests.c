// The promise of quiet: a thread that has found a stopped soup quiet sees all that its bodies did, and may restart its
// states.
//
// Bodies write plain memory of the thread that they run on, and their state. One thread stops the soup, waits until it
// is quiet, reads all that was written, and restarts it with new states. What this thread did comes before what is
// injected from then on. Nothing else orders them.

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "storms.h"

enum { MOST_INJECTORS = 12, MOST_SLOTS = 256, RESTARTS = 12, PATIENCE = 5, MOST_TICKS = 2000 };

struct slot {
  uint64_t count;
  char apart[56];
};

static struct slot slots[MOST_SLOTS];  ///< one for each thread that runs bodies, by its number in this round
static _Atomic uint32_t slot_count, round_number;
static _Thread_local uint32_t own_slot, own_round;

static struct {
  crucible_soup *soup;
  crucible_name *tick, *cell;
  bool has_state;
  _Atomic bool ended;
  uint64_t seed;
} rest;

static void count(void *context, void *const *inputs) {
  uint32_t now = atomic_load_explicit(&round_number, memory_order_relaxed);
  if (own_round != now) own_slot = atomic_fetch_add_explicit(&slot_count, 1, memory_order_relaxed);
  own_round = now;
  if (own_slot >= MOST_SLOTS) fail("too many threads have run bodies");
  for (uint32_t pauses = draw(3); pauses > 0; pauses--) sched_yield();  // meanwhile another thread may stop the soup
  slots[own_slot].count++;
  if (!rest.has_state) return;
  uint64_t *cell = inputs[1];
  if (cell[0] != cell[1]) fail("a state is torn");
  cell[0]++;
  if (one_in(8)) sched_yield();
  cell[1]++;
}

static void reset(crucible_name *state, void *context) {
  uint64_t *cell = crucible_name_cell(state);
  if (cell[0] != cell[1]) fail("a state is torn when the soup is quiet");
  cell[0] = cell[1] = draw(1000);
}

static void *inject(void *number) {
  seed_thread(rest.seed, (uintptr_t)number);
  uint64_t value = 1;
  for (int i = 0; i < MOST_TICKS && !atomic_load_explicit(&rest.ended, memory_order_relaxed); i++) {
    crucible_inject(rest.tick, &value);
    if (one_in(8)) sched_yield();
  }
  return NULL;
}

/// Checks that a stopped soup holds nothing: an injection that passed the check for a stop drops its own molecule. The
/// check does not run each time, because a look orders what the quiet alone must order.
static void check_empty(void) {
  uint64_t counts[2] = {0}, deadline = nanoseconds_now() + PATIENCE * UINT64_C(1000000000);
  for (;;) {
    crucible_soup_counts(rest.soup, counts);
    if (counts[0] == 0) return;
    if (nanoseconds_now() > deadline) fail("a stopped soup keeps %llu molecules", (unsigned long long)counts[0]);
    sched_yield();
  }
}

/// Stops the soup, waits until it is quiet, reads everything, and restarts it.
static void rest_once(void) {
  uint64_t dropped, sum = 0;
  crucible_soup_stop(rest.soup, &dropped);
  for (;;) {
    while (!crucible_soup_is_quiet(rest.soup)) sched_yield();
    uint32_t known = atomic_load_explicit(&slot_count, memory_order_relaxed);
    for (uint32_t i = 0; i < known && i < MOST_SLOTS; i++) sum += slots[i].count;
    if (one_in(4)) check_empty();
    crucible_status status = crucible_soup_restart(rest.soup, reset, &sum);
    if (status == CRUCIBLE_OK) return;
    if (status != CRUCIBLE_NOT_QUIET) fail("a stopped soup is not restarted: %s", crucible_status_text(status));
  }
}

uint64_t storm_rests(uint64_t seed) {
  rest.seed = seed;
  rest.has_state = one_in(2);
  atomic_init(&rest.ended, false);
  atomic_store_explicit(&slot_count, 0, memory_order_relaxed);
  atomic_fetch_add_explicit(&round_number, 1, memory_order_relaxed);
  crucible_soup_options options = {.label = "rest", .matcher = draw_matcher()};
  crucible_name_options tick = {.label = "tick", .size = one_in(2) ? 8 : 0, .alignment = 8};
  crucible_name_options cell = {.label = "cell", .kind = CRUCIBLE_STATE, .size = 16, .alignment = 8};
  uint64_t zero[2] = {0};
  rest.soup = crucible_soup_create(&options);
  if (!rest.soup || crucible_soup_add_name(rest.soup, &tick, NULL, &rest.tick) != CRUCIBLE_OK) fail("no memory");
  if (rest.has_state && crucible_soup_add_name(rest.soup, &cell, zero, &rest.cell) != CRUCIBLE_OK) fail("no memory");
  crucible_name *inputs[] = {rest.tick, rest.cell};
  crucible_reaction_options reaction = {.inputs = inputs, .input_count = rest.has_state ? 2 : 1, .body = count,
                                        .placement = one_in(3) ? CRUCIBLE_POOL : CRUCIBLE_INLINE};
  complete(rest.soup, &reaction);
  pthread_t threads[MOST_INJECTORS];
  uint32_t number = 2 + draw(MOST_INJECTORS - 1);
  for (uintptr_t i = 0; i < number; i++) {
    if (pthread_create(&threads[i], NULL, inject, (void *)(i + 1)) != 0) fail("no thread");
  }
  for (int i = 0; i < RESTARTS; i++) rest_once();
  atomic_store_explicit(&rest.ended, true, memory_order_relaxed);
  for (uint32_t i = 0; i < number; i++) pthread_join(threads[i], NULL);
  if (!crucible_soup_wait_quiet(rest.soup, UINT64_C(60000000000))) fail("the soup does not become quiet");
  crucible_soup_release(rest.soup);
  return RESTARTS;
}
