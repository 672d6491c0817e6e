// Injections that go on with a chain: the matcher `word`, for a name that meets nothing else.

#ifndef CRUCIBLE_WORD_CHAIN_H
#define CRUCIBLE_WORD_CHAIN_H

#include "matcher/matcher.h"

/// Returns the function that injects this name, which meets nothing else, if it may go on with a chain; else null.
inject_function crucible__word_follow_for(const struct crucible_name *name);

#endif
