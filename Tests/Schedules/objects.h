// Objects that threads touch: see objects.c.

#ifndef SCHEDULES_OBJECTS_H
#define SCHEDULES_OBJECTS_H

#include <stdbool.h>
#include <stddef.h>

/// Before each run: allocations are counted anew.
void objects_begin(void);
/// Memory has been allocated by the calling thread.
void objects_made(const void *memory, size_t size);
/// It is freed, and may be allocated again.
void objects_freed(const void *memory);
/// Notes an access. Whether the object is known to be shared.
bool objects_touch(unsigned actor, const volatile void *address, const char *operation);
/// Takes over which objects have turned out to be shared since the last call. Returns false if none has.
bool objects_learned(void);

#endif
