// Counting atomic operations: only in builds with CRUCIBLE_COUNT_ATOMICS (atomics.h).

#ifndef CRUCIBLE_COUNTING_H
#define CRUCIBLE_COUNTING_H

#if defined(CRUCIBLE_COUNT_ATOMICS)

#include <stdint.h>

extern _Thread_local uint64_t *crucible__tally;
uint64_t *crucible__tally_make(void);
// Both only while no other thread is in the core.
uint64_t crucible__atomics_counted(void);
void crucible__atomics_reset(void);

#endif

#endif
