// The clock that everything in the core goes by.

#ifndef CRUCIBLE_CLOCK_H
#define CRUCIBLE_CLOCK_H

#include <stdint.h>

/// Nanoseconds, by the monotonic clock. Aborts with a message if the system has none.
uint64_t crucible__now(void);

#endif
