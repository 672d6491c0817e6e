// The first ring of a bag: made with the first push, left like any other, and used again.

#ifndef CRUCIBLE_FIRST_RING_H
#define CRUCIBLE_FIRST_RING_H

#include "bag/bag.h"

/// Where the first ring is: in the list; left, until no thread can be in the middle of leaving it; ready to be used
/// again; without its bag, so that a later thread frees it.
enum use { IN_LIST, RESTING, IDLE, ORPHANED };

/// A stand-in for the first ring of a bag that has none.
struct no_ring {
  struct segment segment;
  _Atomic uint64_t turn;
};
extern struct no_ring crucible__no_ring;
_Static_assert(offsetof(struct no_ring, turn) == sizeof(struct segment), "its slot is where the inline paths look");

/// Makes the first ring of a prepared bag, unless it has one. False: no memory.
bool crucible__bag_begin(struct bag *bag);
/// Gives a prepared bag its first ring, or helps the thread that does. False: no memory.
bool crucible__first_make(struct bag *bag);
/// Whether each slot of the first ring waits for its next lap. It is closed, and not in the list.
bool crucible__first_is_given_back(const struct bag *bag, struct segment *first);
/// BAG-7: the first ring, closed still, to be appended with this serial number; null: it cannot be used now.
struct segment *crucible__first_again(struct bag *bag, uint64_t serial);
/// Takes back a ring from crucible__first_again that was not appended.
void crucible__first_unused(struct segment *first);
/// Opens the first ring, which has been appended.
void crucible__first_open(struct segment *first);
/// The first ring has been left, and is retired.
void crucible__first_left(const struct bag *bag, struct segment *first);
/// Frees the first ring, which is not in the list any more, or leaves that to the callback after its rest.
void crucible__first_free(const struct bag *bag, struct segment *first);

#endif
