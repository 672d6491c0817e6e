// Where the count of each name lies in the state word.

#ifndef CRUCIBLE_WORD_FIELDS_H
#define CRUCIBLE_WORD_FIELDS_H

#include "types.h"

/// Gives every name of the component a field of the state word. False: they do not fit.
bool crucible__layout_word(struct component *component);

#endif
