// What a reaction costs, in atomic operations: read-modify-writes and full fences, counted in the layer through which the core
// touches shared memory. One thread, inline bodies, `Int` payloads, matcher `word`, warm. A count above its limit fails.
//
// For each case the count is that of the difference between a long and a short run, so that what happens once does not show.

#include <stdio.h>
#include <stdlib.h>

#include "CCrucible.h"

uint64_t crucible__atomics_counted(void);
void crucible__atomics_reset(void);

static crucible_name *names[3];

static void fail(const char *what) {
  fprintf(stderr, "costs: %s\n", what);
  exit(1);
}

static void nothing(void *context, void *const *inputs) { (void)context, (void)inputs; }
static void add_one(void *context, void *const *inputs) { (void)context, (*(int64_t *)inputs[0])++; }
static void count_on(void *context, void *const *inputs) {
  (void)context;
  int64_t next = *(int64_t *)inputs[0] + 1;
  crucible_inject_unowned(names[0], &next);
}

struct cost {
  const char *name;
  double limit;
  unsigned count;        // of names
  crucible_kind kinds[3];
  size_t sizes[3];
  crucible_body body;
  unsigned first;        // names[first...] are injected in each round
};

// The limits are the counts of the first release.
static const struct cost costs[] = {
    {"join1", 1, 1, {CRUCIBLE_SLOW}, {0}, nothing, 0},
    {"counter-state", 2, 2, {CRUCIBLE_STATE, CRUCIBLE_SLOW}, {8, 0}, add_one, 1},
    {"counter", 5, 2, {CRUCIBLE_SLOW, CRUCIBLE_SLOW}, {8, 0}, count_on, 1},
    {"join2", 5, 2, {CRUCIBLE_SLOW, CRUCIBLE_SLOW}, {8, 8}, nothing, 0},
    {"join3", 9, 3, {CRUCIBLE_SLOW, CRUCIBLE_SLOW, CRUCIBLE_SLOW}, {8, 8, 8}, nothing, 0},
};

static uint64_t count(const struct cost *cost, int rounds) {
  crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){.label = cost->name, .matcher = CRUCIBLE_WORD});
  if (!soup) fail("no memory");
  int64_t zero = 0;
  crucible_name *culprit;
  for (unsigned i = 0; i < cost->count; i++) {
    crucible_name_options options = {.label = "n", .kind = cost->kinds[i], .size = cost->sizes[i], .alignment = 8};
    if (crucible_soup_add_name(soup, &options, &zero, &names[i]) != CRUCIBLE_OK) fail("a name is refused");
  }
  crucible_reaction_options reaction = {
      .inputs = names, .input_count = cost->count, .placement = CRUCIBLE_INLINE, .body = cost->body};
  if (crucible_soup_add_reaction(soup, &reaction, &culprit) != CRUCIBLE_OK) fail("a reaction is refused");
  if (crucible_soup_freeze(soup, &culprit) != CRUCIBLE_OK) fail("the definition is refused");
  if (cost->body == count_on) crucible_inject(names[0], &zero);
  crucible__atomics_reset();
  for (int64_t round = 0; round < rounds; round++) {
    for (unsigned i = cost->first; i < cost->count; i++) crucible_inject(names[i], &round);
  }
  uint64_t counted = crucible__atomics_counted();
  uint64_t waiting[3];
  crucible_soup_counts(soup, waiting);
  for (unsigned i = cost->first; i < cost->count; i++) {
    if (waiting[i] != 0) fail("something did not react");
  }
  crucible_soup_release(soup);
  return counted;
}

int main(void) {
  int status = 0;
  for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
    const struct cost *cost = &costs[i];
    double each = (double)(count(cost, 30000) - count(cost, 10000)) / 20000;
    int passed = each > 0 && each < cost->limit + 0.01;  // what happens once, as making the record of a thread
    printf("%s %-14s %5.2f atomic operations per reaction, at most %.0f\n", passed ? "passed" : "FAILED", cost->name, each,
           cost->limit);
    if (!passed) status = 1;
  }
  return status;
}
