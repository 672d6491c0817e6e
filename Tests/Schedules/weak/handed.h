// Order that does not come from the core's own atomics. See handed.c.

#ifndef SCHEDULES_HANDED_H
#define SCHEDULES_HANDED_H

void handed_reset(void);

#endif
