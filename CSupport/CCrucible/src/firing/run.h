// Running a reserved firing: its body, and what the states that it gives back enable. States come back in a loop, not
// by recursion.

#ifndef CRUCIBLE_RUN_H
#define CRUCIBLE_RUN_H

#include "firing/firing.h"
#include "matcher/matcher.h"

/// Returns the inputs that the body of a reaction gets. The firing was taken to `firing`.
static inline void **crucible__inputs(const struct reaction *reaction, const struct firing *firing) {
  return reaction->has_stored ? firing->inputs : reaction->fixed;
}

/// Runs a firing that was taken, between crucible__begin and crucible__end, and what comes of it.
static inline void crucible__run_in(struct thread *self, struct reserved next, struct firing *firing) {
  const struct matcher *matcher = next.reaction->component->matcher;
  for (;;) {
    struct reaction *reaction = next.reaction;
    crucible__call(reaction, crucible__inputs(reaction, firing));
    if (UNLIKELY(next.more > 0)) {
      next.more--;
      if (reaction->has_stored) matcher->take(reaction, firing);
      continue;
    }
    if (reaction->state_count == 0) break;
    next = matcher->give_back(self, reaction, firing);
    if (!next.reaction) break;
    crucible__begin_next(self, next.reaction);
  }
}

/// Runs a firing that was taken to `firing`, and what comes of it.
static inline void crucible__run_taken(struct thread *self, struct reaction *reaction, struct firing *firing) {
  const struct reaction *outer = crucible__begin(self, reaction);
  crucible__run_in(self, (struct reserved){.reaction = reaction}, firing);
  crucible__end(self, outer);
}

#endif
