#include "harness_allocations.h"

#include <errno.h>
#include <stddef.h>

// The C library's allocator, by its own names. They need no look-up, so they also serve the first calls of the process.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static bool counting;
static uint64_t counted;

static inline void note(void) {
  if (__builtin_expect(__atomic_load_n(&counting, __ATOMIC_RELAXED), 0)) {
    __atomic_fetch_add(&counted, 1, __ATOMIC_RELAXED);
  }
}

void harness_count_allocations(bool on) { __atomic_store_n(&counting, on, __ATOMIC_RELAXED); }
uint64_t harness_allocations(void) { return __atomic_load_n(&counted, __ATOMIC_RELAXED); }

void *malloc(size_t size) {
  note();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  note();
  return __libc_calloc(count, size);
}

void *realloc(void *memory, size_t size) {
  note();
  return __libc_realloc(memory, size);
}

void *memalign(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  note();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  note();
  if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void *memory = __libc_memalign(alignment, size);
  if (!memory) return ENOMEM;
  *result = memory;
  return 0;
}
