// One site of the core that lacks one of its guarantees: see lacking.c.

#ifndef SCHEDULES_LACKING_H
#define SCHEDULES_LACKING_H

/// The order that this thread's next access has, which asks for `order`.
int lacking_order(int order);
/// At the end of a run: which sites it reached.
void lacking_tell(void);

#endif
