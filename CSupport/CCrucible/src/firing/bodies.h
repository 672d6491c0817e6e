// The bodies that go on after their thread has left them, by the tasks of the binding that run them.

#ifndef CRUCIBLE_BODIES_H
#define CRUCIBLE_BODIES_H

#include "firing/firing.h"

/// The task runs the firing's body from now on, and no other one.
void crucible__enlist_body(crucible_firing *firing, const void *task);
/// The body has ended. The firing was enlisted.
void crucible__delist_body(crucible_firing *firing);
/// In the child of a fork: there are none.
void crucible__bodies_after_fork(void);

#endif
