// Every schedule with a bounded number of preemptions: see bounded.c.

#ifndef SCHEDULES_BOUNDED_H
#define SCHEDULES_BOUNDED_H

#include <stdbool.h>
#include <stdint.h>

/// Makes the next run the first of all runs with at most this many preemptions.
void bounded_search(unsigned preemptions);
/// Prepares the next run, after a run. Returns false when all schedules have been run.
bool bounded_advance(void);
/// Makes the next run the one that a report named this way. Returns false if no report has this form.
bool bounded_replay(const char *decisions);

#endif
