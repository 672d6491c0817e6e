// Any touch of freed memory is found at once, and in every replay: a run reuses nothing that it has freed.

#ifndef SCHEDULES_MEMORY_H
#define SCHEDULES_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

void memory_begin(void);
/// Ends the run's quarantine. Fails if a thread wrote to freed memory.
void memory_end(void);
/// Refuses this thread memory of exactly `size` bytes from now on; 0 ends this.
void memory_refuse(size_t size);
bool memory_is_freed(const volatile void *address);

#endif
