// Counters at their limits. A counter that may wrap is led across its end. One that must not wrap makes the core
// refuse, or abort with a message, before it does. The counters here are those that a program could bring to the end,
// and those whose mistakes would show only there. README.md says why the others have no test.
//
// The tests write into the core's structures to bring the counters there, so each test is a process of its own.

#include <stdio.h>
#include <string.h>

#include "failing.h"
#include "ledger.h"
#include "trial.h"
#include "types.h"

enum { SIZE = 32 };

static void expect(bool holds, const char *what) {
  if (!holds) fail("%s", what);
}

// ---------------------------------------------------------------------------------------------------------------------
// Rings
// ---------------------------------------------------------------------------------------------------------------------

static void push(struct bag *bag, uint64_t number, uint64_t attempts, struct place *place) {
  uint64_t value[4] = {number, ~number, number, number};
  expect(attempts ? crucible__bag_push_placed_mpmc(bag, value, attempts, place) : crucible__bag_push_mpmc(bag, value),
         "a push is refused");
}

static void pop(struct bag *bag, uint64_t number, uint64_t attempts) {
  uint64_t value[4], tries = 0;
  crucible__bag_pop_mpmc(bag, value, &tries);
  expect(value[0] == number && value[1] == ~number, "a pop takes another molecule than the oldest");
  expect(tries == attempts, "it is not known any more how often a molecule was put back");
}

/// Turns are positions without their upper 8 bits, so they wrap after 2^56.
static void cross_turns(const void *unused) {
  for (uint64_t before = 0; before < 70; before++) {
    failing_first_position = (UINT64_C(1) << 56) - before;
    struct bag bag;
    expect(crucible__bag_create(&bag, SIZE, 8), "a bag is refused");
    struct place place;
    for (uint64_t i = 0; i < 100; i++) {  // never full
      push(&bag, i, i % 3, &place);
      push(&bag, i + 1000, 1, &place);
      if (i % 2) {
        uint64_t value[4];
        expect(crucible__bag_holds(&bag, &place), "a molecule is not found");
        expect(crucible__bag_withdraw_mpmc(&bag, &place, value) && value[0] == i + 1000, "it is not withdrawn");
        pop(&bag, i, i % 3);
      } else {
        pop(&bag, i, i % 3);
        pop(&bag, i + 1000, 1);
      }
    }
    push(&bag, 7, 0, &place);
    pop(&bag, 7, 0);  // this moves the hint past all that was taken
    expect(crucible__bag_is_empty(&bag), "an empty bag is not empty");
    crucible__bag_destroy(&bag, NULL, NULL);
    // Full at the wrap: the ring is closed, and the bag continues in the next.
    expect(crucible__bag_create(&bag, SIZE, 8), "a bag is refused");
    for (uint64_t i = 0; i < 600; i++) push(&bag, i, i % 5, &place);
    for (uint64_t i = 0; i < 500; i++) pop(&bag, i, i % 5);
    crucible__bag_destroy(&bag, NULL, NULL);
    // Withdraws all that waits, oldest first, while no thread pops.
    struct place places[200];
    expect(crucible__bag_create(&bag, SIZE, 8), "a bag is refused");
    for (uint64_t i = 0; i < 200; i++) push(&bag, i, 1, &places[i]);
    for (uint64_t i = 0; i < 200; i++) {
      uint64_t value[4];
      expect(crucible__bag_withdraw_mpmc(&bag, &places[i], value) && value[0] == i, "it is not withdrawn");
    }
    expect(crucible__bag_is_empty(&bag) || load_acquire(&bag.first->tail) & CLOSED, "what is withdrawn is not gone");
    crucible__bag_destroy(&bag, NULL, NULL);
  }
}

/// Crosses the limit while several threads do everything.
static void storm_across_turns(const void *argument) {
  failing_first_position = (UINT64_C(1) << 56) - *(const uint64_t *)argument;
  storm_run(&(struct storm){.matcher = CRUCIBLE_WORD, .threads = 6, .rounds = 700, .seed = failing_first_position});
}

/// The pool's eventcount begins a few steps before its end (CRUCIBLE_FIRST_EPOCH), and each change of the workers is a
/// step.
static void cross_epoch(const void *unused) {
  for (int i = 0; i < 40; i++) expect(crucible_pool_set_workers(1 + (size_t)i % 2), "the pool has other workers");
  storm_run(&(struct storm){.matcher = CRUCIBLE_WORD, .threads = 4, .rounds = 300, .seed = 1});
}

