// Atomic memory as C11 allows it. See README.md.
//
// Every store leaves a message: the value, and what its author makes known to others. A load may take any message that
// is not older than what its thread has seen of the location. That gives coherence. It also gives happens-before,
// because a thread hands on what it has seen, with its view. A store with release hands its author's view on, and a
// load with acquire takes it over. A read-modify-write takes the newest message and also hands on what that one handed
// on (release sequences). An access with seq_cst takes no message that is older than the last store with seq_cst (C11
// 7.17.3). Runs are explored in the order in which they are made, which is the one total order of these accesses. This
// follows the view machine of Kang, Hur, Lahav, Vafeiadis and Dreyer ("A promising semantics for relaxed-memory
// concurrency", POPL 2017) without promises: no load takes a store of the future.
//
// Memory itself always holds the newest value. When it differs from the newest message, code outside the model wrote it
// (a test's own code, freeing). Then that value is the oldest message that a thread may read.

#include "views.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"

enum { KEPT = 6, BUCKETS = 4 * LOCATIONS, STALE_IN_A_ROW = 3, HOW_OFTEN_STALE = 3 };

// With CRUCIBLE_STALE=N in the environment a thread that has taken an old message mostly takes an old one of that
// location again, up to N in a row. So code that looks several times before it gives up misses the new value each time.
enum { MOSTLY = 4 };
static uint8_t stale_in_a_row = STALE_IN_A_ROW;
static bool stays_stale;
__attribute__((constructor)) static void read_environment(void) {
  const char *text = getenv("CRUCIBLE_STALE");
  if (!text) return;
  unsigned most = (unsigned)strtoul(text, NULL, 10);
  if (most < 1 || most > UINT8_MAX) {
    fprintf(stderr, "CRUCIBLE_STALE is a number from 1 to %d, not \"%s\"\n", UINT8_MAX, text);
    exit(2);
  }
  stale_in_a_row = (uint8_t)most;
  stays_stale = true;
}

struct message {
  uint64_t value;
  unsigned length;  ///< the used length of `view.seen`
  struct view view;
};

static struct location {
  const volatile void *address;
  uint32_t newest, floor;  ///< numbers of messages, from 1
  uint32_t strong;         ///< the last one with seq_cst
  uint8_t stale[ACTORS];   ///< how many old messages each thread has read in a row
  struct message messages[KEPT];
} locations[LOCATIONS];
static unsigned location_count;
static uint16_t buckets[BUCKETS];  ///< numbers of locations, plus 1

static struct view views[ACTORS];

void views_reset(void) {
  memset(buckets, 0, sizeof buckets);
  location_count = 0;
  memset(views, 0, sizeof views);
  for (unsigned i = 0; i < ACTORS; i++) views[i].clock[i] = 1;
}

struct view *views_mine(void) { return &views[scheduler_self()]; }

void views_join(struct view *into, const struct view *from) {
  for (unsigned i = 0; i < ACTORS; i++) {
    if (into->clock[i] < from->clock[i]) into->clock[i] = from->clock[i];
  }
  for (unsigned i = 0; i < location_count; i++) {
    if (into->seen[i] < from->seen[i]) into->seen[i] = from->seen[i];
  }
}

void views_tick(void) { views_mine()->clock[scheduler_self()]++; }

static bool acquires(int order) { return order != memory_order_relaxed && order != memory_order_release; }
static bool releases(int order) {
  return order == memory_order_release || order == memory_order_acq_rel || order == memory_order_seq_cst;
}

static uint64_t value_at(const volatile void *address, unsigned size) {
  uint64_t value = 0;
  memcpy(&value, (const void *)address, size);
  return value;
}

static struct message *message(struct location *location, uint32_t number) {
  return &location->messages[number % KEPT];
}

/// Leaves a message that hands nothing on.
static struct message *append(struct location *location, uint64_t value) {
  struct message *new = message(location, ++location->newest);
  memset(new->view.clock, 0, sizeof new->view.clock);
  memset(new->view.seen, 0, location_count * sizeof *new->view.seen);
  new->value = value;
  new->length = location_count;
  return new;
}

