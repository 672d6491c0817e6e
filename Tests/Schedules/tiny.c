// Chemistries so small that all their schedules with a few preemptions can be run. Two or three clients take as few
// steps each as show how two things meet. Each client follows a word, one letter a step:
//
//   a b c x y z   injects the name      A       calls it              W   gives its last call up
//   2             injects a and b together
//   P R N         pauses, resumes, lets one reaction fire             K L   clears all, clears a
//   M H U         pauses a, waits until the soup is quiet, resumes a
//   Q             stops, and drops the rest when all is quiet         S T   stops; restarts when all is quiet

#include <ctype.h>

#include "trial.h"

static struct molecule *step(struct trial *trial, char letter, struct molecule *last) {
  unsigned name = 0;
  switch (letter) {
    case '2': inject_together(trial, "ab"); break;
    case 'P': pause_all(trial); break;
    case 'R': resume_all(trial); break;
    case 'N': step_once(trial); break;
    case 'M': pause_name(trial, 0); break;
    case 'H': wait_for_hush(trial, 0); break;
    case 'U': resume_name(trial, 0); break;
    case 'K': clear_all(trial); break;
    case 'L': clear_name(trial, 0); break;
    case 'Q': stop_and_empty(trial); break;
    case 'S': stop_all(trial); break;
    case 'T': restart_all(trial); break;
    case 'W':
      if (last) withdraw(trial, last);
      break;
    default:
      while (crucible_name_label(trial->names[name].core)[0] != tolower(letter)) name++;
      if (isupper(letter)) return call(trial, name);
      try_to_inject(trial, name);
  }
  return last;
}

static void follow(struct trial *trial, unsigned index) {
  struct molecule *last = NULL;
  for (const char *c = trial->chemistry->words[index]; *c; c++) last = step(trial, *c, last);
}

// ---------------------------------------------------------------------------------------------------------------------
// Chemistries. A parameter is the number of names in all, so that fields are narrow (fields.c).
// ---------------------------------------------------------------------------------------------------------------------

static void narrow(struct trial *trial) {
  if (trial->chemistry->parameter) fill_up(trial, trial->chemistry->parameter);
}

/// a & b, and a may be called.
static void define_join(struct trial *trial) {
  unsigned a = declare(trial, "a", CALL_NAME), b = declare(trial, "b", CARRIES);
  REACT(trial, NULL, a, b);
  narrow(trial);
}

/// a & a & b
static void define_repeat(struct trial *trial) {
  unsigned a = declare(trial, "a", CALL_NAME), b = declare(trial, "b", VOID_NAME);
  REACT(trial, NULL, a, a, b);
  narrow(trial);
}

/// a & b, a & c
static void define_share(struct trial *trial) {
  unsigned a = declare(trial, "a", CALL_NAME), b = declare(trial, "b", CARRIES), c = declare(trial, "c", VOID_NAME);
  REACT(trial, NULL, a, b);
  REACT(trial, NULL, a, c);
  narrow(trial);
}

/// a & s, b & s: a state, a name that can be called, and a name without payload.
static void define_state(struct trial *trial) {
  unsigned a = declare(trial, "a", CALL_NAME), b = declare(trial, "b", VOID_NAME), s = declare(trial, "s", STATE_NAME);
  REACT(trial, NULL, a, s);
  REACT(trial, NULL, b, s);
  narrow(trial);
}

/// s & t & x, s & y, t & z: giving both states back may enable two reactions.
static void define_two_states(struct trial *trial) {
  unsigned s = declare(trial, "s", STATE_NAME), t = declare(trial, "t", STATE_NAME);
  unsigned x = declare(trial, "x", VOID_NAME), y = declare(trial, "y", VOID_NAME), z = declare(trial, "z", CARRIES);
  REACT(trial, NULL, s, t, x);
  REACT(trial, NULL, s, y);
  REACT(trial, NULL, t, z);
}

/// a & b & s: a state, and names without payload; b is a plain injection (word_plain.c).
static void define_plain(struct trial *trial) {
  unsigned a = declare(trial, "a", VOID_NAME), b = declare(trial, "b", VOID_NAME), s = declare(trial, "s", STATE_NAME);
  REACT(trial, NULL, a, b, s);
  narrow(trial);
}

