// Once they are warm, injecting, matching and inline firing neither allocate nor block. RealtimeSanitizer checks this:
// it ends the program at the first call of malloc, of a lock or of a waiting system call while a function marked
// nonblocking runs.
//
//   realtime matchers   prints every matcher, and whether it passes or blocks
//   realtime MATCHER    everything below, warmed up: a lock-free matcher must pass; another one must be ended where it
//                       waits for its mutex or for another thread
//   realtime backlog    on word, molecules that nothing consumes until a ring is full: must be ended at the allocation
//                       of the next ring
//
// One thread uses a state with molecules without payload, a pair of small payloads, a pair of large ones, three
// molecules of one name, and a chain. Two threads use the state alone, because it has no rings: a thread that is
// preempted in the middle of a pop may make the others allocate one (bag.c). Several molecules at once are not tested,
// because they allocate room for their places.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CCrucible.h"

enum { WARM = 1000, ROUNDS = 20000, TICKS = 200000, LARGE = 300 };
#define NONBLOCKING __attribute__((nonblocking))

static crucible_soup *soup;
static crucible_name *total, *tick, *a, *b, *large_a, *large_b, *triple, *first, *second, *alone, *never;
static uint64_t pairs, larges, triples, links;

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "FAILED realtime: %s\n", what);
  exit(1);
}

static void count(void *context, void *const *inputs) {
  ++*(uint64_t *)inputs[0];
}
static void add_one(void *context, void *const *inputs) {
  ++*(uint64_t *)context;
}
static void pass_on(void *context, void *const *inputs) {
  if (!crucible_inject(second, inputs[0])) fail("a body's molecule is refused");
}

static crucible_name *name(const char *label, crucible_kind kind, size_t size) {
  crucible_name_options options = {.label = label, .kind = kind, .size = size, .alignment = 8};
  uint64_t zero = 0;
  crucible_name *made;
  if (crucible_soup_add_name(soup, &options, kind == CRUCIBLE_STATE ? &zero : NULL, &made) != CRUCIBLE_OK) {
    fail("no name");
  }
  return made;
}

static void react(crucible_name **inputs, size_t count_of_inputs, crucible_body body, void *context) {
  crucible_name *culprit;
  crucible_reaction_options options = {.inputs = inputs, .input_count = count_of_inputs, .placement = CRUCIBLE_INLINE,
                                       .body = body, .context = context};
  if (crucible_soup_add_reaction(soup, &options, &culprit) != CRUCIBLE_OK) fail("no reaction");
}

static void define(crucible_matcher matcher) {
  crucible_name *culprit;
  soup = crucible_soup_create(&(crucible_soup_options){.label = "realtime", .matcher = matcher});
  if (!soup) fail("no soup");
  total = name("total", CRUCIBLE_STATE, 8), tick = name("tick", CRUCIBLE_SLOW, 0);
  a = name("a", CRUCIBLE_SLOW, 8), b = name("b", CRUCIBLE_SLOW, 8);
  large_a = name("large a", CRUCIBLE_SLOW, LARGE), large_b = name("large b", CRUCIBLE_SLOW, LARGE);
  triple = name("triple", CRUCIBLE_SLOW, 16);
  first = name("first", CRUCIBLE_SLOW, 8), second = name("second", CRUCIBLE_SLOW, 8);
  alone = name("alone", CRUCIBLE_SLOW, 8), never = name("never", CRUCIBLE_SLOW, 0);
  react((crucible_name *[]){total, tick}, 2, count, NULL);
  react((crucible_name *[]){a, b}, 2, add_one, &pairs);
  react((crucible_name *[]){large_a, large_b}, 2, add_one, &larges);
  react((crucible_name *[]){triple, triple, triple}, 3, add_one, &triples);
  react((crucible_name *[]){first}, 1, pass_on, NULL);
  react((crucible_name *[]){second}, 1, add_one, &links);
  react((crucible_name *[]){alone, never}, 2, add_one, &links);
  if (crucible_soup_freeze(soup, &culprit) != CRUCIBLE_OK) fail("the soup is refused");
}

