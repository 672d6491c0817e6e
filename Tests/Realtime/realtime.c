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

#include "../programs.h"

enum { WARM = 1000, ROUNDS = 20000, TICKS = 200000, LARGE = 300 };
#define NONBLOCKING __attribute__((nonblocking))

static crucible_soup *soup;
static crucible_name *total, *tick, *a, *b, *large_a, *large_b, *triple, *first, *second, *alone, *never;
static uint64_t pairs, larges, triples, links;

static void count(void *context, void *const *inputs) {
  ++*(uint64_t *)inputs[0];
}
static void add_one(void *context, void *const *inputs) {
  ++*(uint64_t *)context;
}
static void pass_on(void *context, void *const *inputs) {
  if (!crucible_inject(second, inputs[0])) fail("a body's molecule is refused");
}

static void define(crucible_matcher matcher) {
  soup = new_soup("realtime", matcher);
  total = new_name(soup, "total", CRUCIBLE_STATE, 8), tick = new_name(soup, "tick", CRUCIBLE_SLOW, 0);
  a = new_name(soup, "a", CRUCIBLE_SLOW, 8), b = new_name(soup, "b", CRUCIBLE_SLOW, 8);
  large_a = new_name(soup, "large a", CRUCIBLE_SLOW, LARGE), large_b = new_name(soup, "large b", CRUCIBLE_SLOW, LARGE);
  triple = new_name(soup, "triple", CRUCIBLE_SLOW, 16);
  first = new_name(soup, "first", CRUCIBLE_SLOW, 8), second = new_name(soup, "second", CRUCIBLE_SLOW, 8);
  alone = new_name(soup, "alone", CRUCIBLE_SLOW, 8), never = new_name(soup, "never", CRUCIBLE_SLOW, 0);
  REACTION(soup, CRUCIBLE_INLINE, count, NULL, total, tick);
  REACTION(soup, CRUCIBLE_INLINE, add_one, &pairs, a, b);
  REACTION(soup, CRUCIBLE_INLINE, add_one, &larges, large_a, large_b);
  REACTION(soup, CRUCIBLE_INLINE, add_one, &triples, triple, triple, triple);
  REACTION(soup, CRUCIBLE_INLINE, pass_on, NULL, first);
  REACTION(soup, CRUCIBLE_INLINE, add_one, &links, second);
  REACTION(soup, CRUCIBLE_INLINE, add_one, &links, alone, never);
  end_definition(soup);
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
  for (int i = 0; i < most; i++) threads[i] = new_thread(tick_often, NULL);
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
