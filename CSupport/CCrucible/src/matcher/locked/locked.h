// What the matchers `locked` and `arrival` keep of a component, and the functions of their plugs that locked_control.c
// implements.

#ifndef CRUCIBLE_LOCKED_H
#define CRUCIBLE_LOCKED_H

#include "base/lock.h"
#include "matcher/locked/shelf.h"
#include "matcher/matcher.h"

struct locked {
  struct lock lock;
  bool paused, stopped;
  bool unsettled;           ///< some reaction may be enabled, and a thread is going to settle
  bool is_ordered;          ///< an order chooses, and molecules without a value have nodes for it
  uint64_t arrivals;        ///< the number of the next arrival
  uint64_t now;             ///< the time of the injection in progress, read without the lock
  uint64_t presence;
  struct shelf shelves[];  ///< behind them lie the matches of each reaction, the lists of reactions and the first nodes
};

static inline struct locked *crucible__acquire(const struct component *component) {
  struct locked *locked = component->own;
  lock_acquire(&locked->lock);
  return locked;
}

/// Adds molecules to the count of their name. Requires: the lock.
static inline void crucible__count_more(struct locked *locked, struct shelf *shelf, uint64_t times) {
  shelf->count += times;
  locked->presence |= shelf->bit;
}

bool crucible__locked_create(struct component *component);
void crucible__locked_destroy(struct component *component);
bool crucible__locked_holds(struct crucible_name *name, const struct place *place);
void crucible__locked_counts(struct component *component, uint64_t *counts);
void crucible__locked_control(struct component *component, bool paused, bool stopped);
void crucible__locked_pause_name(struct crucible_name *name);
void crucible__locked_set_fact(struct reaction *reaction, uint32_t input, bool known);
uint64_t crucible__locked_drop(struct component *component, const struct crucible_name *only, crucible_reason reason);
void crucible__locked_inherit(struct component *component);
uint64_t crucible__locked_expire(struct crucible_name *name, uint64_t now, uint64_t *dropped);

// order.c
/// Whether `one` fires before `other`, which was declared earlier. `shelves`: by bit. Requires: both are enabled.
bool crucible__fires_before(const struct shelf *shelves, const struct reaction *one, const struct reaction *other);

#endif
