// Stalls: a signal freezes a thread at whatever instruction of the core it has reached, and the others must go on.
//
// Three threads run rounds in one chemistry (chemistry.c). They all inject a and b, which react. Each thread has two
// pairs x and y, whose names it alone injects, and they react too. Each also withdraws calls. So the threads inject,
// match, push, pop and withdraw all the time, and meet in the words, and in the bags of a, b and the calls. The main
// thread picks one and sends it a signal after a random time. If the signal meets it inside the core (freezing.c), the
// thread stays there until the others have shown that they go on.
//
// What one thread has in its hands, frozen or not
//   STALL-1  One molecule that is not counted yet, or one firing, which that molecule enables, and which is about to be
//       reserved, or is reserved and not yet run. There is not more: a thread injects one molecule at a time, bodies
//       inject nothing and run inline, no field is ever full, and no call is abandoned. So a thread settles only for
//       the one molecule that it has added (WORD-1, WORD-2).
//   STALL-2  That firing takes a molecule of the name that the thread injects. The thread never has another thread's x
//       or y.
//   STALL-3  It has one count of calls, for which it takes its own call. As many counts are left as other calls wait.
//
// While a thread is frozen, and not only after its release
//   STALL-4  Each pair of every other thread fires FIRINGS times more, and every other thread withdraws as many calls,
//       before a deadline.
//   STALL-5  No pair of the others has fired less often than its thread has completed rounds (STALL-2).
//   STALL-6  a and b have fired as often as all threads together have completed rounds, except for one firing of each
//       thread (STALL-1). With STALL-4 they fire 2 * FIRINGS times more, except for those.
// STALL-5 and STALL-6 find reactions that are hidden until the frozen thread goes on. STALL-4 finds reactions that wait
// for it. At the end every pair has reacted, and every call was withdrawn. All of this holds on a lock-free matcher. On
// a matcher that blocks, the others wait for a thread that is frozen with a lock. There STALL-4 must fail, or the test
// shows nothing.
//
// Not shown: bodies that inject, states, control, full fields and abandoned calls, with which a stopped thread may hide
// more (word.c, word_withdraw.c), and two threads that are frozen at once.

#include <stdlib.h>

#include "stalls.h"

enum { FIRINGS = 50 };
static const char *const titles[OPERATIONS] = {"", "inject a or x", "inject b or y", "inject a call", "withdraw it"};

void pause_shortly(void) { nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL); }

static uint64_t seed;

/// Pauses for a random time, a few microseconds at most.
static void pause_randomly(void) {
  for (uint64_t pause = next_random(&seed) % 4000; pause > 0; pause--) atomic_signal_fence(memory_order_seq_cst);
}

// ---------------------------------------------------------------------------------------------------------------------
// The work of the other threads meanwhile
// ---------------------------------------------------------------------------------------------------------------------

enum verdict { GO_ON, HELD_UP, HIDDEN };

struct progress {
  unsigned long rounds, fired[PAIRS];
};

/// Reads the rounds first. What was injected in them has fired before they are counted, if nothing hides it.
static struct progress progress_of(struct worker *worker) {
  struct progress progress = {.rounds = atomic_load(&worker->rounds)};
  for (int i = 0; i < PAIRS; i++) progress.fired[i] = atomic_load(&worker->pairs[i].fired);
  return progress;
}

/// Whether STALL-4 holds for one thread.
static bool has_gone_on(struct worker *worker, const struct progress *start) {
  struct progress progress = progress_of(worker);
  bool gone_on = progress.rounds >= start->rounds + FIRINGS;
  for (int i = 0; i < PAIRS; i++) gone_on = gone_on && progress.fired[i] >= start->fired[i] + FIRINGS;
  return gone_on;
}

/// Whether STALL-5 or STALL-6, which always hold, is violated. Reads the rounds first, too.
static bool is_hidden(const struct worker *victim) {
  unsigned long rounds = 0;
  for (struct worker *worker = workers; worker < workers + THREADS; worker++) {
    struct progress progress = progress_of(worker);
    rounds += progress.rounds;
    for (int i = 0; worker != victim && i < PAIRS; i++) {
      if (progress.fired[i] < progress.rounds) return true;
    }
  }
  return atomic_load(&fired) + THREADS < rounds;
}

