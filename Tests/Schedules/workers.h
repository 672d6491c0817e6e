// The core's pool under the scheduler.

#ifndef SCHEDULES_WORKERS_H
#define SCHEDULES_WORKERS_H

/// Makes an empty pool of `count` workers, between runs.
void workers_reset(unsigned count);

#endif
