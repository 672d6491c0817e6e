// The life of a soup: the actions after the last hold is released.

#ifndef CRUCIBLE_SOUP_H
#define CRUCIBLE_SOUP_H

#include "firing/holds.h"

/// Destroys the contents of a soup without holds, now, or after the soup that is being destroyed on this thread.
void crucible__soup_destroy(struct crucible_soup *soup);
/// Frees the block of a soup, with everything that belongs to it. Requires: nothing refers to it.
void crucible__free_soup(struct crucible_soup *soup);
/// Removes a soup from the list of live soups, if it is there.
void crucible__delist(struct crucible_soup *soup);
/// Keep the list of live soups unchanged during a fork. The list of the child begins empty.
void crucible__registry_before_fork(void);
void crucible__registry_after_fork(bool in_child);
/// The size of a reaction with its inputs and, behind them, its fixed pointers.
static inline size_t crucible__reaction_size(size_t inputs) {
  return sizeof(struct reaction) + inputs * sizeof(struct input) + (1 + inputs) * sizeof(void *);
}
/// Creates a soup in a block of its own that is in no list, and is never held. Requires: its options outlive it. Null:
/// no memory.
struct crucible_soup *crucible__begin_block(const crucible_soup_options *options, size_t size);
void crucible__end_block(struct crucible_soup *soup);
/// Copies `text` ("" for null) for as long as the soup's shell lives. Null: no memory. Most files are the soup's own,
/// and are not copied.
const char *crucible__copy_text(struct crucible_soup *soup, const char *text);

#endif
