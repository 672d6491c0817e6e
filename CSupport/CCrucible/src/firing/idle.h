// The reaction of a thread that runs no body.

#ifndef CRUCIBLE_IDLE_H
#define CRUCIBLE_IDLE_H

#include "types.h"

/// The reaction of a thread without a body. It has no soup, so tests of a thread's innermost body need no special case.
extern const struct reaction crucible__idle;

#endif
