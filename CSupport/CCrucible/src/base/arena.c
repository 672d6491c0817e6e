// An arena: blocks from which memory is taken piece by piece, and that are freed together.
//
//   low ─→ cache lines          high
//   │ name │ reaction │ … free … │ lists, texts │ footer │
//
// Lines are taken from the front, and pieces with less alignment from the back, so neither leaves gaps for the other. A
// block ends with a footer, so that its lines begin where the allocation does. With separate allocations, a soup of
// three names and two reactions would take 22. Each would be rounded up to lines, with as much again beside it, which
// the C library keeps for its own alignment.

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "base/tuning.h"

struct arena_block {
  struct arena_block *older;
  void *memory;
  size_t size;
};

void crucible__arena_begin(struct arena *arena, void *memory, size_t size) {
  *arena = (struct arena){.low = memory, .high = (char *)memory + size};
}

static void *take_from(struct arena *arena, size_t size, size_t alignment) {
  uintptr_t low = (uintptr_t)arena->low, high = (uintptr_t)arena->high;
  if (alignment < CRUCIBLE_LINE) {
    if (high - low < size) return NULL;
    uintptr_t at = (high - size) & ~(uintptr_t)(alignment - 1);
    if (at < low) return NULL;
    return arena->high = (char *)at;
  }
  uintptr_t at = (low + alignment - 1) & ~(uintptr_t)(alignment - 1);
  if (at > high || high - at < size) return NULL;
  arena->low = (char *)at + size;
  return (char *)at;
}

static bool add_block(struct arena *arena, size_t least) {
  size_t size = least + CRUCIBLE_LINE + sizeof(struct arena_block);
  size_t usual = arena->blocks ? CRUCIBLE_NEXT_ARENA : CRUCIBLE_FIRST_ARENA;
  if (size < usual) size = usual;
  size = (size + CRUCIBLE_LINE - 1) / CRUCIBLE_LINE * CRUCIBLE_LINE;
  char *memory = crucible__allocate(size, CRUCIBLE_LINE);
  if (!memory) return false;
  struct arena_block *block = (struct arena_block *)(void *)(memory + size) - 1;
  *block = (struct arena_block){.older = arena->blocks, .memory = memory, .size = size};
  arena->blocks = block;
  arena->low = memory;
  arena->high = (char *)block;
  return true;
}

void *crucible__arena_take(struct arena *arena, size_t size, size_t alignment) {
  void *memory = take_from(arena, size, alignment);
  if (!memory) {
    if (!add_block(arena, size + alignment)) return NULL;
    memory = take_from(arena, size, alignment);
  }
  return memset(memory, 0, size);
}

void *crucible__arena_list(struct arena *arena, void *list, uint32_t count, uint32_t *capacity, uint32_t first) {
  if (count < *capacity) return list;
  uint32_t larger = *capacity ? *capacity * 2 : first;
  void **made = crucible__arena_take(arena, larger * sizeof *made, _Alignof(void *));
  if (!made) return NULL;
  if (count > 0) memcpy(made, list, count * sizeof *made);
  *capacity = larger;
  return made;
}

void crucible__arena_free(struct arena *arena) {
  for (struct arena_block *block = arena->blocks, *older; block; block = older) {
    older = block->older;
    crucible__free(block->memory, block->size);
  }
}

void crucible__arena_keep(const struct arena *arena) {
  for (const struct arena_block *block = arena->blocks; block; block = block->older) {
    crucible__keep(block->memory, block->size);
  }
}
