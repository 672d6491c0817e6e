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
/// Releases holds of a watched soup that leave it with firings and without owners (unowned.c).
void crucible__leave_unowned(struct crucible_soup *soup, uint64_t units);
/// Checks a soup without owners when one of its bodies begins to wait. The caller is that body, and so holds the soup.
void crucible__look_unowned(struct crucible_soup *soup);
/// Keep the list of live soups unchanged during a fork. The list of the child begins empty.
void crucible__registry_before_fork(void);
void crucible__registry_after_fork(bool in_child);

// control.c
/// Refuses every injection from now on, and destroys waiting molecules. Requires: the soup is marked as closed, and a
/// firing holds it.
void crucible__close(struct crucible_soup *soup);

// definition.c
/// Makes the next name of the soup. Its first value is not there yet. Null: no memory.
struct crucible_name *crucible__make_name(struct crucible_soup *soup, struct species *species, bool special);

#endif
