// The position of each name's count in the state word.

#ifndef CRUCIBLE_WORD_FIELDS_H
#define CRUCIBLE_WORD_FIELDS_H

#include "types.h"

/// Gives every name of the component a field of the state word. False: they do not fit.
bool crucible__layout_word(struct component *component);
/// Finds, for each name, the most molecules that one pattern takes.
void crucible__find_largest_needs(struct component *component);
/// The fewest bits, guard included, of a field that can hold the largest need of the name.
uint32_t crucible__least_bits(const struct crucible_name *name);

#endif
