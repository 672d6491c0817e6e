// The reaction of a thread that runs no body.

#ifndef CRUCIBLE_IDLE_H
#define CRUCIBLE_IDLE_H

#include "types.h"

/// It has no soup, so looks at the innermost body of a thread need no case for a thread without one.
extern const struct reaction crucible__idle;

#endif
