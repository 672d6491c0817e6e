// Counts allocations by functions in this executable that replace those of the C library's allocator. All allocations
// of the core, the Swift runtime and the cases call them. When counting is off, it costs one predictable branch per
// allocation.

#ifndef HARNESS_ALLOCATIONS_H
#define HARNESS_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

void harness_count_allocations(bool on);
/// The count since the start of the process, while counting was on.
uint64_t harness_allocations(void);

#endif
