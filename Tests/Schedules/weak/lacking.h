// One site of the core that lacks one of its guarantees. See lacking.c.

#ifndef SCHEDULES_LACKING_H
#define SCHEDULES_LACKING_H

/// Returns the order that this thread's next access has when it asks for `order`.
int lacking_order(int order);
/// Records which sites a run reached, at its end.
void lacking_tell(void);

#endif
