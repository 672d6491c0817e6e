// Short injections of the matcher `word`, for the case that nothing is in the way.

#ifndef CRUCIBLE_WORD_SHORT_H
#define CRUCIBLE_WORD_SHORT_H

#include "matcher/matcher.h"

/// Returns the shortest function that can inject this name.
inject_function crucible__word_inject_for(const struct crucible_name *name);
/// Inject names that meet only facts. The payload is one machine word, or of any size.
bool crucible__word_inject_alone_word(struct crucible_name *name, void *value);
bool crucible__word_inject_alone_sized(struct crucible_name *name, void *value);
/// Implements `complete_here` of struct matcher.
bool crucible__word_complete_here(struct crucible_name *name, void *value);

#endif
