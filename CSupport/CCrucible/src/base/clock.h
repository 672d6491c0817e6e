// The clock of the core.

#ifndef CRUCIBLE_CLOCK_H
#define CRUCIBLE_CLOCK_H

#include <stdint.h>

/// The time of the monotonic clock, in nanoseconds. Aborts with a message if the system has no such clock.
uint64_t crucible__now(void);

#endif
