// What the core asks of a waiter; the binding's calls are in crucible_calls.h.

#ifndef CRUCIBLE_WAITER_H
#define CRUCIBLE_WAITER_H

#include "CCrucible.h"

/// Whether the call of this waiter has been taken out of its soup (crucible_waiter_set_taken).
bool crucible__waiter_is_taken(const crucible_waiter *waiter);

#endif
