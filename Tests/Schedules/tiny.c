// Chemistries so small that all their schedules with a few preemptions can be run. Two or three clients take as few
// steps each as show how two things meet. Soups and clients are text: see words.c.

#include "trial.h"

// Narrow fields have one parameter more: the number of names in all.
#define PLACED(text, what, chemistry, names, count, wait, where, ...)                                          \
  CASE(text, what, count, define_soup, follow_word, .soup = chemistry, .parameter = names, .placement = where, \
       .waits = wait, .words = {__VA_ARGS__})
#define TINY(text, what, chemistry, names, count, wait, ...) \
  PLACED("tiny-" text, what, chemistry, names, count, wait, CRUCIBLE_INLINE, __VA_ARGS__)

#define JOIN "a! b: ab"
#define REPEAT "a! b-: aab"
#define SHARE "a! b c-: ab ac"
#define STATE "a! b- s=: as bs"
// Giving both states back may enable two reactions.
#define TWO_STATES "s= t= x- y- z: stx sy tz"
// Names without payload: b is a plain injection (word_plain.c).
#define PLAIN "a- b- s=: abs"

TINY("join", "a & b: one each", JOIN, 0, 2, false, "a", "b");
TINY("join-late", "a & b: one is published and counted late", JOIN, 0, 2, false, "abba", "a");
TINY("join-three", "a & b: two compete for one", JOIN, 0, 3, false, "a", "a", "b");
TINY("share", "a & b, a & c: two compete for one", SHARE, 0, 3, false, "a", "b", "c");
TINY("repeat", "a & a & b: one each", REPEAT, 0, 3, false, "a", "a", "b");
PLACED("repeat-again", "a & a & b: the word comes back to what one has seen of it", REPEAT, 0, 4, false,
       CRUCIBLE_INLINE, "a", "ab", "a", "ab");
TINY("state", "a & s, b & s: two want the state", STATE, 0, 2, false, "ab", "ba");
INLINE_WORDS("tiny-batch", "a batch under a state against a call that wants it", 3, STATE,
             .for_word = true, .words = {"b", "bb", "a"});
TINY("two-states", "two states come back, and enable two reactions", TWO_STATES, 0, 2, false, "x", "yz");
TINY("full", "spilling against making room", JOIN, 31, 2, false, "aa", "bb");
PLACED("full-blind", "one too many is added blindly, and all are taken", JOIN, 15, 2, false, CRUCIBLE_INLINE,
       "aaaaaa", "bbbbbb");
PLACED("full-plain", "one too many is added blindly, and a plain injection makes room", PLAIN, 15, 2, false,
       CRUCIBLE_INLINE, "aaaaaa", "b");
TINY("full-back", "a spilled count is put back", JOIN, 31, 2, false, "aab", "ab");
TINY("full-share", "the same, and two reactions share the name", SHARE, 31, 2, false, "aa", "bc");
TINY("full-other", "a count comes over for the other reaction", SHARE, 31, 2, false, "aab", "c");
TINY("full-state", "spilling against a state that comes back and is taken", STATE, 31, 2, false, "a", "aa");
TINY("together", "two together against one each", JOIN, 0, 2, false, "(ab)", "ab");
TINY("together-full", "the same, and a field counts one", JOIN, 31, 2, false, "a(ab)", "ab");
TINY("withdraw", "a withdrawal against a match", JOIN, 0, 2, false, "AW", "b");
TINY("withdraw-two", "two withdrawals against a match", JOIN, 0, 3, false, "AW", "AW", "b");
INLINE_WORDS("tiny-withdraw-short", "the same, and the match comes by a short injection", 3, JOIN,
             .for_word = true, .words = {"b", "AW", "AW"});
