// Several words that are claimed at once (base/claims.h). Each client follows a word, one letter a step:
//
//   x y z   adds to two words: 0 and 1, 1 and 2, 2 and 0, by a claim that has help
//   X Y Z   subtracts again from the same two words
//   a b     adds to 0 and 1, or 1 and 2, by claims that others abort, and then by one that has help
//   v       tries to add to 0 and 1, and expects the value that 1 has after one more addition
//   w       tries to change 0 and 2, and expects a value that 2 never has
//   e       helps the claim of word 0
//   o       adds to word 1 alone, and retries until it succeeds
//   p       adds to word 1 and to a word of its own, which is retired afterwards
//   q       adds to words of its own, which no other thread finds, and frees them
//
//   CHANGE-1  at rest each word holds the result of the claims that were done: none is lost, doubled or half done
//   CHANGE-2  a claim is done only from the values that it expects; when it runs alone, it is done from those
//   CHANGE-3  no thread touches a word after the grace period of its memory, or a word that it has not found
//
// The search has cases of its own: errors in the middle of helping need few preemptions, at exact places.

#include <string.h>

#include "base/claims.h"
#include "base/memory.h"
#include "base/reclamation.h"
#include "matcher/wide/wide.h"
#include "trial.h"

enum { WORDS = 3, STEP = 4, NEVER = 4000 };

static struct wide_word words[WORDS];
static uint64_t sums[WORDS];  ///< the expected values

static void begin_words(struct trial *trial) {
  memset(sums, 0, sizeof sums);
  for (unsigned i = 0; i < WORDS; i++) atomic_init(&words[i].word, 0);
}

struct change {
  _Atomic uint64_t *word;
  uint64_t before, after;
};

/// Changes two words, which are in their order, by a claim that has help.
static bool change_both(const struct change changes[2]) {
  struct thread *self = crucible__thread();
  uint64_t tag = crucible__claims_begin(self, CLAIM_HELPED);
  for (uint32_t i = 0; i < 2; i++) {
    crucible__claims_note(&self->claims, i, changes[i].word, changes[i].before, changes[i].after);
  }
  crucible__read_lock();
  bool done = crucible__claims_carry_out(&self->claims, tag, 2);
  crucible__read_unlock();
  return done;
}

static uint64_t value_of(unsigned i) {
  uint64_t value = crucible__look(&words[i].word);
  if (value & CLAIM_BUSY) scheduler_fail("a word shows what is not its value");
  return value;
}

struct own_word {
  struct retired retired;  // must be first
  _Atomic uint64_t word;
};

static void change_with_own(void) {
  uint64_t value = value_of(1);
  struct own_word *own = crucible__allocate(sizeof *own, 64);
  if (!own) scheduler_fail("no memory");
  atomic_init(&own->word, 0);
  struct change changes[] = {{&words[1].word, value, value + STEP}, {&own->word, 0, STEP}};
  if (change_both(changes)) sums[1] += STEP;
  crucible__retire(&own->retired, sizeof *own, NULL);
}

static bool change(unsigned a, unsigned b, uint64_t step, uint64_t offset) {
  const unsigned which[2] = {a < b ? a : b, a < b ? b : a};
  struct change changes[2];
  for (unsigned i = 0; i < 2; i++) {
    uint64_t value = value_of(which[i]);
    if (step != STEP && value == 0) return false;
    if (i == 1) value += offset;
    changes[i] = (struct change){&words[which[i]].word, value, value + step};
  }
  if (!change_both(changes)) return false;
  if (offset == NEVER) scheduler_fail("words are changed that are not what was expected");
  for (unsigned i = 0; i < 2; i++) sums[which[i]] += step;
  return true;
}

static bool add_step(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  *after = before + STEP;
  return true;
}

