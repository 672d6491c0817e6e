// The rings of a bag. The first push makes the first one, threads leave it like any other, and it is used again.

#ifndef CRUCIBLE_FIRST_RING_H
#define CRUCIBLE_FIRST_RING_H

#include "bag/bag.h"

/// The use of the first ring. IN_LIST: it is in the bag's list. RESTING: it was left, and some thread may still be in
/// the middle of leaving it. IDLE: it may be used again. ORPHANED: its bag is gone, and a later thread frees it.
enum use { IN_LIST, RESTING, IDLE, ORPHANED };

/// A substitute for the first ring of a bag that has none.
struct no_ring {
  struct segment segment;
  _Atomic uint64_t turn;
};
extern struct no_ring crucible__no_ring;
_Static_assert(offsetof(struct no_ring, turn) == sizeof(struct segment), "its slot is where the inline paths look");

/// The number of slots in a ring of about `bytes` bytes.
uint64_t crucible__ring_capacity(const struct bag *bag, size_t bytes);
/// The size in bytes of a ring of `capacity` slots.
size_t crucible__ring_size(const struct bag *bag, uint64_t capacity);
/// Creates an open ring whose slots are all free. Null: no memory.
struct segment *crucible__ring_create(const struct bag *bag, size_t bytes);
void crucible__ring_free(const struct bag *bag, struct segment *segment);

/// Makes the first ring of a prepared bag, or helps the thread that makes it. False: no memory.
bool crucible__first_make(struct bag *bag);
/// Whether each slot of the first ring is free for its next lap. Requires: the ring is closed, and not in the list.
bool crucible__first_is_given_back(const struct bag *bag, struct segment *first);
/// Prepares the first ring to be appended with this serial number (BAG-7). It is still closed. Null: it cannot be used
/// now.
struct segment *crucible__first_again(struct bag *bag, uint64_t serial);
/// Returns a ring from crucible__first_again that was not appended.
void crucible__first_unused(struct segment *first);
/// Opens the first ring after it has been appended.
void crucible__first_open(struct segment *first);
/// Retires the first ring after a thread has left it.
void crucible__first_left(const struct bag *bag, struct segment *first);
/// Frees the first ring after it was removed from the list, or leaves that to the callback after its rest.
void crucible__first_free(const struct bag *bag, struct segment *first);

#endif
