// Freed memory that is touched is found at once, and in every replay: nothing that is freed during a run is reused in
// it.

#ifndef SCHEDULES_MEMORY_H
#define SCHEDULES_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void memory_begin(void);
/// Ends the run's quarantine: fails if something was written to freed memory.
void memory_end(void);
/// From now on this thread gets no memory of exactly `size` bytes; 0: it does again.
void memory_refuse(size_t size);
bool memory_is_freed(const volatile void *address);

#endif