static void change_own(void) {
  struct wide_word *own = crucible__allocate(2 * sizeof *own, 64);
  if (!own) scheduler_fail("no memory");
  for (unsigned i = 0; i < 2; i++) atomic_init(&own[i].word, 0);
  crucible__wide_change(crucible__thread(), own, 3, add_step, NULL);
  if (load_relaxed(&own[0].word) != STEP || load_relaxed(&own[1].word) != STEP) {
    scheduler_fail("words of one thread are not changed");
  }
  crucible__free(own, 2 * sizeof *own);
}

/// Adds to word `a` and the next one.
static void add_to_both(unsigned a) {
  crucible__read_lock();
  crucible__wide_change(crucible__thread(), words, UINT64_C(3) << a, add_step, NULL);
  crucible__read_unlock();
  sums[a] += STEP;
  sums[a + 1] += STEP;
}

static void help(void) {
  crucible__read_lock();
  crucible__claims_end(&words[0].word);
  crucible__read_unlock();
}

static void add_to_one(void) {
  crucible__read_lock();
  uint64_t value = crucible__look_to_change(&words[1].word);
  while (!crucible__change(&words[1].word, &value, value + STEP)) {
  }
  crucible__read_unlock();
  sums[1] += STEP;
}

static void change_words(struct trial *trial, unsigned index) {
  for (const char *c = trial->chemistry->words[index]; *c; c++) {
    switch (*c) {
      case 'x': change(0, 1, STEP, 0); break;
      case 'y': change(1, 2, STEP, 0); break;
      case 'z': change(2, 0, STEP, 0); break;
      case 'X': change(0, 1, -(uint64_t)STEP, 0); break;
      case 'Y': change(1, 2, -(uint64_t)STEP, 0); break;
      case 'Z': change(2, 0, -(uint64_t)STEP, 0); break;
      case 'a': add_to_both(0); break;
      case 'b': add_to_both(1); break;
      case 'e': help(); break;
      case 'p': change_with_own(); break;
      case 'q': change_own(); break;
      case 'v': change(0, 1, STEP, STEP); break;
      case 'w': change(0, 2, STEP, NEVER); break;
      default: add_to_one();
    }
  }
}

static void check_words(struct trial *trial) {
  for (unsigned i = 0; i < WORDS; i++) {
    uint64_t value = load_relaxed(&words[i].word);
    if (value != sums[i]) {
      scheduler_fail("word %u is %llu and should be %llu", i, (unsigned long long)value, (unsigned long long)sums[i]);
    }
  }
}

static void check_alone(struct trial *trial) {
  check_words(trial);
  if (sums[0] != 2 * STEP || sums[1] != STEP || sums[2] != STEP) scheduler_fail("a change that is alone fails");
}

#define CHANGES(text, what, count, checking, ...) \
  CASE(text, what, count, begin_words, change_words, .check = checking, .bare = true, .scheduled = true, \
       .words = {__VA_ARGS__})

CHANGES("tiny-changes-alone", "several words are changed by one thread", 1, check_alone, "xwzyY");
CHANGES("tiny-changes", "two claims share a word", 2, check_words, "x", "y");
CHANGES("tiny-changes-same", "two claims share both words", 2, check_words, "x", "x");
CHANGES("tiny-changes-again", "a claim that has help follows another one of its thread", 2, check_words, "xx", "x");
CHANGES("tiny-changes-late", "a claim fails, and the word then has what it expected", 3, check_words, "vx", "e", "o");
CHANGES("tiny-changes-mixed", "a claim that others abort shares both words with one that has help", 2, check_words, "x",
        "a");
CHANGES("changes-ring", "three claims, each two of which share a word", 3, check_words, "xy", "yz", "zx");
CHANGES("changes-mixed", "claims that others abort, and claims that have help", 3, check_words, "axb", "bay", "oXz");
CHANGES("changes-back", "words come back to what they were", 3, check_words, "xXx", "xXx", "yYo");
CHANGES("changes-fail", "claims that fail beside others", 4, check_words, "wxw", "xXw", "zZx", "oyo");
CHANGES("changes-gone", "words go after the claims that change them", 3, check_words, "pp", "pp", "o");
CHANGES("changes-own", "words go at once that no other thread finds", 3, check_words, "xq", "xq", "xo");
