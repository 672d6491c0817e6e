// Injections that continue a chain: the matcher `word`, for a name that meets nothing else.

#ifndef CRUCIBLE_WORD_CHAIN_H
#define CRUCIBLE_WORD_CHAIN_H

#include "matcher/matcher.h"

/// Returns the function that injects this name as a step of a chain. Null: it cannot be one. Requires: the name has a
/// payload and a wide field.
inject_function crucible__word_follow_for(const struct crucible_name *name);

#endif