static void join_message(struct view *into, const struct message *from) {
  for (unsigned i = 0; i < ACTORS; i++) {
    if (into->clock[i] < from->view.clock[i]) into->clock[i] = from->view.clock[i];
  }
  for (unsigned i = 0; i < from->length; i++) {
    if (into->seen[i] < from->view.seen[i]) into->seen[i] = from->view.seen[i];
  }
}

static struct location *find(const volatile void *address, unsigned size) {
  unsigned bucket = (unsigned)(((uintptr_t)address * UINT64_C(0x9E3779B97F4A7C15)) >> 40) % BUCKETS;
  while (buckets[bucket] && locations[buckets[bucket] - 1].address != address) bucket = (bucket + 1) % BUCKETS;
  struct location *location;
  uint64_t value = value_at(address, size);
  if (!buckets[bucket]) {
    if (location_count == LOCATIONS) scheduler_fail("more than %d atomic locations in one run", LOCATIONS);
    location = &locations[location_count++];
    buckets[bucket] = (uint16_t)location_count;
    location->address = address;
    location->newest = location->strong = 0;
    memset(location->stale, 0, sizeof location->stale);
    append(location, value);
    location->floor = location->newest;
    return location;
  }
  location = &locations[buckets[bucket] - 1];
  if (message(location, location->newest)->value != value) {
    append(location, value);
    location->floor = location->newest;
  }
  return location;
}

/// Chooses the message that a load takes.
static uint32_t choose(struct location *location, int order) {
  uint32_t oldest = location->floor;
  uint32_t seen = views_mine()->seen[location - locations];
  if (oldest < seen) oldest = seen;
  if (order == memory_order_seq_cst && oldest < location->strong) oldest = location->strong;
  if (location->newest >= KEPT && oldest < location->newest - KEPT + 1) oldest = location->newest - KEPT + 1;
  uint8_t *stale = &location->stale[scheduler_self()];
  if (oldest < location->newest && *stale < stale_in_a_row &&
      (stays_stale && *stale ? scheduler_random(MOSTLY) != 0 : scheduler_random(HOW_OFTEN_STALE) == 0)) {
    ++*stale;
    return oldest + (uint32_t)scheduler_random(location->newest - oldest);
  }
  *stale = 0;
  return location->newest;
}

static uint64_t take(struct location *location, uint32_t number, int order) {
  struct view *mine = views_mine();
  struct message *taken = message(location, number);
  mine->seen[location - locations] = number;
  if (acquires(order)) join_message(mine, taken);
  return taken->value;
}

static void leave(struct location *location, uint64_t value, int order, const struct message *continued) {
  struct view *mine = views_mine();
  struct message *new = append(location, value);
  mine->seen[location - locations] = location->newest;
  if (order == memory_order_seq_cst) location->strong = location->newest;
  if (continued) join_message(&new->view, continued);
  if (releases(order)) {
    views_join(&new->view, mine);
    views_tick();
  }
}

uint64_t views_load(const volatile void *address, unsigned size, int order) {
  struct location *location = find(address, size);
  return take(location, choose(location, order), order);
}

void views_store(volatile void *address, unsigned size, uint64_t value, int order) {
  leave(find(address, size), value, order, NULL);
  memcpy((void *)address, &value, size);
}

uint64_t views_change(volatile void *address, unsigned size, uint64_t (*change)(uint64_t, uint64_t), uint64_t operand,
                      int order) {
  struct location *location = find(address, size);
  uint32_t number = location->newest;
  uint64_t before = take(location, number, order);
  uint64_t after = 0, changed = change(before, operand);
  memcpy(&after, &changed, size);
  leave(location, after, order, message(location, number));
  memcpy((void *)address, &after, size);
  return before;
}

uint64_t views_compare_exchange(volatile void *address, unsigned size, uint64_t expected, uint64_t desired, int success,
                                int failure, const void *where) {
  struct location *location = find(address, size);
  uint32_t number = choose(location, failure);
  if (message(location, number)->value == expected) number = location->newest;
  if (message(location, number)->value != expected) return take(location, number, failure);
  take(location, number, success);
  cells_touch(address, size, ATOMIC_WRITE, where);  // before the clock moves: a thread that acquires has heard of it
  leave(location, desired, success, message(location, number));
  memcpy((void *)address, &desired, size);
  return expected;
}
