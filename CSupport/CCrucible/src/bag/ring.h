// The memory of one ring of a bag.

#ifndef CRUCIBLE_RING_H
#define CRUCIBLE_RING_H

#include "bag/bag.h"

/// The number of slots in a ring of about `bytes` bytes.
uint64_t crucible__ring_capacity(const struct bag *bag, size_t bytes);
/// The size in bytes of a ring of `capacity` slots.
size_t crucible__ring_size(const struct bag *bag, uint64_t capacity);
/// Creates an open ring whose slots are all free. Null: no memory.
struct segment *crucible__ring_create(const struct bag *bag, size_t bytes);
void crucible__ring_free(const struct bag *bag, struct segment *segment);

#endif
