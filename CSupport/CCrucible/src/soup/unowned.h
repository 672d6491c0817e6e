// Soups that have no owner any more, and that bodies keep alive.

#ifndef CRUCIBLE_UNOWNED_H
#define CRUCIBLE_UNOWNED_H

#include "types.h"

/// Releases holds of a watched soup that leave it with firings and without owners.
void crucible__leave_unowned(struct crucible_soup *soup, uint64_t units);
/// Checks a soup without owners when one of its bodies begins to wait. The caller is that body, and so holds the soup.
void crucible__look_unowned(struct crucible_soup *soup);

#endif
