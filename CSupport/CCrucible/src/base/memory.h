// Memory that is counted, so that tests can see that none is left.

#ifndef CRUCIBLE_MEMORY_H
#define CRUCIBLE_MEMORY_H

#include <stddef.h>

/// Memory aligned to at least 64 bytes; null when there is none. `size` is remembered by the caller.
void *crucible__allocate(size_t size, size_t alignment);
void crucible__free(void *memory, size_t size);
/// Allocates memory that stays until the process ends, and is not counted.
void *crucible__allocate_kept(size_t size);
/// Frees such memory, if it was not needed after all.
void crucible__free_kept(void *memory);

#endif