// ---------------------------------------------------------------------------------------------------------------------
// Holds, sizes, numbers
// ---------------------------------------------------------------------------------------------------------------------

static struct ledger_chemistry chemistry;

static void build(struct ledger_chemistry *c) {
  struct ledger_species *a = ledger_species(c, CRUCIBLE_SLOW, 0), *b = ledger_species(c, CRUCIBLE_SLOW, SIZE);
  ledger_rule(c, CRUCIBLE_INLINE, 2, a, b);
}

static void hold_too_often(const void *unused) {
  ledger_define(&chemistry, CRUCIBLE_WORD, build);
  atomic_store(&chemistry.soup->holds, UINT32_MAX - 2 * CRUCIBLE_OWNER + 1);
  expect(crucible_soup_hold(chemistry.soup), "a hold is refused");
  expect(crucible_soup_pending(chemistry.soup) == 0, "a hold becomes a firing");
  crucible_soup_hold(chemistry.soup);
}

static void reserve_too_often(const void *unused) {
  ledger_define(&chemistry, CRUCIBLE_WORD, build);
  atomic_store(&chemistry.soup->holds,
               (UINT64_MAX - 3) / CRUCIBLE_PENDING * CRUCIBLE_PENDING - CRUCIBLE_PENDING + CRUCIBLE_OWNER);
  for (int i = 0; i < 4; i++) crucible_soup_begin_pending(chemistry.soup);
}

static crucible_status add_name(crucible_soup *soup, size_t size, size_t alignment, crucible_name **name) {
  crucible_name_options options = {.label = "large", .kind = CRUCIBLE_SLOW, .size = size, .alignment = alignment};
  return crucible_soup_add_name(soup, &options, NULL, name);
}

static void values_too_large(const void *unused) {
  crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){.label = "large", .matcher = CRUCIBLE_LOCKED});
  crucible_name *names[CRUCIBLE_MAX_INPUTS], *others[CRUCIBLE_MAX_NAMES - CRUCIBLE_MAX_INPUTS], *culprit;
  expect(add_name(soup, CRUCIBLE_MAX_SIZE + 1, 8, names) == CRUCIBLE_TOO_LARGE, "17 MB are not refused");
  expect(add_name(soup, (UINT64_C(1) << 32) + 8, 8, names) == CRUCIBLE_TOO_LARGE, "4 GB and 8 bytes are not refused");
  expect(add_name(soup, 8, CRUCIBLE_MAX_SIZE * 2, names) == CRUCIBLE_TOO_LARGE, "an alignment of 32 MB is not refused");
  for (int i = 0; i < CRUCIBLE_MAX_INPUTS; i++) {
    expect(add_name(soup, CRUCIBLE_MAX_SIZE, CRUCIBLE_MAX_SIZE, &names[i]) == CRUCIBLE_OK, "16 MB are refused");
  }
  for (int i = CRUCIBLE_MAX_INPUTS; i < CRUCIBLE_MAX_NAMES; i++) {
    expect(add_name(soup, 8, 8, &others[i - CRUCIBLE_MAX_INPUTS]) == CRUCIBLE_OK, "a name is refused");
    crucible_reaction_options use = {.inputs = &others[i - CRUCIBLE_MAX_INPUTS], .input_count = 1};
    expect(crucible_soup_add_reaction(soup, &use, &culprit) == CRUCIBLE_OK, "a reaction is refused");
  }
  expect(add_name(soup, 8, 8, &culprit) == CRUCIBLE_TOO_MANY_NAMES, "a 257th name is not refused");
  crucible_reaction_options options = {.inputs = names, .input_count = CRUCIBLE_MAX_INPUTS};
  expect(crucible_soup_add_reaction(soup, &options, &culprit) == CRUCIBLE_OK, "64 inputs are refused");
  options.input_count++;
  expect(crucible_soup_add_reaction(soup, &options, &culprit) == CRUCIBLE_TOO_MANY_INPUTS,
         "a 65th input is not refused");
  expect(crucible_soup_freeze(soup, &culprit) == CRUCIBLE_OK, "the definition is refused");
  expect(soup->components[0].layout->storage == CRUCIBLE_MAX_INPUTS * CRUCIBLE_MAX_SIZE + CRUCIBLE_MAX_SIZE,
         "the largest firing has other room than it needs");
  crucible_soup_release(soup);
}

