// Firings that carry a molecule.
//
// When a body on a worker injects a small value that completes a reaction of the pool, the value need not be stored: it
// waits beside the firing, in the record of the worker, and the firing takes it from there. The other molecules of the
// firing wait in their bags, as those of any reserved firing.
//
//   CARRY-1  A carried molecule is in no bag and in no count: to all others it is consumed from the CAS on that reserved
//       its firing. It is carried only where a firing on this very thread might have taken it unstored, so it overtakes
//       nothing (matcher/word/word_inject.c).
//   CARRY-2  The slot says whose the record is. Empty, or with a firing that carries nothing: its owner's, to write.
//       CARRIED: nobody writes. LEAVING: the thief's that has marked it, to read; the thief empties the slot
//       afterwards. Only the owner fills an empty slot. So no value is overwritten before it was read, and no firing
//       gets another one's value.
//   CARRY-3  A firing leaves the thread that reserved it together with its molecule, in a box of its own. So a body that
//       blocks hides nothing: what it reserved before can be stolen or handed over as ever.
//   CARRY-4  A firing that comes while the slot has one that carries goes to the pool. So the slot's is never displaced.
//
// Progress: a thief that stops while it reads keeps the slot of one worker, which then gives its firings to the pool.

#ifndef CRUCIBLE_CARRIED_H
#define CRUCIBLE_CARRIED_H

#include "types.h"

/// What the lowest bits of a piece of work say, in a slot or in the pool's queue.
enum mark {
  JOB = 1,                   ///< no firing (firing/firing.c)
  CARRIED = 2,               ///< of the slot of a thread: its record has the molecule
  BOXED = 4,                 ///< the address of a box, in which the firing and its molecule are
  LEAVING = CARRIED | BOXED, ///< a thief reads the record
  MARKS = 7,
};

static inline uintptr_t crucible__mark(const struct reaction *work) { return (uintptr_t)work & MARKS; }
static inline struct reaction *crucible__with_mark(const void *work, enum mark mark) {
  return (struct reaction *)((uintptr_t)work | mark);
}
static inline struct reaction *crucible__without_mark(const struct reaction *work) {
  return (struct reaction *)((uintptr_t)work & ~(uintptr_t)MARKS);
}

/// Whether a value of the name fits into a record.
static inline bool crucible__is_carried(const struct crucible_name *name) {
  return name->size <= sizeof(((struct carried *)NULL)->value) && name->alignment <= 16 && !crucible__has_callers(name);
}

/// Puts a firing and its molecule into a box. Aborts with a message when there is no memory.
struct reaction *crucible__box(const struct reaction *reaction, const struct carried *carried);
/// Takes both out, and frees the box.
struct reaction *crucible__unbox(struct reaction *box, struct carried *carried);

/// The firing of a piece of work that this thread runs, and the molecule that it carries. Copied first of all: what the
/// thread does next may fill its record again. Requires: it carries one.
static inline struct reaction *crucible__open(const struct thread *self, struct reaction *work,
                                              struct carried *carried) {
  if (LIKELY(crucible__mark(work) == CARRIED)) {
    *carried = self->carried;
    return crucible__without_mark(work);
  }
  return crucible__unbox(work, carried);
}

#endif
