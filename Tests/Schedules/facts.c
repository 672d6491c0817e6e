// Facts: readers race with the thread that makes a fact known, with others that try the same, and with a stop. Soups
// and clients are text: see words.c.

#include "trial.h"

#define FACT(text, what, chemistry, wait, ...)                                                           \
  INLINE_AND_POOL(text, what, define_soup, follow_word, .soup = chemistry, .waits = wait, .words = {__VA_ARGS__})

#define READERS "a! b1 f*: af bf"
// A worker carries each a and b from the body that injects it to the next. After the body of g it has a hold to spare.
#define STEPS "a1 b1 f* g-: a> bf> g"

FACT("fact", "two threads inject molecules that a fact is read with, and one makes the fact known as well", READERS,
     false, "bfaf!", "aba", "bfaf!");
INLINE_WORDS("fact-wide", "the same in a component of several words", 3, READERS, .parameter = 34, .crowded = true,
             .words = {"bfaf!", "aba", "bfaf!"});
FACT("fact-stop", "a stop and a restart, which forgets the fact, against readers", READERS, true, "QTaf", "faa", "fab");
INLINE_WORDS("fact-pause", "a pause in which the fact becomes known, against readers", 3, READERS, .waits = true,
             .words = {"PZfaR", "afa", "ab"});
FACT("fact-hush", "a pause of one name in which the fact becomes known, against readers", READERS, true, "MaHafaUa",
     "afa", "aa");
FACT("fact-withdraw", "calls that read the fact are withdrawn while it becomes known", READERS, false, "bfa", "AWfAW",
     "AWAW");
FACT("fact-steps", "bodies inject what a fact is read with, before it is known and after", STEPS, false, "gaf", "ga",
     "ga");
FACT("fact-steps-pause", "the same, and a pause that lets one reaction fire", STEPS, true, "EZaNR", "gaf", "ga");

enum { A, B, F };

/// The word is the same before the stop and after the restart, except on matchers whose words record facts.
static void stop_around(struct trial *trial, unsigned index) {
  if (index == 1) {
    learn(trial, F);
    try_to_inject(trial, B);
    return;
  }
  while (!crucible_fact_is_known(trial->names[F].core)) spin_pause();
  stop_and_empty(trial);
  restart_all(trial);
}

INLINE_CASE("fact-around", "a stop and a restart around the only read", 2, define_soup, stop_around, .soup = READERS,
            .waits = true);
