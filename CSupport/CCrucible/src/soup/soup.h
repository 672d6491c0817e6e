// The life of a soup: who holds it, and what happens when nobody does.

#ifndef CRUCIBLE_SOUP_H
#define CRUCIBLE_SOUP_H

#include "types.h"

/// One more firing is reserved, or goes on.
void crucible__soup_add_pending(struct crucible_soup *soup);
/// Takes `holds` (owners, or CRUCIBLE_PENDING for a firing) back; the last destroys the contents.
void crucible__soup_let_go(struct crucible_soup *soup, uint64_t holds);
/// Counts what was dropped; stays at INT64_MAX.
void crucible__soup_add_dropped(struct crucible_soup *soup, uint64_t count);
/// fork: the list of living soups must not be in the middle of a change. The child begins with none.
void crucible__registry_before_fork(void);
void crucible__registry_after_fork(bool in_child);
/// Whether the soup was made by the process that forked this one, and is not to be used here; tells the binding, if so.
static inline bool crucible__is_inherited(struct crucible_soup *soup) {
  if (LIKELY(!soup->inherited)) return false;
  if (soup->tell_inherited) soup->tell_inherited(soup);
  return true;
}
/// A reaction with its inputs and, behind them, its fixed pointers.
static inline size_t crucible__reaction_size(size_t inputs) {
  return sizeof(struct reaction) + inputs * sizeof(struct input) + (1 + inputs) * sizeof(void *);
}
/// A state without a value has a cell all the same: what shows that it is there must not be null.
static inline bool crucible__cell_is_within(const struct crucible_name *name) {
  return name->size <= sizeof name->room && name->alignment <= _Alignof(max_align_t);
}
/// A copy of `text` ("" for null) that lasts as long as the soup's shell; null: no memory. Files mostly are the soup's own.
const char *crucible__copy_text(struct crucible_soup *soup, const char *text);

#endif
