// Alarms in the child of a fork: see alarms.c.

#ifndef CRUCIBLE_ALARMS_H
#define CRUCIBLE_ALARMS_H

/// Resets the alarms in the child of a fork: no alarm is set, and there is no thread.
void crucible__alarms_after_fork(void);

#endif
