// Calls that bodies put back: they wait again, in their places, until another molecule of the component is added.

#ifndef CRUCIBLE_WAITLIST_H
#define CRUCIBLE_WAITLIST_H

#include "matcher/matcher.h"

/// Makes a waiting list for the component, if calls of some name may be put back. Requires: the component has its
/// matcher, and all bodies are known. False: no memory.
bool crucible__waitlist_begin(struct component *component);
/// Puts the call of this waiter back, for the body with these inputs, whose firing has taken the call. Moves from
/// `value`. Returns the name of the call. Null: the firing has no such call.
struct crucible_name *crucible__waitlist_put_back(const struct component *component, void *const *inputs,
                                                  const crucible_waiter *waiter, void *value);
/// Notes that the call that a firing took for its input belongs to this waiter.
void crucible__waitlist_know(const struct reaction *reaction, void *const *inputs, void *value);
/// Finds the waiter of a call by the call's value. Null: no caller waits for it any more.
extern const crucible_waiter *(*crucible__waiter_of)(crucible_name *name, const void *value);

#endif
