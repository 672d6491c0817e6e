// Running a reserved firing: its body, and the firings that its returned states enable. They run in a loop, and not by
// recursion.

#ifndef CRUCIBLE_RUN_H
#define CRUCIBLE_RUN_H

#include "firing/firing.h"
#include "matcher/matcher.h"

/// Returns the inputs for the body of a reaction. Requires: the molecules were taken to `firing`.
static inline void *const *crucible__inputs(const struct reaction *reaction, const struct firing *firing) {
  return reaction->rule->has_stored ? firing->inputs : reaction->at;
}

/// Runs a firing whose molecules were taken, and the firings that follow from it. Requires: called between
/// crucible__begin and crucible__end.
static inline void crucible__run_in(struct thread *self, struct reserved next, struct firing *firing) {
  const struct matcher *matcher = next.reaction->component->matcher;
  for (;;) {
    struct reaction *reaction = next.reaction;
    crucible__call(reaction, crucible__inputs(reaction, firing));
    if (UNLIKELY(next.more > 0)) {
      next.more--;
      if (reaction->rule->has_stored) matcher->take(reaction, firing);
      continue;
    }
    if (reaction->rule->state_count == 0) break;
    next = matcher->give_back(self, reaction, firing);
    if (!next.reaction) break;
    crucible__begin_next(self, next.reaction);
  }
}

/// Runs a firing whose molecules were taken to `firing`, and the firings that follow from it.
static inline void crucible__run_taken(struct thread *self, struct reaction *reaction, struct firing *firing) {
  crucible__begin(self, reaction);
  crucible__run_in(self, (struct reserved){.reaction = reaction}, firing);
  crucible__end(self);
}

#endif
