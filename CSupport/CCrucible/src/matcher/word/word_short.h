// Short injections of the matcher `word`, for the case that nothing is in the way.

#ifndef CRUCIBLE_WORD_SHORT_H
#define CRUCIBLE_WORD_SHORT_H

#include "base/tuning.h"
#include "matcher/word/word.h"

/// What an injection carries: nothing, one machine word, or a value of any size.
enum payload { NONE, WORD, SIZED };

/// The threads that have a stripe in the soup or near it. Every field has room for their blind additions.
enum { SHORT_THREADS = STRIPES < CRUCIBLE_BLIND_THREADS ? STRIPES : CRUCIBLE_BLIND_THREADS };

/// Returns the shortest function that can inject this name.
inject_function crucible__word_inject_for(const struct crucible_name *name);
/// Whether the function is a short injection of values that are not `sized`. Any other function has further duties, or
/// refuses.
CRUCIBLE_SELDOM NOINLINE bool crucible__word_is_short(inject_function inject);

/// Inject names whose field is large enough for blind additions. The payload is nothing, one machine word, or of any
/// size. The last function injects calls of any size that may let other threads run first (`gives_way`).
bool crucible__word_inject_nothing(struct crucible_name *name, void *value);
bool crucible__word_inject_word(struct crucible_name *name, void *value);
bool crucible__word_inject_sized(struct crucible_name *name, void *value);
bool crucible__word_call_sized(struct crucible_name *name, void *value);

/// Publishes the molecule of a name without a front bit, into a ring or the cell of its bag. False: no memory.
static INLINE bool crucible__push_short(struct crucible_name *name, const void *value, enum payload payload) {
  struct shape shape = payload == WORD ? WORD_SHAPE : shape_of(&name->bag);
  return payload == NONE || crucible__bag_push_shaped_mpmc(&name->bag, shape, value);
}

/// Finds the first enabled reaction of the name, in a word that counts one of its molecules. If none is enabled,
/// returns the end of the candidates. Mostly all other inputs are missing, which one read shows.
static inline const struct candidate *crucible__word_first_enabled(const struct crucible_name *name, uint64_t word) {
  if (!(word & name->word.others)) return name->word.candidates_end;
  const struct candidate *c = name->word.candidates;
  while (!crucible__word_enabled(c, word) && ++c < name->word.candidates_end) {
  }
  return c;
}

/// Whether a reaction after `candidate` is enabled as well. Usually none is. Without this test, threads that share a
/// counter molecule that another reaction also takes were slower in most runs.
CRUCIBLE_SELDOM NOINLINE bool crucible__word_another_enabled(const struct crucible_name *name,
                                                             const struct candidate *candidate, uint64_t word);

#endif