static crucible_status inject_times(uint64_t first, uint64_t second) {
  char nothing;
  crucible_name *a = chemistry.species[0].name, *culprit;
  crucible_molecule molecules[] = {{.name = a, .value = &nothing, .times = first},
                                   {.name = a, .value = &nothing, .times = second}};
  return crucible_inject_together(molecules, 2, true, &culprit);
}

static void inject_too_many(const void *argument) {
  crucible_matcher matcher = *(const crucible_matcher *)argument;
  ledger_define(&chemistry, matcher, build);
  crucible_soup *soup = chemistry.soup;
  uint64_t counts[2], dropped;
  expect(inject_times(UINT64_MAX, 2) == CRUCIBLE_TOO_MANY_MOLECULES, "2^64 and more at once are not refused");
  expect(inject_times(CRUCIBLE_MAX_TIMES, 1) == CRUCIBLE_TOO_MANY_MOLECULES, "2^40 and one more are not refused");
  for (int i = 1; i <= 3; i++) {
    expect(inject_times(CRUCIBLE_MAX_TIMES - 1, 1) == CRUCIBLE_OK, "2^40 are refused");
    crucible_soup_counts(soup, counts);
    expect(counts[0] == (uint64_t)i * CRUCIBLE_MAX_TIMES, "what was injected is not there");
  }
  crucible_soup_clear(soup, &dropped);
  expect(dropped == 3 * CRUCIBLE_MAX_TIMES && crucible_soup_dropped(soup) == dropped, "what was there is not dropped");
  // More molecules wait than any program can have injected.
  uint64_t calls = 0;
  if (matcher == CRUCIBLE_WORD) {
    expect(inject_times(CRUCIBLE_MAX_TIMES, 0) == CRUCIBLE_OK, "2^40 are refused");
    atomic_store(&chemistry.species[0].name->overflow, CRUCIBLE_MAX_WAITING - 2 * CRUCIBLE_MAX_TIMES);
    while (inject_times(CRUCIBLE_MAX_TIMES, 0) == CRUCIBLE_OK) calls++;
    expect(calls == 2 || calls == 3, "the limit lies elsewhere");
    expect(inject_times(1, 0) == CRUCIBLE_TOO_MANY_MOLECULES, "more than 2^56 may wait");
    crucible_soup_clear(soup, &dropped);
    expect(dropped > CRUCIBLE_MAX_WAITING, "what was there is not dropped");
  }
  atomic_store(&soup->dropped, INT64_MAX - 3);
  expect(inject_times(10, 0) == CRUCIBLE_OK, "10 are refused");
  crucible_soup_clear(soup, &dropped);
  expect(dropped == 10 && crucible_soup_dropped(soup) == INT64_MAX, "the number of what was dropped wraps");
  crucible_soup_release(soup);
}

static uint64_t seen_attempts;
static void see_attempts(void *context, void *const *inputs) {
  memcpy(&seen_attempts, &inputs[-1], sizeof seen_attempts);
}

static void put_back_too_often(const void *argument) {
  crucible_soup *soup = new_soup("again", *(const crucible_matcher *)argument);
  crucible_name *name = new_name(soup, "again", CRUCIBLE_SLOW, SIZE), *culprit;
  crucible_reaction_options options = {
      .inputs = &name, .input_count = 1, .placement = CRUCIBLE_INLINE, .body = see_attempts, .retries = true};
  expect(crucible_soup_add_reaction(soup, &options, &culprit) == CRUCIBLE_OK, "a reaction is refused");
  end_definition(soup);
  static const uint64_t attempts[] = {1, 62, 63, 64, 256, UINT64_MAX};
  for (unsigned i = 0; i < sizeof attempts / sizeof *attempts; i++) {
    char value[SIZE] = "";
    crucible_ticket ticket;
    seen_attempts = 0;
    expect(crucible_inject_tracked(name, value, attempts[i], true, &ticket), "an injection is refused");
    expect(seen_attempts == (attempts[i] < 63 ? attempts[i] : 63), "attempts are told that were not");
  }
  crucible_soup_release(soup);
}

static uint64_t joined;
static void count_join(void *context, void *const *inputs) { joined++; }

