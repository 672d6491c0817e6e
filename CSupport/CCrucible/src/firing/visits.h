// Visits: bodies of the pool on the threads of callers that wait for them. See visits.c.

#ifndef CRUCIBLE_VISITS_H
#define CRUCIBLE_VISITS_H

#include "base/thread.h"
#include "firing/bounds.h"
#include "firing/origin.h"
#include "types.h"

/// Stands in for the body of a reaction that may visit. Times it until it is decided whether the reaction visits.
void crucible__timed_body(void *context, void *const *inputs);
/// Times a body that a place outside the core runs, until the same is decided.
void crucible__time_firing(struct thread *self, crucible_firing *firing);
void crucible__judge_firing(struct thread *self, crucible_firing *firing);
/// Ends the visits of a reaction, for good. The caller keeps its soup.
void crucible__end_visits(struct reaction *reaction);
/// Sets how the binding makes calls of a name, if a reaction that consumes it visits. For a name that is not special.
void crucible__note_visits(struct crucible_name *name);

/// Whether bodies may visit the calling thread now, as far as its other duties are concerned.
bool crucible__allows_visits(const struct thread *self);
/// Whether a body may visit this thread, which is about to wait for it.
static inline bool crucible__may_visit(struct thread *self, const struct reaction *reaction) {
  return load_relaxed(&reaction->probation.visits) && crucible__thread_has_room(self) && crucible__allows_visits(self);
}

/// The body of the reaction, or the function of the origins that runs it.
static inline crucible_body crucible__own_body(const struct reaction *reaction) {
  return reaction->in_context ? crucible__run_in_context : reaction->rule->body;
}
/// Sets the body that the core calls at first. Only a reaction that consumes calls can visit.
static inline void crucible__set_body(struct reaction *reaction) {
  const struct rule *rule = reaction->rule;
  reaction->body = crucible__own_body(reaction);
  for (uint32_t i = 0; rule->placement == CRUCIBLE_POOL_OR_CALLER && i < rule->width; i++) {
    const struct crucible_name *name = reaction->soup->names[rule->inputs[i].name];
    if (crucible__has_callers(name)) reaction->body = crucible__timed_body;
  }
  for (uint32_t i = 0; i < rule->width; i++) {
    if (crucible__bound_of(reaction->soup->names[rule->inputs[i].name])) reaction->body = crucible__bounded_body;
  }
}

#endif
