// The life of a soup: what happens when the last hold is released.

#ifndef CRUCIBLE_SOUP_H
#define CRUCIBLE_SOUP_H

#include "firing/holds.h"

/// Destroys the contents of a soup without holds, now or after the one that is being destroyed on this thread.
void crucible__soup_destroy(struct crucible_soup *soup);
/// fork: the list of living soups must not be in the middle of a change. The child begins with none.
void crucible__registry_before_fork(void);
void crucible__registry_after_fork(bool in_child);
/// A reaction with its inputs and, behind them, its fixed pointers.
static inline size_t crucible__reaction_size(size_t inputs) {
  return sizeof(struct reaction) + inputs * sizeof(struct input) + (1 + inputs) * sizeof(void *);
}
/// A state without a value has a cell all the same: what shows that it is there must not be null.
static inline bool crucible__cell_is_within(const struct crucible_name *name) {
  return name->size <= sizeof name->room && name->alignment <= _Alignof(max_align_t);
}
/// A copy of `text` ("" for null) that lasts as long as the soup's shell; null: no memory. Files mostly are the soup's
/// own.
const char *crucible__copy_text(struct crucible_soup *soup, const char *text);

#endif
