// Bytes of the heap in use, as the C library's allocator counts them.

#include <malloc.h>

#include "CCases.h"
#include "CCrucible.h"

uint64_t cases_heap_bytes(void) {
  crucible_reclaim();
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}