/// a & b, a & c & s, and more connected names than a mask has bits. The bits of a and b are 64 apart.
static void define_many(struct trial *trial) {
  unsigned a = declare(trial, "a", CARRIES);
  fill_up(trial, 64);
  unsigned b = declare(trial, "b", CARRIES), c = declare(trial, "c", CARRIES), s = declare(trial, "s", STATE_NAME);
  REACT(trial, NULL, a, b);
  REACT(trial, NULL, a, c, s);
}

/// a, whose bodies wait for each other, two at a time.
static void define_partners(struct trial *trial) {
  unsigned a = declare(trial, "a", CARRIES);
  REACT(trial, wait_for_partner, a);
}

#define PLACED(text, what, definition, names, count, wait, where, ...)                               \
  CASE(text, what, count, definition, follow, .parameter = names, .placement = where, .waits = wait, \
       .words = {__VA_ARGS__})
#define TINY(text, what, definition, names, count, wait, ...) \
  PLACED("tiny-" text, what, definition, names, count, wait, CRUCIBLE_INLINE, __VA_ARGS__)

TINY("join", "a & b: one each", define_join, 0, 2, false, "a", "b");
TINY("join-more", "a & b: three and two", define_join, 0, 2, false, "aba", "ba");
TINY("join-late", "a & b: one is published and counted late", define_join, 0, 2, false, "abba", "a");
TINY("join-three", "a & b: two compete for one", define_join, 0, 3, false, "a", "a", "b");
TINY("share", "a & b, a & c: two compete for one", define_share, 0, 3, false, "a", "b", "c");
TINY("repeat", "a & a & b: one each", define_repeat, 0, 3, false, "a", "a", "b");
PLACED("repeat-again", "a & a & b: the word comes back to what one has seen of it", define_repeat, 0, 4, false,
       CRUCIBLE_INLINE, "a", "ab", "a", "ab");
TINY("state", "a & s, b & s: two want the state", define_state, 0, 2, false, "ab", "ba");
INLINE_CASE("tiny-batch", "a batch under a state against a call that wants it", 3, define_state, follow,
            .for_word = true, .words = {"b", "bb", "a"});
TINY("two-states", "two states come back, and enable two reactions", define_two_states, 0, 2, false, "x", "yz");
TINY("full", "spilling against making room", define_join, 31, 2, false, "aa", "bb");
PLACED("full-blind", "one too many is added blindly, and all are taken", define_join, 15, 2, false, CRUCIBLE_INLINE,
       "aaaaaa", "bbbbbb");
PLACED("full-blind-back", "one too many is added blindly, and a short injection makes room", define_join, 15, 2, false,
       CRUCIBLE_INLINE, "aaaaaa", "b");
PLACED("full-blind-pool", "the same on a pool of one", define_join, 15, 2, false, CRUCIBLE_POOL, "aaaaaa", "b");
PLACED("full-plain", "one too many is added blindly, and a plain injection makes room", define_plain, 15, 2, false,
       CRUCIBLE_INLINE, "aaaaaa", "b");
TINY("full-back", "a spilled count is put back", define_join, 31, 2, false, "aab", "ab");
TINY("full-share", "the same, and two reactions share the name", define_share, 31, 2, false, "aa", "bc");
TINY("full-state", "spilling against a state that comes back and is taken", define_state, 31, 2, false, "a", "aa");
TINY("together", "two together against one each", define_join, 0, 2, false, "2", "ab");
TINY("together-full", "the same, and a field counts one", define_join, 31, 2, false, "a2", "ab");
TINY("withdraw", "a withdrawal against a match", define_join, 0, 2, false, "AW", "b");
TINY("withdraw-two", "two withdrawals against a match", define_join, 0, 3, false, "AW", "AW", "b");
INLINE_CASE("tiny-withdraw-short", "the same, and the match comes by a short injection", 3, define_join, follow,
            .for_word = true, .words = {"b", "AW", "AW"});
