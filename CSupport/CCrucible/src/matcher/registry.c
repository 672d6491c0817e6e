// The registry: the list of all matchers. The definition, the tests and the benchmarks iterate over it, and know
// matchers in no other way.

#include "matcher/registry.h"

#include <string.h>

// With small words, as in tests, the wide form of `word` is a matcher of its own, so that all tests run on it.
#if defined(CRUCIBLE_SMALL)
#define CRUCIBLE_SMALL_MATCHERS &crucible__wide,
#else
#define CRUCIBLE_SMALL_MATCHERS
#endif

const struct matcher *const crucible__matchers[] = {
    &crucible__word, &crucible__locked, &crucible__arrival, &crucible__claim, CRUCIBLE_SMALL_MATCHERS NULL};

_Static_assert(CRUCIBLE_WORD == 1 && CRUCIBLE_LOCKED == 2 && CRUCIBLE_ARRIVAL == 3 && CRUCIBLE_CLAIM == 4,
               "the numbers that have names of their own are these");

size_t crucible_matcher_count(void) { return sizeof crucible__matchers / sizeof *crucible__matchers - 1; }

const char *crucible_matcher_name(crucible_matcher matcher) {
  if (matcher == CRUCIBLE_AUTOMATIC) return "automatic";
  return matcher <= crucible_matcher_count() ? crucible__matchers[matcher - 1]->name : NULL;
}

bool crucible_matcher_is_lock_free(crucible_matcher matcher) { return crucible__matchers[matcher - 1]->is_lock_free; }

bool crucible_matcher_is_ordered(crucible_matcher matcher) { return crucible__matchers[matcher - 1]->is_ordered; }

uint32_t crucible_matcher_most_names(crucible_matcher matcher) {
  uint32_t most = matcher == CRUCIBLE_AUTOMATIC ? 0 : crucible__matchers[matcher - 1]->most_names;
  return most ? most : CRUCIBLE_MAX_NAMES;
}

bool crucible_matcher_find(const char *name, crucible_matcher *matcher) {
  for (uint32_t m = 0; m <= crucible_matcher_count(); m++) {
    if (strcmp(crucible_matcher_name((crucible_matcher)m), name) != 0) continue;
    *matcher = (crucible_matcher)m;
    return true;
  }
  return false;
}
