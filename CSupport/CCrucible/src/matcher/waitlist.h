// Calls that bodies put back: they wait again, in their places, until another molecule of the component comes.

#ifndef CRUCIBLE_WAITLIST_H
#define CRUCIBLE_WAITLIST_H

#include "matcher/matcher.h"

/// Gives a component a waiting list, if some name of it may be put back. Requires: it has its matcher, and all bodies
/// are known. False: no memory.
bool crucible__waitlist_begin(struct component *component);
/// The body that has these inputs puts the call of this waiter back, which its firing has taken; moves from `value`.
/// Answers its name; null: it has not.
struct crucible_name *crucible__waitlist_put_back(const struct component *component, void *const *inputs,
                                                  const crucible_waiter *waiter, void *value);
/// The call that a firing took for its input is known from now on as one of this waiter.
void crucible__waitlist_know(const struct reaction *reaction, void *const *inputs, void *value);
/// The waiter of a call, by the call's value. Null: no caller waits for it, or not any more.
extern const crucible_waiter *(*crucible__waiter_of)(crucible_name *name, const void *value);

#endif
