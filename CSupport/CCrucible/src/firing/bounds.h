// The capacity of a name: the most molecules that wait or are about to react. See bounds.c.

#ifndef CRUCIBLE_BOUNDS_H
#define CRUCIBLE_BOUNDS_H

#include "types.h"

struct bound {
  crucible_bound_options options;
  /// without `room`: the molecules; with it: those that were put back, and have taken no room
  _Atomic uint64_t count;
};

/// Returns the bound of a name, as it is stored or as the binding knows it. Null: it has none.
static inline struct bound *crucible__bound_of(const struct crucible_name *name) {
  return crucible__shown(name)->species->bound;
}
/// Whether the oldest molecule makes room. `bound` may be null.
static inline bool crucible__drops_oldest(const struct bound *bound) {
  return bound && bound->options.when_full == CRUCIBLE_DROP_OLDEST;
}
/// Counts molecules that are about to be injected in one step. False: the name has no room for all of them.
bool crucible__acquire_bound(struct bound *bound, uint64_t more);
/// With `room`: takes up to `most` off the count of molecules that were put back. Returns the rest of `most`.
uint64_t crucible__forget_put_back(struct bound *bound, uint64_t most);
/// Counts molecules that have ended, or were not injected.
void crucible__release_bound(struct bound *bound, uint64_t count);
/// Counts the molecules of a firing whose body begins.
void crucible__release_bounds(const struct reaction *reaction);
/// Counts them, and runs the body. It is the body, as the core calls it, of each reaction that consumes such a name.
void crucible__bounded_body(void *context, void *const *inputs);

#endif
