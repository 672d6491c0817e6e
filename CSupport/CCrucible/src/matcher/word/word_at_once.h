// Injections of the matcher `word` that fire at once or not at all.

#ifndef CRUCIBLE_WORD_AT_ONCE_H
#define CRUCIBLE_WORD_AT_ONCE_H

#include "matcher/matcher.h"

/// Implements `complete_here` of struct matcher.
bool crucible__word_complete_here(struct crucible_name *name, void *value);
/// Implements `visit` of struct matcher.
bool crucible__word_visit(struct crucible_name *name, void *value);
/// Implements `complete_own` of struct matcher.
bool crucible__word_complete_own(struct crucible_name *name, void *value);

#endif
