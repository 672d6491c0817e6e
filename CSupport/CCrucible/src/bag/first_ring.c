// The memory of rings, and the first ring: see first_ring.h. The rules of all rings are in bag.c.
//
//   BAG-7  The first ring is used again. After it was left it rests for a grace period. Then no thread is in the middle
//       of leaving or opening it. A thread may append it again if each slot is free for its next lap: a popper that
//       stalled in a slot, and a pusher whose position was voided, have released it. It is appended closed. A thread
//       that moves the tail to it opens it first, by a CAS from the position at which it was closed to one a lap
//       further. So it takes molecules only while it is in the list, and no position belongs to two lives. If another
//       ring is appended first, this life ends unused: its tail moves to its beginning, closed.
//
// Why it stays
//   The first ring is kept until the bag is destroyed. So a bag whose backlog stays below one ring needs neither read
//   sections nor allocations. Reclaiming this ring as well was slower. Threads leave the ring when a backlog fills it,
//   or when a thread stalls in one of its slots for a whole lap, which interrupts soon cause. The bag then continues in
//   another ring, large or small. That ring is left when it is empty at the end of every other lap, if the first can be
//   used again.
//
// Access outside of a read section
//   A thread there may find that the first ring has been used again meanwhile. That does no harm. A position never
//   occurs twice. Any place in an open ring is valid. A hint that is too low only costs a longer scan. A pop reads the
//   hint first, and then whether the ring is in front. A slot that is FULL at that hint later belongs to a life that
//   has not ended. So the ring was in front in this life, and all older rings are consumed.
//
// The first push into a ring makes the first ring of a prepared bag. Many bags never store anything except in their
// cell, because a molecule that completes a reaction need not be stored. Until then `first`, `head` and `tail` point to
// one ring that all bags share and no thread writes. It is empty, and its only slot is not free, so the inline paths
// need no case for it. The pointers change from there to the first ring in this order, each once. Any pusher may
// advance them, and it pushes where the tail is. So if the head of a bag is still the shared ring, no push into a ring
// has ended. A thread that reads an old `first` finds that head or tail is another ring. Payloads aligned to more than
// a cache line do not lie where the inline paths would read. Bags of such payloads have a ring from the beginning, and
// never use it as their first.

#include "bag/first_ring.h"

#include "base/memory.h"
#include "base/reclamation.h"
#include "base/tuning.h"

struct no_ring crucible__no_ring = {.segment = {.capacity = 1}, .turn = TURN(UINT64_MAX, VOID)};

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

bool crucible__first_make(struct bag *bag) {
  struct segment *first = load_acquire(&bag->first);  // partner: the CAS of another
  if (first == &crucible__no_ring.segment) {
    struct segment *fresh = crucible__ring_create(bag, CRUCIBLE_FIRST_BYTES);
    if (!fresh) return false;
    if (cas_acq_rel(&bag->first, &first, fresh)) {
      first = fresh;
    } else {
      crucible__ring_free(bag, fresh);
    }
  }
  struct segment *expected = &crucible__no_ring.segment;
  cas_acq_rel(&bag->head, &expected, first);  // before the tail: a test whether it is empty finds a push
  expected = &crucible__no_ring.segment;
  cas_acq_rel(&bag->tail, &expected, first);  // partner: the loads of the tail
  return true;
}

bool crucible__first_is_given_back(const struct bag *bag, struct segment *first) {
  uint64_t begin = load_acquire(&first->tail) & ~CLOSED;
  for (uint64_t p = begin; p < begin + first->capacity; p++) {
    if (load_acquire(turn_of(slot_at(bag, first, p))) != TURN(p, FREE)) return false;
  }
  return true;
}

struct segment *crucible__first_again(struct bag *bag, uint64_t serial) {
  struct segment *first = load_relaxed(&bag->first);
  uint32_t idle = IDLE;
  if (load_relaxed(&first->use) != IDLE || !cas_acquire(&first->use, &idle, IN_LIST)) return NULL;  // partner: rested
  if (!crucible__first_is_given_back(bag, first)) {
    store_release(&first->use, IDLE);
    return NULL;
  }
  // A lap is skipped, so that a pop which has read the hint at the end of the last life finds nothing there in this
  // one.
  uint64_t begin = (load_relaxed(&first->tail) & ~CLOSED) + first->capacity;
  for (uint64_t p = begin; p < begin + first->capacity; p++) {
    store_relaxed(turn_of(slot_at(bag, first, p)), TURN(p, FREE));
  }
  store_relaxed(&first->serial, serial);
  store_relaxed(&first->begin, begin);
  store_relaxed(&first->head, begin);
  store_relaxed(&first->next, NULL);
  return first;
}

void crucible__first_unused(struct segment *first) {
  store_relaxed(&first->tail, load_relaxed(&first->begin) | CLOSED);  // its slots are free for this lap now
  store_release(&first->use, IDLE);                                   // partner: the acquire in crucible__first_again
}

void crucible__first_open(struct segment *first) {
  uint64_t begin = load_relaxed(&first->begin);
  uint64_t closed = (begin - first->capacity) | CLOSED;
  cas_acq_rel(&first->tail, &closed, begin);  // BAG-7
}

/// Makes the first ring usable again after a grace period, or frees it.
static void rested(struct retired *retired) {
  struct segment *first = (struct segment *)(void *)retired;
  uint32_t resting = RESTING;
  if (!cas_acq_rel(&first->use, &resting, IDLE)) crucible__free(first, retired->size);  // partner: crucible__first_free
}

void crucible__first_left(const struct bag *bag, struct segment *first) {
  store_relaxed(&first->use, RESTING);  // ordered by the grace period
  crucible__retire((struct retired *)(void *)first, crucible__ring_size(bag, first->capacity), rested);
}

void crucible__first_free(const struct bag *bag, struct segment *first) {
  if (exchange_acq_rel(&first->use, ORPHANED) != RESTING) crucible__ring_free(bag, first);  // partner: rested
}
