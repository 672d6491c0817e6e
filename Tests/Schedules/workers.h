// The core's pool under the scheduler.

#ifndef SCHEDULES_WORKERS_H
#define SCHEDULES_WORKERS_H

/// An empty pool of `count` workers; between runs.
void workers_reset(unsigned count);

#endif
