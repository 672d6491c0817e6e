// The bodies that continue after their thread has left them, listed by the tasks of the binding that run them.

#ifndef CRUCIBLE_BODIES_H
#define CRUCIBLE_BODIES_H

#include "firing/firing.h"

/// Lists the firing by the task that runs its body from now on. Requires: the task runs no other body.
void crucible__enlist_body(crucible_firing *firing, const void *task);
/// Removes a firing whose body has ended. Requires: the firing is listed.
void crucible__delist_body(crucible_firing *firing);
/// Clears all lists in the child of a fork, which has no such bodies.
void crucible__bodies_after_fork(void);

#endif