/// A molecule that completes a match is accepted though there is no memory to store it.
static void complete_without_memory(const void *argument) {
  crucible_soup *soup = new_soup("join", *(const crucible_matcher *)argument);
  crucible_name *names[2];
  for (int i = 0; i < 2; i++) names[i] = new_name(soup, "joined", CRUCIBLE_SLOW, SIZE);
  new_reaction(soup, CRUCIBLE_INLINE, count_join, NULL, 2, names);
  end_definition(soup);
  char value[SIZE] = "";
  uint64_t waiting = 1;
  expect(crucible_inject(names[0], value), "an injection is refused");
  failing_begin(MEMORY, 1, UINT64_MAX);
  while (crucible_inject(names[0], value)) waiting++;
  for (uint64_t i = 0; i < waiting; i++) {
    expect(crucible_inject(names[1], value), "a molecule that completes a match is refused");
  }
  failing_end();
  expect(joined == waiting, "other matches are made");
  uint64_t counts[2];
  crucible_soup_counts(soup, counts);
  expect(counts[0] == 0 && counts[1] == 0, "a refused molecule waits");
  crucible_soup_release(soup);
}

static void *signal_it(void *waiter) {
  crucible_waiter_signal(waiter, 7);
  return NULL;
}

/// Tests deadlines beyond the end of time, and seeds at both ends.
static void ends_of_time(const void *unused) {
  static const uint64_t limits[] = {UINT64_MAX - 1, UINT64_MAX, UINT64_MAX / 2, INT64_MAX};
  for (unsigned i = 0; i < 4; i++) {
    crucible_waiter waiter = {0};
    pthread_t thread = ledger_thread(signal_it, &waiter);
    bool signalled = crucible_waiter_wait_noted(&waiter, limits[i], NULL);
    expect(signalled && waiter.outcome == 7, "a deadline is over before its time");
    pthread_join(thread, NULL);
  }
  static const uint64_t seeds[] = {0, 1, UINT64_MAX, UINT64_C(1) << 63};
  for (unsigned i = 0; i < 4; i++) {
    crucible_soup *soup = crucible_soup_create(&(crucible_soup_options){.label = "seed", .seed = seeds[i]});
    for (int k = 0; k < OWN_STRIPES; k++) expect(atomic_load(&soup->stripes[k].random) != 0, "a choice is not random");
    crucible_soup_release(soup);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// All of them
// ---------------------------------------------------------------------------------------------------------------------

/// Stands for each matcher in turn.
static const crucible_matcher each = CRUCIBLE_AUTOMATIC;
static const uint64_t few = 3, some = 40, many = 400;

static const struct {
  const char *name;
  void (*run)(const void *argument);
  const void *argument;
  const char *message;  ///< of the expected abort; null: none
} tests[] = {
    {"turns of a ring", cross_turns, NULL, NULL},
    {"turns under several threads, near", storm_across_turns, &few, NULL},
    {"turns under several threads", storm_across_turns, &some, NULL},
    {"turns under several threads, far", storm_across_turns, &many, NULL},
    {"the pool's eventcount", cross_epoch, NULL, NULL},
    {"holds", hold_too_often, NULL, "Crucible: a soup is held more than 2^30 times"},
    {"reserved firings", reserve_too_often, NULL, "Crucible: 2^32 firings of a soup are reserved"},
    {"sizes", values_too_large, NULL, NULL},
    {"molecules that only count", inject_too_many, &each, NULL},
    {"attempts", put_back_too_often, &each, NULL},
    {"matches without memory", complete_without_memory, &each, NULL},
    {"deadlines and seeds", ends_of_time, NULL, NULL},
};

unsigned limits_run(void) {
  unsigned failed = 0;
  for (unsigned i = 0; i < sizeof tests / sizeof *tests; i++) {
    bool is_each = tests[i].argument == &each;
    crucible_matcher matcher = 1, last = is_each ? (crucible_matcher)crucible_matcher_count() : 1;
    for (; matcher <= last; matcher++) {
      struct outcome outcome = trial_run(tests[i].run, is_each ? &matcher : tests[i].argument);
      bool passes = tests[i].message ? outcome.verdict == ABORTED && !strcmp(outcome.message, tests[i].message)
                                     : outcome.verdict == WELL;
      printf("%s %s%s%s%s%s\n", passes ? "passed" : "FAILED", tests[i].name, is_each ? ", " : "",
             is_each ? crucible_matcher_name(matcher) : "", *outcome.message ? ": " : "", outcome.message);
      failed += !passes;
    }
  }
  return failed;
}
