// Stalls: a thread that stops anywhere in the core holds no other thread up, and hides hardly anything.
//
// Each client injects a and b, which react, and a pair of its own, which reacts too. It also withdraws a call. So the
// clients inject, match, push, pop and withdraw, and meet in the words and in the bags. A reaction that never happens
// connects the names. A client that ends while one other has not looks at the soup. The other one is then somewhere in
// the core, and in some runs it is stopped there until all others have ended (pct.c).
//
// What one thread has in its hands, stopped or not
//   STALL-1  One molecule that is not counted yet, or one firing, which that molecule enables, and which is about to be
//       reserved, or is reserved and not yet run. There is not more: a thread injects one molecule at a time, bodies
//       inject nothing and run inline, no field is ever full, and no call is abandoned. So a thread settles only for
//       the one molecule that it has added (WORD-1, WORD-2).
//   STALL-2  That firing takes a molecule of the name that the thread injects. The thread never has another's pair.
//   STALL-3  It has one count of calls, for which it takes its own call. As many counts are left as other calls wait.
//
// So, while one thread is stopped
//   STALL-4  No other thread waits for it: pct.c fails when a thread spins for one that is stopped.
//   STALL-5  The pairs of the others have reacted (STALL-2), and their calls are withdrawn (STALL-3).
//   STALL-6  At most one a and b are left (STALL-1).
//
// In `stall-full` fields are full. A stopped thread then also has one spilled count in its hands at most, and the
// others bring the rest (WORD-4). So STALL-6 holds there, too.
//
// Not shown: bodies that inject, states, control and abandoned calls, with which a stopped thread may hide more
// (word.c, word_withdraw.c), and two threads that are stopped at once.

#include "trial.h"

static unsigned ended;
static bool has_ended[CLIENTS];

static void define_stalls(struct trial *trial) {
  ended = 0;
  for (unsigned i = 0; i < CLIENTS; i++) has_ended[i] = false;
  define_soup(trial);
}

static uint64_t left(const struct trial *trial, const uint64_t *counts, const char *pair) {
  uint64_t first = counts[named(trial, pair[0])], second = counts[named(trial, pair[1])];
  return first < second ? first : second;
}

static void follow_and_look(struct trial *trial, unsigned index) {
  static const char *const pairs[] = {"pq", "rs", "tu"};
  uint64_t counts[MOST_NAMES];
  follow_word(trial, index);
  has_ended[index] = true;
  if (++ended != trial->chemistry->clients - 1) return;
  crucible_soup_counts(trial->soup, counts);
  for (unsigned i = 0; i < trial->chemistry->clients; i++) {
    if (has_ended[i] && left(trial, counts, pairs[i]) > 0) scheduler_fail("a pair of client %u is hidden", i);
  }
  if (left(trial, counts, "ab") > 1) scheduler_fail("reactions are hidden while one thread goes no further");
  uint32_t home;
  if (crucible_name_words(trial->names[named(trial, 'c')].core, &home) > 1) return;  // it may be undecided (CALL-2)
  for (unsigned i = 0; i < trial->molecule_count; i++) {
    const struct molecule *molecule = &trial->molecules[i];
    if (molecule->name != named(trial, 'c') || !has_ended[molecule->pusher] || molecule->withdrawn) continue;
    scheduler_fail("the call of client %u is not withdrawn", molecule->pusher);
  }
}

#define STALL(text, what, count, chemistry, ...) \
  INLINE_CASE(text, what, count, define_stalls, follow_and_look, .soup = chemistry, .scheduled = true, \
              .words = {__VA_ARGS__})

STALL("stall", "two clients show that they go on, wherever the third is", 3,
      "a b p q r s t u c! n-: ab pq rs tu cnaprt", "abpqCW", "barsCW", "abtuCW");
STALL("tiny-stall", "one client shows that it goes on, wherever the other is", 2, "a b p q r s c! n-: ab pq rs cnapr",
      "abpq", "baCW");
INLINE_CASE("stall-full", "the same, and a field counts one", 2, define_stalls, follow_and_look, .parameter = 31,
            .soup = "a b p q r s c! n-: ab pq rs cnapr", .scheduled = true, .words = {"aaab", "bb"});
