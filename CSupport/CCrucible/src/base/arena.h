// The arena of a soup: memory that its definition takes, and that its end frees as a whole. It has names, reactions,
// components, lists and texts.

#ifndef CRUCIBLE_ARENA_H
#define CRUCIBLE_ARENA_H

#include <stddef.h>

struct arena_block;

struct arena {
  char *low, *high;            ///< what is left of the newest part
  struct arena_block *blocks;  ///< allocated ones
};

/// Begins with the `size` bytes at `memory`, which stay the caller's. Aligned to 64 bytes.
void crucible__arena_begin(struct arena *arena, void *memory, size_t size);
/// Zeroed memory that lasts until the arena is freed; null: there is none. Only one thread at a time. What asks for an
/// alignment of a cache line begins one; what is written while the soup runs has to, and must be as long as its lines,
/// for what follows may be anything that asked for less.
void *crucible__arena_take(struct arena *arena, size_t size, size_t alignment);
void crucible__arena_free(struct arena *arena);

#endif
