// Plain injections of the matcher `word`.

#ifndef CRUCIBLE_WORD_PLAIN_H
#define CRUCIBLE_WORD_PLAIN_H

#include "matcher/matcher.h"

/// Returns the function that injects this name plainly. Null: it cannot be injected so.
inject_function crucible__word_plain_for(const struct crucible_name *name);

#endif
