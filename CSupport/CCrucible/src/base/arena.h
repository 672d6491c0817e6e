// The arena of a soup or a chemistry: memory that a definition takes, and that is freed as a whole.

#ifndef CRUCIBLE_ARENA_H
#define CRUCIBLE_ARENA_H

#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
  char *low, *high;            ///< the rest of the newest part
  struct arena_block *blocks;  ///< the allocated blocks
};

/// Begins with the `size` bytes at `memory`, which remain the caller's. Requires: they are aligned to a line.
void crucible__arena_begin(struct arena *arena, void *memory, size_t size);
/// Takes zeroed memory that lasts until the arena is freed. Null: no memory. Requires: only one thread at a time. A
/// piece with the alignment of a cache line begins a line. A piece that is written while the soup runs must have that
/// alignment, and its size must be whole lines. The memory behind it may belong to any piece with less alignment.
void *crucible__arena_take(struct arena *arena, size_t size, size_t alignment);
/// Returns a list of `count` pointers with room for one more. A list without capacity begins with `first`. The smaller
/// lists stay in the arena, because together they are less than the last. Null: no memory.
void *crucible__arena_list(struct arena *arena, void *list, uint32_t count, uint32_t *capacity, uint32_t first);
void crucible__arena_free(struct arena *arena);
/// Leaves the memory of the arena out of the count (crucible__keep).
void crucible__arena_keep(const struct arena *arena);

#endif
