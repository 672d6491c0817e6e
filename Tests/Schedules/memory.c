// Memory under the scheduler: grace periods of RCU, and a quarantine for what is freed.
//
// Grace periods: retired memory remembers the threads that are in a read section at that moment, and is freed when the
// last of them leaves it. The grace periods of liburcu are longer. So whatever is safe here is safe there, and an
// unsafe access is found without luck.
//
// The quarantine: what is freed during a run is filled with POISON and kept. An atomic access to it fails the run at
// that step. A plain write is found at the end, and a pointer read from it leads nowhere.

#include "memory.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "objects.h"
#include "base/grace.h"
#include "policy.h"
#include "scheduler.h"
#include "weak/weak.h"

enum { POISON = 0xA5, FRESH = 0x5A, MOST = 4096 };

void __real_free(void *memory);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *memory);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__real_crucible__allocate(size_t size, size_t alignment);
void *__wrap_crucible__allocate(size_t size, size_t alignment);

static bool active;
static struct block {
  unsigned char *begin;
  size_t size;
} blocks[MOST];
static unsigned block_count;
static size_t refused[ACTORS + 1];

void memory_begin(void) {
  active = true;
  memset(refused, 0, sizeof refused);
}

void memory_refuse(size_t size) { refused[scheduler_self()] = size; }

void memory_end(void) {
  active = false;
  for (unsigned i = 0; i < block_count; i++) {
    for (size_t k = 0; k < blocks[i].size; k++) {
      if (blocks[i].begin[k] != POISON) scheduler_fail("freed memory was written to, at byte %zu", k);
    }
    objects_freed(blocks[i].begin);
    __real_free(blocks[i].begin);
  }
  block_count = 0;
}

bool memory_is_freed(const volatile void *address) {
  uintptr_t at = (uintptr_t)address;
  for (unsigned i = 0; i < block_count; i++) {
    if (at - (uintptr_t)blocks[i].begin < blocks[i].size) return true;
  }
  return false;
}

void __wrap_free(void *memory) {
  if (!active || !memory) {
    objects_freed(memory);
    __real_free(memory);
    return;
  }
  if (memory_is_freed(memory)) scheduler_fail("memory is freed twice");
  if (block_count == MOST) scheduler_fail("more than %d blocks freed in one run", MOST);
  struct block block = {memory, malloc_usable_size(memory)};
  memset(block.begin, POISON, block.size);
  blocks[block_count++] = block;
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  // The core aligns within its blocks. Each block is aligned to more, so that a place has the same offset in every run.
  void *memory = __real_aligned_alloc(alignment < 4096 ? 4096 : alignment, size);
  if (!memory) return NULL;
  memset(memory, FRESH, size);
  objects_made(memory, size);
  return memory;
}

void *__wrap_crucible__allocate(size_t size, size_t alignment) {
  return size == refused[scheduler_self()] ? NULL : __real_crucible__allocate(size, alignment);
}

// ---------------------------------------------------------------------------------------------------------------------
// Grace periods
// ---------------------------------------------------------------------------------------------------------------------

static unsigned nesting[ACTORS + 1];
static unsigned reading;  ///< threads in a read section, by bit
static struct grace {
  struct retired *memory;
  unsigned waits_for;  ///< threads, by bit, whose read section must end first
} graces[MOST];
static unsigned grace_count;

static bool free_what_nobody_reads(void *unused) {
  unsigned kept = 0;
  for (unsigned i = 0; i < grace_count; i++) {
    struct retired *memory = graces[i].memory;
    if (graces[i].waits_for) {
      graces[kept++] = graces[i];
    } else {
      crucible__reclaim(memory);
    }
  }
  grace_count = kept;
  return true;
}

void urcu_bp_read_lock(void) {
  unsigned self = scheduler_self();
  if (nesting[self] == 0) scheduler_note("read section");  // memory that is retired from now on waits for this thread
  if (nesting[self]++ == 0) reading |= 1u << self;
}

void urcu_bp_read_unlock(void) {
  unsigned self = scheduler_self();
  if (--nesting[self] > 0) return;
  reading &= ~(1u << self);
  if (grace_count == 0) return;
  for (unsigned i = 0; i < grace_count; i++) graces[i].waits_for &= ~(1u << self);
  scheduler_aside(free_what_nobody_reads, NULL);
}

/// Replaces base/grace.c, whose thread no case needs.
void __wrap_crucible__grace_begin(void);
void __wrap_crucible__grace_then_reclaim(struct retired *memory);
void __wrap_crucible__grace_wait(void);

void __wrap_crucible__grace_begin(void) {}

void __wrap_crucible__grace_then_reclaim(struct retired *memory) {
  if (weak_retires) weak_retires();
  if (grace_count == MOST) scheduler_fail("more than %d blocks retired in one run", MOST);
  graces[grace_count++] = (struct grace){.memory = memory, .waits_for = reading};
  scheduler_aside(free_what_nobody_reads, NULL);
}

void __wrap_crucible__grace_wait(void) {
  scheduler_aside(free_what_nobody_reads, NULL);
  if (grace_count > 0) scheduler_fail("a read section is still open at rest");
}
