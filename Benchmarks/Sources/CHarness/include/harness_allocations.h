// Allocations, counted by standing in front of the C library's allocator in this executable: whatever the core, the
// Swift runtime or a case allocates passes here. Off, the price is one predictable branch per allocation.

#ifndef HARNESS_ALLOCATIONS_H
#define HARNESS_ALLOCATIONS_H

#include <stdbool.h>
#include <stdint.h>

void harness_count_allocations(bool on);
/// Since the start of the process, while counting was on.
uint64_t harness_allocations(void);

#endif
