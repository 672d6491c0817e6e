// Freed memory that is touched is found at once, and in every replay: nothing that is freed during a run is reused in it.

#ifndef SCHEDULES_MEMORY_H
#define SCHEDULES_MEMORY_H

#include <stdbool.h>

void memory_begin(void);
/// Ends the run's quarantine: fails if something was written to freed memory.
void memory_end(void);
bool memory_is_freed(const volatile void *address);

#endif
