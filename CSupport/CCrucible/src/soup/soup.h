// The life of a soup: what happens when the last hold is released.

#ifndef CRUCIBLE_SOUP_H
#define CRUCIBLE_SOUP_H

#include "firing/holds.h"

/// Destroys the contents of a soup without holds, now or after the one that is being destroyed on this thread.
void crucible__soup_destroy(struct crucible_soup *soup);
/// Frees the block of a soup, with all that hangs on it. Nothing refers to it.
void crucible__free_soup(struct crucible_soup *soup);
/// Takes a soup off the list of those that live, if it is in it.
void crucible__delist(struct crucible_soup *soup);
/// fork: the list of living soups must not be in the middle of a change. The child begins with none.
void crucible__registry_before_fork(void);
void crucible__registry_after_fork(bool in_child);
/// A reaction with its inputs and, behind them, its fixed pointers.
static inline size_t crucible__reaction_size(size_t inputs) {
  return sizeof(struct reaction) + inputs * sizeof(struct input) + (1 + inputs) * sizeof(void *);
}
/// A soup in a block of its own that no list has, and that is never held. What it is given has to outlive it. Null: no
/// memory.
struct crucible_soup *crucible__begin_block(const crucible_soup_options *options, size_t size);
void crucible__end_block(struct crucible_soup *soup);
/// A copy of `text` ("" for null) that lasts as long as the soup's shell; null: no memory. Files mostly are the soup's
/// own.
const char *crucible__copy_text(struct crucible_soup *soup, const char *text);

#endif
