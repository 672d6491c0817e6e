// Objects that threads touch: see objects.c.

#ifndef SCHEDULES_OBJECTS_H
#define SCHEDULES_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

/// Counts allocations anew, before each run.
void objects_begin(void);
/// Notes that the calling thread has allocated memory.
void objects_made(const void *memory, size_t size);
/// Notes that the memory is freed, and may be allocated again.
void objects_freed(const void *memory);
/// Notes an access. Returns whether the object is known to be shared.
bool objects_touch(unsigned actor, const volatile void *address, const char *operation);
/// Records which objects have turned out to be shared since the last call. Returns false if none has.
bool objects_learned(void);

#endif
