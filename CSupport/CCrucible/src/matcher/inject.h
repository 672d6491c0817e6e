// What is around every call of a matcher: the thread's record, entering, running or submitting what was reserved, draining the
// thread's slot, leaving, and refusing.

#ifndef CRUCIBLE_MATCHER_INJECT_H
#define CRUCIBLE_MATCHER_INJECT_H

#include "matcher/matcher.h"

/// The function that injects this name, of its component's matcher or of this file.
inject_function crucible__inject_for(const struct crucible_name *name);
/// Injects one molecule, and notes the place of one that has to wait. False: refused.
bool crucible__inject_placed(struct crucible_name *name, void *value, uint64_t attempts, struct place *place);
/// Injects the molecules that are of this component, in one step. False: refused, and as in struct matcher.
bool crucible__inject_component(struct component *component, crucible_molecule *molecules, size_t count);
/// Fires what is enabled, after the component was paused or stopped.
void crucible__settle(struct thread *self, struct component *component);

#endif
