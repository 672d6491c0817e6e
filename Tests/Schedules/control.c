// Pause and resume, clear, stop and restart, while other threads inject. Soups and clients are text: see words.c.

#include "trial.h"

// Control takes a lock, and a thread that waits for quiet waits for others.
#define CONTROL(text, what, chemistry, names, ...)                                                                \
  INLINE_AND_POOL(text, what, define_soup, follow_word, .soup = chemistry, .parameter = names, .waits = true, \
                  .words = {__VA_ARGS__})

// A name without payload that reacts with a state alone takes the shortest path of injection.
#define JOIN "a! b: ab"
#define VOID "a! b-: ab"
#define STATE "a! b- s=: as bs"
// Words that react alone. On a pool a worker carries each one from the body that injects it to the next.
#define STEPS "a1 b1: a> b>"

// Injections of two kinds, from two clients.
#define INJECT "aba", "bab"
// Calls of two clients, which give up the second call, or both.
#define CALL "AAbW", "AAbWW"

CONTROL("clear", "a & b is cleared while two threads inject", JOIN, 0, "KaK", INJECT);
CONTROL("clear-full", "the same, and a field counts one", JOIN, 31, "KaK", INJECT);
CONTROL("clear-state", "a state outlasts clearing", STATE, 0, "KaK", INJECT);
CONTROL("clear-told", "each name is cleared by a thread of its own, and a stop comes: each value is told once",
        "a b: ab", 31, "LaQ", "aLbab", "bab");
CONTROL("clear-steps", "bodies that inject words which react alone, and a clear", STEPS, 0, "KaK", INJECT);
CONTROL("pause-steps", "the same, and a pause", STEPS, 0, "EZa(ab)R", INJECT);
CONTROL("pause-one-steps", "the same, and a pause of one name", STEPS, 0, "MaHaa(ab)LbUa", INJECT);
CONTROL("restart-steps", "the same, and a stop and a restart", STEPS, 0, "QTba", INJECT);
CONTROL("pause", "a & b is paused while two threads inject", JOIN, 0, "EZa(ab)R", INJECT);
CONTROL("pause-full", "the same, and a field counts one", JOIN, 31, "EZa(ab)R", INJECT);
CONTROL("pause-call", "calls are given up, paused or not", JOIN, 0, "PbARW", CALL);
CONTROL("pause-two", "two threads pause and resume", JOIN, 0, "PaR", "PbR", "abab");
// The soup stays paused: no resume does what a step left undone.
CONTROL("step", "a & b is let react once, and once more, while two threads inject", JOIN, 0, "PZN(ab)ZN!", INJECT);
CONTROL("step-full", "the same, and a field counts one", JOIN, 31, "PZN(ab)ZN!", INJECT);
CONTROL("step-two", "two threads let reactions react, and one resumes", VOID, 0, "P(aabb)NR", "NN", "abab");
CONTROL("step-stop", "a thread lets reactions react, and another one stops", JOIN, 0, "PQ", "NNN", "aba");
CONTROL("pause-one", "one name of two that share a state is paused", STATE, 0, "MaHaa(ab)LbUa", INJECT);
CONTROL("pause-one-full", "a name is paused whose field counts one", JOIN, 31, "MaHaa(ab)Ua", INJECT);
CONTROL("pause-one-clear", "a soup with a paused name is cleared and stopped", JOIN, 0, "MaaKaQUaT", INJECT);
CONTROL("stop", "a & b is stopped while two threads inject", JOIN, 0, "aQb", INJECT);
CONTROL("stop-full", "the same, and a field counts one", JOIN, 31, "aQb", INJECT);
CONTROL("stop-state", "reactions over a state are stopped", STATE, 0, "aQb", INJECT);
CONTROL("stop-call", "calls are given up while the soup is stopped", JOIN, 0, "Q", CALL);
CONTROL("stop-together", "several at once meet a stop", JOIN, 0, "Q", "(aab)(ab)", "(ba)(ab)");
CONTROL("stop-told", "the report of a stop against injections of values; a field counts one", "a b: ab", 31, "Q",
        "aba", "bab");
CONTROL("stop-told-together", "the same, and several at once", "a b: ab", 0, "Q", "(ab)(aa)", "(bb)a");
CONTROL("stop-told-call", "the same, with calls", JOIN, 0, "Q", "aa", "aa");
CONTROL("stop-paused", "a paused soup is stopped, restarted, and resumed", VOID, 0, "PQTaR", INJECT);
CONTROL("restart", "a & b is stopped and restarted while two threads inject", JOIN, 0, "QTba", INJECT);
CONTROL("restart-full", "the same, and a field counts one", JOIN, 31, "QTba", INJECT);
CONTROL("restart-state", "a state begins again", STATE, 0, "QTba", INJECT);
CONTROL("restart-busy", "a soup is restarted as soon as its bodies have ended", STATE, 0, "ST", INJECT);
CONTROL("restart-call", "calls are given up before and after a restart", JOIN, 0, "QTbAW", CALL);

// Injections that may have passed the check for a stop.
#define LATE(text, what, count, chemistry, names, ...) \
  INLINE_WORDS(text, what, count, chemistry, .parameter = names, .waits = true, .words = {__VA_ARGS__})
LATE("late-full", "two threads are late for a stop, and a field counts one", 3, "a b: ab", 31, "Q", "Ya", "Ya");
LATE("late-restart", "two threads are late for a stop, and there is a restart", 3, "a b: ab", 0, "QTbb", "Ya", "Ya");
LATE("late-together", "the same, and one of them injects several at once", 3, "a b: ab", 0, "QTabb", "Y(aa)",
     "Ya");
LATE("late-withdraw", "calls that are late for a stop are given up", 4, JOIN, 0, "Q", "YAW", "YAW", "YAW");

// ---------------------------------------------------------------------------------------------------------------------
// Drain
// ---------------------------------------------------------------------------------------------------------------------

enum { A, B, C };

/// A body of the soup: a drain refuses neither what it injects, nor what others inject by names that do not own.
static void go_on(struct trial *trial, struct molecule *const *molecules, void *const *inputs) {
  bool injected = try_to_inject(trial, B) != NULL;
  if (injected) injected = inject_unowned(trial, C, 0) != NULL;
  if (!injected && !PEEK(trial->stop_begun)) scheduler_fail("a drain refuses what a body injects");
}

/// Whether the drain had returned before now, for the calling thread.
static bool is_drained(const struct trial *trial) {
  uint64_t returned = PEEK(trial->drain_returned);
  return returned && comes_before(returned, scheduler_tick());
}

static void drain_or_inject(struct trial *trial, unsigned index) {
  if (index == 0) {
    drain_and_empty(trial);
    return;
  }
  for (unsigned i = 0; i < 2; i++) {
    bool drained = is_drained(trial);
    if (try_to_inject(trial, A) && drained) scheduler_fail("a soup that is drained accepts a molecule from outside");
  }
  bool drained = is_drained(trial);
  if (inject_together(trial, "aa") == CRUCIBLE_OK && drained) {
    scheduler_fail("a soup that is drained accepts two molecules");
  }
  bool injected = inject_unowned(trial, C, 0);
  if (!injected && !PEEK(trial->stop_begun)) scheduler_fail("a drain refuses a name that does not own");
}

INLINE_AND_POOL("drain", "a soup whose bodies inject is drained while two threads inject", define_soup,
                drain_or_inject, .soup = "a b c-: a bc", .acts = {go_on}, .waits = true);
