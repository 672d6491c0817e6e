// The life of a soup: who holds it, and what happens when nobody does.

#ifndef CRUCIBLE_SOUP_H
#define CRUCIBLE_SOUP_H

#include "types.h"

/// Takes `holds` (owners, or CRUCIBLE_PENDING for a firing) back; the last destroys the contents.
void crucible__soup_let_go(struct crucible_soup *soup, uint64_t holds);
/// A reaction with its inputs and, behind them, its fixed pointers.
static inline size_t crucible__reaction_size(size_t inputs) {
  return sizeof(struct reaction) + inputs * (sizeof(struct input) + sizeof(void *));
}
/// A state without a value has a cell all the same: what shows that it is there must not be null.
static inline size_t crucible__cell_size(size_t size) { return size ? size : 1; }
void crucible__reaction_free(struct reaction *reaction);
/// Ends the process with a message: for what can neither be refused nor reported, as memory for a firing already reserved.
_Noreturn void crucible__die(const char *what);
/// A copy of `text` ("" for null); null: no memory.
char *crucible__copy_text(const char *text);
void crucible__free_text(char *text);

#endif
