// See memory.h.

#include "base/memory.h"

#include <stdlib.h>

#include "CCrucible.h"
#include "base/atomics.h"

static _Atomic uint64_t live_bytes;

uint64_t crucible_live_bytes(void) { return load_relaxed(&live_bytes); }

static size_t rounded(size_t size, size_t alignment) { return (size + alignment - 1) / alignment * alignment; }

void *crucible__allocate(size_t size, size_t alignment) {
  if (alignment < 64) alignment = 64;
  void *memory = aligned_alloc(alignment, rounded(size, alignment));
  if (memory) fetch_add_relaxed(&live_bytes, size);
  return memory;
}

void crucible__free(void *memory, size_t size) {
  if (!memory) return;
  fetch_sub_relaxed(&live_bytes, size);
  free(memory);
}
