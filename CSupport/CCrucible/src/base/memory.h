// Counted memory, so that tests can see that none is leaked.

#ifndef CRUCIBLE_MEMORY_H
#define CRUCIBLE_MEMORY_H

#include <stddef.h>

/// Allocates memory aligned to at least a line. Null: no memory. The caller must remember `size` for the free.
void *crucible__allocate(size_t size, size_t alignment);
void crucible__free(void *memory, size_t size);
/// Leaves allocated memory out of the count, because it stays until the process ends.
void crucible__keep(const void *memory, size_t size);

#endif