TINY("withdraw-beside", "a withdrawal beside a call that stays", JOIN, 0, 3, false, "AW", "a", "b");
TINY("withdraw-share", "a withdrawal against two reactions", SHARE, 0, 3, false, "AW", "b", "c");
TINY("withdraw-full", "a withdrawal of what spilled, against a match", JOIN, 31, 2, false, "aAW", "b");
TINY("clear", "a clear against a match", JOIN, 0, 2, false, "aK", "ab");
TINY("clear-full", "the same, and a field counts one", JOIN, 31, 2, false, "aK", "aab");
TINY("clear-state", "a clear against what wants a state", STATE, 0, 2, false, "aK", "ab");
TINY("clear-one", "a clear of one name against a match", JOIN, 0, 2, false, "bLa", "aab");

/// a & b, a & c & s, and more connected names than a mask has bits. The bits of a and b are 64 apart.
static void define_many(struct trial *trial) {
  unsigned a = declare(trial, "a", CARRIES);
  fill_up(trial, 64);
  unsigned b = declare(trial, "b", CARRIES), c = declare(trial, "c", CARRIES), s = declare(trial, "s", STATE_NAME);
  REACT(trial, NULL, a, b);
  REACT(trial, NULL, a, c, s);
}

#define MANY(text, what, wait, ...) \
  INLINE_CASE(text, what, 2, define_many, follow_word, .crowded = true, .waits = wait, .words = {__VA_ARGS__})
MANY("tiny-many", "67 names are connected: two reactions compete for one", false, "aab", "ca");
MANY("many-clear", "the same, and a clear of one name against a match", false, "bLa", "aca");

TINY("pause", "a pause against a match", JOIN, 0, 2, true, "PR", "ab");
TINY("pause-three", "a pause against two who make a match", JOIN, 0, 3, true, "PR", "a", "b");
TINY("pause-one", "a pause of one name against a match", JOIN, 0, 2, true, "MaUa", "ab");
TINY("step", "a step against the end of a pause", JOIN, 0, 2, true, "PabR", "N");
TINY("step-full", "a step that makes room", JOIN, 31, 2, true, "aaPbN", "a");
TINY("step-stop", "a step against a stop", JOIN, 0, 2, true, "abPQ", "NN");
TINY("stop", "a stop against an injection", JOIN, 0, 2, true, "S", "a");
TINY("stop-alone", "a stop against a reaction of one molecule", "a-: a", 0, 2, true, "Q", "aa");
TINY("stop-full", "a stop against spilling", JOIN, 31, 2, true, "aS", "aa");
TINY("stop-fired", "a stop against a firing that makes room", JOIN, 31, 2, true, "aab", "S");
TINY("stop-call", "a stop against a withdrawal", JOIN, 0, 2, true, "Q", "AW");
TINY("stop-state", "a stop against what wants a state", STATE, 0, 2, true, "Q", "ab");
TINY("stop-told", "the report of a stop against an injection", "a b: ab", 0, 2, true, "Q", "aa");
TINY("stop-looked", "the same, and the soup is resumed", "a b: ab", 0, 3, true, "Q", "PR", "a");
TINY("restart", "a stop and a restart against an injection", JOIN, 0, 2, true, "ST", "a");
TINY("restart-state", "a state begins again, and is wanted", STATE, 0, 2, true, "ST", "ab");
TINY("restart-late", "a restart against an injection that is dropped", JOIN, 0, 3, true, "STa", "a", "b");
TINY("restart-pops", "the same, and a molecule that waits takes its place", "a b: ab", 0, 2, true, "STba", "a");
TINY("restart-full", "a restart, and spilling, against an injection that finds it stopped", JOIN, 31, 2, true,
     "STaa", "a");
PLACED("settle", "what a resume enables waits for each other", "a: a~", 0, 1, true, CRUCIBLE_INLINE, "PaaR");
PLACED("tiny-pool", "a & b on a pool of one", JOIN, 0, 2, false, CRUCIBLE_POOL, "a", "b");
PLACED("tiny-pool-more", "a & b on a pool of one, twice", JOIN, 0, 1, false, CRUCIBLE_POOL, "abab");
PLACED("pool-stop", "a stop against a match on a pool of one", JOIN, 0, 2, true, CRUCIBLE_POOL, "Q", "ab");