// ---------------------------------------------------------------------------------------------------------------------
// The part that must neither allocate nor block
// ---------------------------------------------------------------------------------------------------------------------

static bool inject_each(void) {
  unsigned char value[LARGE] = {1};
  bool injected = crucible_inject(tick, value) && crucible_inject(a, value) && crucible_inject(b, value) &&
                  crucible_inject(large_b, value) && crucible_inject(large_a, value) && crucible_inject(first, value);
  for (int i = 0; i < 3; i++) injected = injected && crucible_inject(triple, value);
  return injected;
}

static bool inject_all(void) NONBLOCKING { return inject_each(); }

static bool inject_tick(void) NONBLOCKING { return crucible_inject(tick, &pairs); }

static bool inject_alone(void) NONBLOCKING {
  uint64_t value = 1;
  return crucible_inject(alone, &value);
}

static void *tick_often(void *unused) {
  uint64_t value = 0;
  for (int i = 0; i < WARM; i++) {
    if (!crucible_inject(tick, &value)) fail("a tick is refused");
  }
  for (int i = 0; i < TICKS; i++) {
    if (!inject_tick()) fail("a tick is refused");
  }
  return NULL;
}

/// Runs the first round without the mark, because the thread gets its record there.
static void run_all(void) {
  // A lock-free matcher without one word for all counts changes several words at once. Threads that meet there use
  // operations, which take memory (CLAIM-5).
  uint32_t home;
  bool has_one_word = crucible_name_words(tick, &home) == 1;
  int most = crucible_matcher_is_lock_free(crucible_name_matcher(tick)) && !has_one_word ? 1 : 2;
  for (int i = 0; i < WARM + ROUNDS; i++) {
    if (!(i < WARM ? inject_each() : inject_all())) fail("a molecule is refused");
  }
  pthread_t threads[2];
  for (int i = 0; i < most; i++) {
    if (pthread_create(&threads[i], NULL, tick_often, NULL) != 0) fail("no thread");
  }
  for (int i = 0; i < most; i++) pthread_join(threads[i], NULL);
  uint64_t rounds = WARM + ROUNDS, ticks = *(uint64_t *)crucible_name_cell(total);
  if (ticks != rounds + (uint64_t)most * (WARM + TICKS) || pairs != rounds || larges != rounds || triples != rounds ||
      links != rounds) {
    fail("not everything has reacted");
  }
}

/// Injects more than any ring holds. The mark begins beyond the first ring, because the thread's first read section,
/// which registers it with liburcu, comes before.
static void run_backlog(void) {
  uint64_t value = 1;
  for (int i = 0; i < WARM + ROUNDS; i++) {
    if (!(i < WARM / 4 ? crucible_inject(alone, &value) : inject_alone())) fail("a molecule is refused");
  }
}

int main(int argc, char **argv) {
  const char *what = argc == 2 ? argv[1] : "";
  if (strcmp(what, "matchers") == 0) {
    for (uint32_t m = 1; m <= crucible_matcher_count(); m++) {
      crucible_matcher matcher = (crucible_matcher)m;
      printf("%s %s\n", crucible_matcher_name(matcher), crucible_matcher_is_lock_free(matcher) ? "passes" : "blocks");
    }
    return 0;
  }
  bool backlog = strcmp(what, "backlog") == 0;
  crucible_matcher matcher;
  if (!crucible_matcher_find(backlog ? "word" : what, &matcher)) {
    fprintf(stderr, "usage: realtime MATCHER|backlog|matchers\n");
    return 2;
  }
  define(matcher);
  (backlog ? run_backlog : run_all)();
  crucible_soup_release(soup);
  printf("passed realtime, %s: nothing allocated or blocked\n", what);
  return 0;
}
