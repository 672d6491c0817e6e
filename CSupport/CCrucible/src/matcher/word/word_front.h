// Front bits: a small molecule that waits alone lies in its bag's cell, and a bit of the state word says so.
//
// Without the bit a push takes the cell by a CAS and then counts, and a pop takes the cell by another CAS after its
// reservation. With the bit both are part of what changes the word anyway: the addition that counts the molecule sets
// the bit, and the CAS that selects a reaction clears the bits of its names. So a molecule that one thread stores and
// consumes costs one read-modify-write besides the CAS that fires.
//
//   cell  EMPTY ──CAS──→ kept by T ──payload written──→ filled by T ──payload read──→ kept by T, or EMPTY
//         EMPTY, or kept by T ──hint, by CAS──→ OFF ──hint, by CAS──→ EMPTY
//   bit   0 ──T counts──→ 1 ──CAS on the word──→ 0
//
// The cell holds the number of the thread that keeps it (`keeper` in its record), plus CELL_FULL after that thread has
// filled it.
//
// Invariants
//   FRONT-1  One thread at a time may access the payload. The thread that keeps the cell fills it, and then sets the
//       bit. From then on the payload belongs to the thread that clears the bit. That thread passes the cell on after
//       it has read the payload. If it had filled the cell itself, it keeps the cell. Otherwise the cell becomes EMPTY,
//       and the next thread keeps it by a CAS. So no two additions set the same bit.
//   FRONT-2  A pop always finds a molecule. Each thread that has reserved one of the name either clears the bit, or
//       finds it 0 in the word that its reservation replaced, or in a later one. In the second case the thread is bound
//       to the rings. With a bit that is set before its count as one in hand,
//         rings(n) + front(n) ≥ field(n) + overflow(n) + in hand(n) + reserved(n), and reserved(n) ≥ bound(n).
//       While the bit is 0, rings ≥ bound follows. While the bit is 1, the count that came with it is in the field, in
//       the overflow, in a thread's hand, or reserved by a thread that is not bound yet: a reservation that clears the
//       bit takes a count with it. So the right side exceeds `bound` by one at least, and rings ≥ bound follows again.
//       The bits that fill the field of a paused name are no count.
//   FRONT-3  Oldest first. A thread fills the cell only after it has found the rings empty, and a pop takes the cell
//       first. A molecule that was published in a ring in between was injected at the same time.
//   FRONT-4  A molecule that completes a reaction without being stored overtakes none that was counted before its
//       thread read the word: the bit was 0 in the word, and after that the rings were empty.
//
// Contention. Threads that push at the same time would use the cell and a ring in turn, and wait for the lines of both.
// So a thread turns the cell OFF if it finds it EMPTY or its own although a molecule lies in a ring (BAG-11). A pusher
// leaves a cell alone that another thread keeps. It uses a ring, which costs only time. That lasts until the keeper
// uses the name again. If the keeper's thread has ended, it lasts until a thread with the same index does.
//
// Which names have a bit: word_fields.c. A call has none, because it may be withdrawn from the middle (BAG-10). Where
// fields are narrow, or the component is wide, no name has one. There the cell itself says whether it is full
// (bag/bag.h).
//
// Progress: a push and a pop are wait-free, with two exceptions: the rings, and the CAS of a pop that is not part of
// its reservation. That CAS fails only when another thread has changed the word.

#ifndef CRUCIBLE_WORD_FRONT_H
#define CRUCIBLE_WORD_FRONT_H

#include "matcher/matcher.h"

_Static_assert(FIRST_KEEPER > CELL_NONE && FIRST_KEEPER % 2 == 0, "a cell that is kept looks like no other");
_Static_assert(FIRST_KEEPER * ((uint64_t)CRUCIBLE_THREAD_INDICES + 1) <= UINT32_MAX, "every thread has a number");

/// The name's front bit, or 0 if it has none.
static inline uint64_t crucible__word_front(const struct crucible_name *name) {
  return crucible__is_bagged(name) ? name->front : 0;
}

/// Puts a molecule into the cell. False: the molecule must go into a ring.
static INLINE bool crucible__front_put(struct bag *bag, uint32_t keeper, uint32_t size, const void *value) {
  uint32_t cell = load_relaxed(&bag->cell);
  if (LIKELY(cell == keeper)) {
    if (UNLIKELY(!crucible__bag_first_is_empty(bag))) {
      crucible__cell_off(bag, keeper);
      return false;
    }
  } else if (cell != CELL_EMPTY || !crucible__cell_keep(bag, keeper)) {
    return false;
  }
  move_payload(bag->room, value, size);
  store_relaxed(&bag->cell, keeper + CELL_FULL);  // the addition to the word releases it
  return true;
}

/// Takes the molecule in the cell, after this thread has cleared the front bit.
static INLINE void crucible__front_take(struct bag *bag, uint32_t keeper, uint32_t size, void *result) {
  move_payload(result, bag->room, size);
  bool keeps = load_relaxed(&bag->cell) == keeper + CELL_FULL;
  store_release(&bag->cell, keeps ? keeper : CELL_EMPTY);  // partner: the CAS in crucible__cell_keep
}

/// Clears front bits after a reservation that has left them. Returns those that were 1. The molecules of the others lie
/// in rings.
static inline uint64_t crucible__front_clear(struct component *component, uint64_t fronts) {
  // not older than the reservation, because it is the same variable
  uint64_t word = load_relaxed(&component->word.state);
  while (word & fronts) {
    // partner: the addition that set the bit
    if (cas_acquire(&component->word.state, &word, word & ~fronts)) break;
  }
  return word & fronts;
}

/// Publishes a molecule. Returns the number to add to the word: 1 in the field, and the front bit if the molecule is in
/// the cell. 0: no memory.
static INLINE uint64_t crucible__front_push(const struct thread *self, struct crucible_name *name, struct shape shape,
                                            const void *value) {
  struct bag *bag = &name->bag;
  if (LIKELY(crucible__front_put(bag, self->keeper, shape.size, value))) {
    uint64_t added = name->word.unit + name->front;
    __builtin_assume(added != 0);
    return added;
  }
  if (UNLIKELY(!crucible__bag_push_first(bag, shape, value)) && !crucible__bag_push_generic(bag, value)) return 0;
  return name->word.unit;
}

/// Publishes a molecule in its bag. `place`, if not null, is set to its place. Returns the number to add to the word.
/// 0: no memory.
static INLINE uint64_t crucible__word_publish(const struct thread *self, struct crucible_name *name, void *value,
                                              uint64_t attempts, struct place *place) {
  if (place) return crucible__bag_push_placed_mpmc(&name->bag, value, attempts, place) ? name->word.unit : 0;
  if (!name->has_payload) return name->word.unit;
  if (name->front) return crucible__front_push(self, name, shape_of(&name->bag), value);
  return LIKELY(crucible__bag_push_mpmc(&name->bag, value)) ? name->word.unit : 0;
}

/// Whether the bag holds no waiting molecule that was counted in `word` or before it (FRONT-4).
static inline bool crucible__front_is_empty(struct crucible_name *name, uint64_t word) {
  return LIKELY(!(word & name->front)) && crucible__rings_are_empty(&name->bag);
}

#endif
