// Every schedule with a bounded number of preemptions: see bounded.c.

#ifndef SCHEDULES_BOUNDED_H
#define SCHEDULES_BOUNDED_H

#include <stdbool.h>
#include <stdint.h>

/// The next run is the first of all with at most so many preemptions.
void bounded_search(unsigned preemptions);
/// After a run: prepares the next one. False: there is none, all schedules have been run.
bool bounded_advance(void);
/// The next run is the one that a report named so. False: no report says this.
bool bounded_replay(const char *decisions);

#endif
