// See memory.h.

#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>

#include "CCrucible.h"
#include "base/atomics.h"

static _Atomic uint64_t live_bytes;

uint64_t crucible_live_bytes(void) { return load_relaxed(&live_bytes); }

/// The alignment that the C library gives every block. It keeps only freed blocks of this alignment for the next
/// caller.
enum { PLAIN = 16 };

void *crucible__allocate(size_t size, size_t alignment) {
  if (alignment < CRUCIBLE_LINE) alignment = CRUCIBLE_LINE;
  char *block = aligned_alloc(PLAIN, (size + alignment + PLAIN - 1) / PLAIN * PLAIN);
  if (!block) return NULL;
  fetch_add_relaxed(&live_bytes, size);
  char *memory = block + (alignment - ((uintptr_t)block & (alignment - 1)));  // at least PLAIN bytes further
  ((void **)(void *)memory)[-1] = block;
  return memory;
}

void crucible__keep(const void *memory, size_t size) {
  (void)memory;
  fetch_sub_relaxed(&live_bytes, size);
}

void crucible__free(void *memory, size_t size) {
  if (!memory) return;
  fetch_sub_relaxed(&live_bytes, size);
  free(((void **)memory)[-1]);
}
