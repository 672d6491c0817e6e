// Several words that are changed at once (base/multicas.c). Each client follows a word, one letter a step:
//
//   x y z   adds to two words: 0 and 1, 1 and 2, 2 and 0
//   X Y Z   subtracts again from the same two words
//   w       tries to change 0 and 2, and expects a value that 2 never has
//   o       adds to word 1 alone, and retries until it succeeds
//   p       adds to word 1 and to a word of its own, which is freed when its owner is released
//
//   CHANGE-1  at rest each word holds the result of the operations that succeeded: none is lost, doubled or half done
//   CHANGE-2  an operation succeeds only from the values that it expects; when it runs alone, it succeeds from those
//   CHANGE-3  each owner is released once, and no thread touches its word for the operation after that
//
// The search has cases of its own: errors in the middle of helping need few preemptions, at exact places.

#include <string.h>

#include "base/memory.h"
#include "base/multicas.h"
#include "trial.h"

enum { WORDS = 3, STEP = 4, NEVER = 4000, MOST_OWNERS = 64 };

static _Atomic uint64_t words[WORDS];
static uint64_t sums[WORDS];  ///< the expected values

struct owner {
  unsigned references;
  _Atomic uint64_t *word;  ///< freed with the owner; null: the word stays
};
static struct owner owners[MOST_OWNERS];
static unsigned owner_count, kept;

static void begin_words(struct trial *trial) {
  memset(sums, 0, sizeof sums);
  memset(owners, 0, sizeof owners);
  owner_count = kept = 0;
  for (unsigned i = 0; i < WORDS; i++) atomic_init(&words[i], 0);
}

static void release_owner(void *context) {
  struct owner *owner = context;
  if (owner->references == 0) scheduler_fail("an owner is released twice");
  owner->references--;
  kept--;
  if (owner->word) crucible__free((void *)owner->word, sizeof *owner->word);
}

static struct owner *new_owner(void) {
  if (owner_count == MOST_OWNERS) scheduler_fail("the case has too many changes");
  struct owner *owner = &owners[owner_count++];
  owner->references = 1;
  kept++;
  return owner;
}

static void change_with_own(void) {
  uint64_t value = crucible__read_changed(&words[1]);
  struct owner *owner = new_owner();
  owner->word = crucible__allocate(sizeof *owner->word, 64);
  if (!owner->word) scheduler_fail("no memory");
  atomic_init(owner->word, 0);
  uint64_t rank = WORDS + (uint64_t)(owner - owners);
  struct change changes[] = {{owner->word, rank, 0, STEP, owner}, {&words[1], 1, value, value + STEP, new_owner()}};
  if (crucible__change_all(changes, 2, release_owner)) sums[1] += STEP;
}

static bool change(unsigned a, unsigned b, uint64_t step, uint64_t offset) {
  const unsigned which[2] = {a, b};
  uint64_t values[2];
  struct change changes[2];
  for (unsigned i = 0; i < 2; i++) {
    values[i] = crucible__read_changed(&words[which[i]]);
    if (values[i] & CRUCIBLE_MULTICAS_BITS) scheduler_fail("a word shows what is not its value");
    if (step != STEP && values[i] == 0) return false;
  }
  values[1] += offset;
  for (unsigned i = 0; i < 2; i++) {
    changes[i] = (struct change){&words[which[i]], which[i], values[i], values[i] + step, new_owner()};
  }
  if (!crucible__change_all(changes, 2, release_owner)) return false;
  if (offset) scheduler_fail("words are changed that are not what was expected");
  for (unsigned i = 0; i < 2; i++) sums[which[i]] += step;
  return true;
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
      case 'p': change_with_own(); break;
      case 'w': change(0, 2, STEP, NEVER); break;
      default:
        for (uint64_t value = 1; !crucible__change_one(&words[1], value, value + STEP);) {
          value = crucible__read_changed(&words[1]);
        }
        sums[1] += STEP;
    }
  }
}

static void check_words(struct trial *trial) {
  for (unsigned i = 0; i < WORDS; i++) {
    uint64_t value = load_relaxed(&words[i]);
    if (value != sums[i]) {
      scheduler_fail("word %u is %llu and should be %llu", i, (unsigned long long)value, (unsigned long long)sums[i]);
    }
  }
  if (kept > 0) scheduler_fail("%u owners are not released", kept);
}

static void check_alone(struct trial *trial) {
  check_words(trial);
  if (sums[0] != 2 * STEP || sums[1] != STEP || sums[2] != STEP) scheduler_fail("a change that is alone fails");
}

#define CHANGES(text, what, count, checking, ...) \
  CASE(text, what, count, begin_words, change_words, .check = checking, .bare = true, .scheduled = true, \
       .words = {__VA_ARGS__})

CHANGES("tiny-changes-alone", "several words are changed by one thread", 1, check_alone, "xwzyY");
CHANGES("tiny-changes", "two operations share a word", 2, check_words, "x", "y");
CHANGES("tiny-changes-same", "two operations share both words", 2, check_words, "x", "x");
CHANGES("changes-ring", "three operations, each two of which share a word", 3, check_words, "xy", "yz", "zx");
CHANGES("changes-back", "words come back to what they were", 3, check_words, "xXx", "xXx", "yYo");
CHANGES("changes-fail", "operations that fail beside others", 4, check_words, "wxw", "xXw", "zZx", "oyo");
CHANGES("changes-gone", "words go with the operations that change them", 3, check_words, "pp", "pp", "o");
