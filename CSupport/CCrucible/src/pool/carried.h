// Firings that carry a molecule.
//
// When a small value completes a reaction of the pool, the value travels with the firing and is not stored. A worker
// with an empty slot keeps the value in its record, beside the slot. Every other thread puts the firing and the value
// into one entry of the pool's queue. The other molecules of the firing wait in their bags, like those of any reserved
// firing.
//
//   CARRY-1  A carried molecule is in no bag and in no count. For all other threads, the CAS that reserved its firing
//       has consumed it. It is carried only while no older one waits in its bag, so molecules are consumed in order.
//       Bodies on the pool begin in no particular order: a firing waits in the queue for its turn, and a later one in a
//       slot may begin first.
//   CARRY-2  The slot decides which thread may access the record. If the slot is empty, or has a firing that carries
//       nothing, its owner may write. CARRIED: no thread may write. LEAVING: the thief that has set this mark may read,
//       and empties the slot afterwards. Only the owner fills an empty slot. So no value is overwritten before it was
//       read, and no firing gets the value of another one.
//   CARRY-3  A firing leaves the thread that reserved it together with its molecule: as one entry of the queue, or into
//       the `taken` of its thief. So a body that blocks hides nothing: firings that it reserved before can be stolen or
//       handed over as usual.
//   CARRY-4  If the slot has a firing that carries a molecule, a further firing goes to the pool. So the firing in the
//       slot is never displaced.
//   CARRY-5  The firing that a worker has taken stays in its `taken` until the body ends. Only the worker's loop takes,
//       and it runs what it took before it takes again.
//
// Progress: a thief that stops while it reads blocks the slot of one worker, which then submits its firings to the
// pool.

#ifndef CRUCIBLE_CARRIED_H
#define CRUCIBLE_CARRIED_H

#include <string.h>

#include "types.h"  // the only header of the pool that needs it: a value is copied by its name's size

/// The lowest bits of a piece of work, in a slot or in the pool's queue.
enum mark {
  JOB = 1,                    ///< a job, and not a firing (firing/firing.c)
  CARRIED = 2,                ///< in the slot of a thread: its record has the molecule
  QUEUED = 4,                 ///< the entry of the queue has the molecule, or `taken` after a worker has taken it
  LEAVING = CARRIED | QUEUED, ///< in a slot: a thief reads the record
  MARKS = 7,
};

static inline uintptr_t crucible__mark(const struct reaction *work) { return (uintptr_t)work & MARKS; }
static inline struct reaction *crucible__with_mark(const void *work, uintptr_t mark) {
  return (struct reaction *)((uintptr_t)work | mark);
}
static inline struct reaction *crucible__without_mark(const struct reaction *work) {
  return (struct reaction *)((uintptr_t)work & ~(uintptr_t)MARKS);
}

/// Copies a value of the name into a record. Requires: it fits.
static inline void crucible__carry(struct task *task, struct crucible_name *name, const void *value) {
  task->name = name;
  if (LIKELY(name->bag.has_words)) {
    memcpy(task->value, value, sizeof *task->value);
  } else {
    memcpy(task->value, value, name->species->size);
  }
}

/// Whether a value of the name fits into a record.
static inline bool crucible__is_carried(const struct crucible_name *name) {
  const struct species *species = name->species;
  return species->size <= sizeof(((struct task *)NULL)->value) && species->alignment <= 16 &&
         !crucible__has_callers(name);
}

#endif
