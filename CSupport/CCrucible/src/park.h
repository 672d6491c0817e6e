// Putting a thread to sleep until a word changes: Linux's futex.

#ifndef CRUCIBLE_PARK_H
#define CRUCIBLE_PARK_H

#include <stdbool.h>
#include <stdint.h>

#include "atomics.h"

/// Sleeps while `*address` is `expected`, at most `nanoseconds` (UINT64_MAX: no limit); may return early.
void crucible__park(_Atomic uint32_t *address, uint32_t expected, uint64_t nanoseconds);
/// Wakes up to `count` threads that sleep on `address`, which need not be valid memory any more.
void crucible__unpark(_Atomic uint32_t *address, int count);

/// Nanoseconds, by the monotonic clock. Aborts with a message if the system has none.
uint64_t crucible__now(void);

#endif
