// Linux's futex and clock under the scheduler.

#ifndef SCHEDULES_FUTEX_H
#define SCHEDULES_FUTEX_H

/// Resets the time, between runs.
void futex_reset(void);

#endif