TINY("withdraw-beside", "a withdrawal beside a call that stays", define_join, 0, 3, false, "AW", "a", "b");
TINY("narrow-beside", "the same, over narrow fields", define_join, 20, 3, false, "AW", "a", "b");
TINY("withdraw-share", "a withdrawal against two reactions", define_share, 0, 3, false, "AW", "b", "c");
TINY("withdraw-full", "a withdrawal of what spilled, against a match", define_join, 31, 2, false, "aAW", "b");
TINY("withdraw-spill", "a withdrawal that makes room, against spilling", define_join, 31, 2, false, "AW", "a");
TINY("clear-spill", "a clear that makes room, against spilling", define_join, 31, 2, false, "aK", "a");
TINY("clear", "a clear against a match", define_join, 0, 2, false, "aK", "ab");
TINY("clear-full", "the same, and a field counts one", define_join, 31, 2, false, "aK", "aab");
TINY("clear-state", "a clear against what wants a state", define_state, 0, 2, false, "aK", "ab");
TINY("clear-one", "a clear of one name against a match", define_join, 0, 2, false, "bL", "aab");
TINY("clear-one-full", "the same, and a field counts one", define_join, 31, 2, false, "bL", "aab");
#define MANY(text, what, wait, ...) \
  INLINE_CASE(text, what, 2, define_many, follow, .crowded = true, .waits = wait, .words = {__VA_ARGS__})
MANY("tiny-many", "67 names are connected: two reactions compete for one", false, "aab", "ca");
MANY("many-pause", "the same, and a pause of one name against a match", true, "MHabU", "bac");
MANY("many-clear", "the same, and a clear of one name against a match", false, "bL", "aca");
TINY("pause", "a pause against a match", define_join, 0, 2, true, "PR", "ab");
TINY("pause-three", "a pause against two who make a match", define_join, 0, 3, true, "PR", "a", "b");
TINY("pause-one", "a pause of one name against a match", define_join, 0, 2, true, "MU", "ab");
TINY("pause-call", "a pause against a withdrawal and a match", define_join, 0, 2, true, "PbR", "AW");
TINY("step", "a step against the end of a pause", define_join, 0, 2, true, "PabR", "N");
TINY("step-full", "a step that makes room", define_join, 31, 2, true, "aaPbN", "a");
TINY("step-stop", "a step against a stop", define_join, 0, 2, true, "abPQ", "NN");
TINY("stop", "a stop against an injection", define_join, 0, 2, true, "S", "a");

static void define_alone(struct trial *trial) {
  unsigned a = declare(trial, "a", VOID_NAME);
  REACT(trial, NULL, a);
}
TINY("stop-alone", "a stop against a reaction of one molecule", define_alone, 0, 2, true, "Q", "aa");
TINY("stop-match", "a stop against a match", define_join, 0, 2, true, "Q", "ab");
TINY("stop-full", "a stop against spilling", define_join, 31, 2, true, "aS", "aa");
TINY("stop-fired", "a stop against a firing that makes room", define_join, 31, 2, true, "aab", "S");
TINY("stop-call", "a stop against a withdrawal", define_join, 0, 2, true, "Q", "AW");
TINY("stop-state", "a stop against what wants a state", define_state, 0, 2, true, "Q", "ab");
TINY("restart", "a stop and a restart against an injection", define_join, 0, 2, true, "ST", "a");
TINY("restart-state", "a state begins again, and is wanted", define_state, 0, 2, true, "ST", "ab");
TINY("restart-late", "a restart against an injection that is dropped", define_join, 0, 3, true, "STa", "a", "b");
TINY("restart-full", "a restart, and spilling, against an injection that finds it stopped", define_join, 31, 2, true,
     "STaa", "a");
PLACED("settle", "what a resume enables waits for each other", define_partners, 0, 1, true, CRUCIBLE_INLINE, "PaaR");
PLACED("tiny-pool", "a & b on a pool of one", define_join, 0, 2, false, CRUCIBLE_POOL, "a", "b");
PLACED("tiny-pool-more", "a & b on a pool of one, twice", define_join, 0, 1, false, CRUCIBLE_POOL, "abab");
PLACED("tiny-pool-call", "a withdrawal against a match on a pool of one", define_join, 0, 2, false, CRUCIBLE_POOL, "AW",
       "b");
PLACED("pool-stop", "a stop against a match on a pool of one", define_join, 0, 2, true, CRUCIBLE_POOL, "Q", "ab");
PLACED("pool-beside", "a withdrawal beside a call that stays, which comes by a short injection, on a pool of one",
       define_join, 0, 3, false, CRUCIBLE_POOL, "a", "AW", "b");
