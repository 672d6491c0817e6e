// Full fields of the matcher `word`: counts for which the word has no room.

#ifndef CRUCIBLE_WORD_OVERFLOW_H
#define CRUCIBLE_WORD_OVERFLOW_H

#include "types.h"

/// Moves spilled counts into the word while it has room. True: at least one was moved.
bool crucible__word_bring(struct component *component, struct crucible_name *name);
/// Counts molecules as spilled. True: counts were moved into the word, perhaps more than those.
bool crucible__word_spill(struct component *component, struct crucible_name *name, uint64_t count);
/// The number of molecules in the overflow. Additions by other threads meanwhile do no harm: 2^56, and 2^40 by each of
/// 2^22 threads, are far from 2^64.
static inline uint64_t crucible__word_spilled(struct crucible_name *name) {
  return load_relaxed(&name->aside.overflow);
}
/// Moves spilled counts of each of the reaction's names after the reaction has made room. True: at least one was moved.
bool crucible__word_make_room(struct thread *self, struct component *component, const struct reaction *reaction);
/// Moves spilled counts of all names of the component by the function of one form of the matcher. True: at least one
/// was moved.
typedef bool (*bring_function)(struct component *component, struct crucible_name *name);
bool crucible__word_bring_all(struct component *component, bring_function bring);

/// Begins a component: nothing is spilled, abandoned or refused.
void crucible__word_begin(struct component *component);

#endif
