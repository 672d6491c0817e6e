// Bytes of the heap in use, from the counts of the C library's allocator.

#include <malloc.h>

#include "CCases.h"
#include "CCrucible.h"

uint64_t cases_heap_bytes(void) {
  crucible_reclaim();
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}