static enum verdict watch_others(const struct worker *victim, uint64_t patience) {
  struct progress starts[THREADS];
  for (int i = 0; i < THREADS; i++) starts[i] = progress_of(&workers[i]);
  uint64_t deadline = nanoseconds_now() + patience;
  for (int i = 0; i < THREADS; i++) {
    while (&workers[i] != victim && !has_gone_on(&workers[i], &starts[i])) {
      if (is_hidden(victim)) return HIDDEN;
      if (nanoseconds_now() > deadline) return HELD_UP;
      pause_shortly();
    }
  }
  return is_hidden(victim) ? HIDDEN : GO_ON;
}

// ---------------------------------------------------------------------------------------------------------------------
// One run
// ---------------------------------------------------------------------------------------------------------------------

static struct tally {
  unsigned stalls, by_operation[OPERATIONS];
  unsigned long missed;
} tally;

/// Freezes one thread after the other, until something is wrong.
static enum verdict freeze_often(unsigned wanted, uint64_t patience) {
  enum verdict verdict = GO_ON;
  while (tally.stalls < wanted && verdict == GO_ON) {
    struct worker *victim = &workers[next_random(&seed) % THREADS];
    pause_randomly();
    enum operation where = try_to_freeze(victim->thread);
    if (where == ELSEWHERE) {
      tally.missed++;
      continue;
    }
    tally.stalls++;
    tally.by_operation[where]++;
    verdict = watch_others(victim, patience);
    release_frozen();
  }
  return verdict;
}

/// Checks that every pair has reacted, and nothing waits. Returns how many rounds there were.
static unsigned long check_end(crucible_soup *soup) {
  unsigned long rounds = 0;
  for (int i = 0; i < THREADS; i++) {
    struct progress progress = progress_of(&workers[i]);
    rounds += progress.rounds;
    for (int k = 0; k < PAIRS; k++) {
      if (progress.fired[k] != progress.rounds) fail("not every x and y has reacted");
    }
  }
  if (atomic_load(&fired) != rounds) fail("not every a and b has reacted");
  uint64_t counts[MOST_NAMES];
  crucible_soup_counts(soup, counts);
  for (size_t i = 0; i < crucible_soup_name_count(soup); i++) {
    if (counts[i] != 0) fail("something is left");
  }
  return rounds;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "matchers") == 0) {
    for (uint32_t m = 1; m <= crucible_matcher_count(); m++) puts(crucible_matcher_name((crucible_matcher)m));
    return 0;
  }
  if (argc < 3) fail("usage: stalls MATCHER STALLS [SEED]");
  // Only `word` has a wide form.
  bool wide = strcmp(argv[1], "wide") == 0;
  crucible_matcher matcher;
  if (!crucible_matcher_find(wide ? "word" : argv[1], &matcher)) fail("there is no such matcher");
  bool blocks = !crucible_matcher_is_lock_free(matcher);
  unsigned wanted = (unsigned)strtoul(argv[2], NULL, 10);
  uint64_t first_seed = seed = argc > 3 ? strtoull(argv[3], NULL, 10) : nanoseconds_now() | 1;
  prepare_freezing();
  crucible_soup *soup = make_soup(matcher, wide);
  start_workers();
  // Long enough for a machine under load. Where a matcher blocks, all threads wait for the frozen one, however long
  // this is.
  enum verdict verdict = freeze_often(wanted, blocks ? 100000000 : 20000000000);
  end_workers();

  unsigned long rounds = check_end(soup);
  crucible_soup_release(soup);
  printf("%s: %u stalls (", argv[1], tally.stalls);
  for (int i = 1; i < OPERATIONS; i++) printf("%s%s %u", i > 1 ? ", " : "", titles[i], tally.by_operation[i]);
  printf("), %lu signals elsewhere, %lu rounds, seed %llu\n", tally.missed, rounds, (unsigned long long)first_seed);
  if (verdict == HIDDEN) fail("reactions of the others are hidden while a thread is frozen");
  if (!blocks && verdict == HELD_UP) fail("a frozen thread holds the others up");
  if (blocks && verdict != HELD_UP) {
    fail("a thread that is frozen with the lock held nobody up: the test shows nothing");
  }
  for (int i = 1; i < OPERATIONS && tally.stalls >= 500; i++) {
    if (tally.by_operation[i] == 0) fail("no thread was frozen in: %s", titles[i]);
  }
  printf("passed %s: %s, checked %lu molecules\n", argv[1],
         blocks ? "the others were held up, as they have to be" : "the others went on", (3 + 2 * PAIRS) * rounds);
  return 0;
}
