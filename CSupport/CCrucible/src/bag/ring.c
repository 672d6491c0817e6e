// See ring.h.

#include "bag/ring.h"

#include "bag/first_ring.h"
#include "base/memory.h"
#include "base/tuning.h"

uint64_t crucible__ring_capacity(const struct bag *bag, size_t bytes) {
  uint64_t capacity = CRUCIBLE_LEAST_SLOTS;
  while (capacity * 2 * bag->stride <= bytes) capacity *= 2;
  return capacity;
}

size_t crucible__ring_size(const struct bag *bag, uint64_t capacity) {
  return bag->slots + capacity * bag->stride;
}

struct segment *crucible__ring_create(const struct bag *bag, size_t bytes) {
  uint64_t capacity = crucible__ring_capacity(bag, bytes);
  struct segment *segment = crucible__allocate(crucible__ring_size(bag, capacity), bag->alignment);
  if (!segment) return NULL;
  segment->capacity = capacity;
  atomic_init(&segment->serial, 0);
  atomic_init(&segment->begin, 0);
  atomic_init(&segment->use, IN_LIST);
  atomic_init(&segment->tail, 0);
  atomic_init(&segment->head, 0);
  atomic_init(&segment->next, NULL);
  for (uint64_t p = 0; p < capacity; p++) atomic_init(turn_of(slot_at(bag, segment, p)), TURN(p, FREE));
  return segment;
}

void crucible__ring_free(const struct bag *bag, struct segment *segment) {
  crucible__free(segment, crucible__ring_size(bag, segment->capacity));
}
