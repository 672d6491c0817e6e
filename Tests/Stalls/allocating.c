// The core's allocations, marked, because a thread that allocates may have the allocator's lock.

#include "stalls.h"

#include <stddef.h>

_Thread_local volatile bool stalls_allocating;

void *__real_crucible__allocate(size_t size, size_t alignment);
void *__wrap_crucible__allocate(size_t size, size_t alignment) {
  stalls_allocating = true;
  void *memory = __real_crucible__allocate(size, alignment);
  stalls_allocating = false;
  return memory;
}

void __real_crucible__free(void *memory, size_t size);
void __wrap_crucible__free(void *memory, size_t size) {
  stalls_allocating = true;
  __real_crucible__free(memory, size);
  stalls_allocating = false;
}
