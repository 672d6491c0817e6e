// The lists of reactions that the matcher `word` tests for each name, and for each state that is given back.

#ifndef CRUCIBLE_WORD_LISTS_H
#define CRUCIBLE_WORD_LISTS_H

#include "types.h"

/// The guard, which is the top bit of the name's field.
static inline uint64_t crucible__word_guard(const struct crucible_name *name) {
  return name->word.mask + name->word.unit;
}

/// The bit that says that a fact is missing. `input`: its place in the reaction's pattern.
static inline uint64_t crucible__word_fact(const struct reaction *reaction, uint32_t input) {
  return UINT64_C(1) << reaction->rule->inputs[input].fact_bit;
}
/// The bits of all facts that reactions of the component read.
uint64_t crucible__word_facts(const struct component *component);

/// Makes the lists of a component. Requires: its names have their fields. False: no memory.
bool crucible__word_lists(struct component *component);

#endif
