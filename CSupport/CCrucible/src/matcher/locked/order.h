// The order of arrival, by which the matcher `arrival` chooses: see order.c.

#ifndef CRUCIBLE_ORDER_H
#define CRUCIBLE_ORDER_H

#include "matcher/locked/shelf.h"

/// Whether `one` fires before `other`, which was declared earlier. `shelves`: by bit. Requires: both are enabled.
bool crucible__fires_before(const struct shelf *shelves, const struct reaction *one, const struct reaction *other);

#endif
