// The functions of a waiter that only the core calls. Those of the binding are in crucible_calls.h.

#ifndef CRUCIBLE_WAITER_H
#define CRUCIBLE_WAITER_H

#include "CCrucible.h"

/// Whether the call of this waiter has been taken out of its soup (crucible_waiter_set_taken).
bool crucible__waiter_is_taken(const crucible_waiter *waiter);

#endif
