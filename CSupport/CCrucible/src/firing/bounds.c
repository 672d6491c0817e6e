// The capacity of names.
//
// A bounded name has a count beside what its matcher counts, so every matcher serves it, and other names pay nothing.
//
//   BOUND-1  count ≥ the molecules of the name that wait, or are reserved by a firing whose body has not begun. A
//       molecule is counted before it is injected, and counted off when it is not seen any more: when its body begins,
//       when a control call or a limit of its key has dropped it, when it has expired, or when its injection was
//       refused. So there are never more than `capacity`, except for molecules that a failed body or a select puts
//       back.
//   BOUND-2  With `room` the molecules of that name are what is left of the capacity. One is injected for each molecule
//       that ends, unless one that was put back has ended. A stop refuses them, so a restart injects what is missing.
//       They are injected before the body, which may last. So no inline reaction may consume `room`: what it injects
//       would begin before this body.
//
// Progress: lock-free.

#include "firing/bounds.h"

#include "base/above.h"
#include "firing/firing.h"
#include "firing/visits.h"

bool crucible__acquire_bound(struct bound *bound, uint64_t more) {
  uint64_t count = load_relaxed(&bound->count);
  do {
    if (more > bound->options.capacity || count > bound->options.capacity - more) return false;
    // partner: the subtraction in crucible__release_bound, so that what it counts off has left the matcher
  } while (!cas_acq_rel(&bound->count, &count, count + more));
  return true;
}

uint64_t crucible__forget_put_back(struct bound *bound, uint64_t most) {
  uint64_t count = load_relaxed(&bound->count), taken;
  do {
    taken = count < most ? count : most;
    if (taken == 0) break;
  } while (!cas_relaxed(&bound->count, &count, count - taken));
  return most - taken;
}

void crucible__release_bound(struct bound *bound, uint64_t count) {
  struct crucible_name *room = bound->options.room;
  if (!room) {
    fetch_sub_acq_rel(&bound->count, count);
    return;
  }
  for (count = crucible__forget_put_back(bound, count); count > 0; count--) crucible__above.feed(room, NULL);
}

void crucible__release_bounds(const struct reaction *reaction) {
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    struct bound *bound = crucible__bound_of(crucible__input(reaction, i));
    if (bound) crucible__release_bound(bound, 1);
  }
}

void crucible__bounded_body(void *context, void *const *inputs) {
  const struct reaction *reaction = crucible__running(crucible__self);
  crucible__release_bounds(reaction);
  crucible__own_body(reaction)(context, inputs);
}
