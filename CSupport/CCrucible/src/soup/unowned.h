// Soups that nobody owns any more, and that bodies keep.

#ifndef CRUCIBLE_UNOWNED_H
#define CRUCIBLE_UNOWNED_H

#include "types.h"

/// Takes holds back that leave a soup that is watched without owners, and with firings.
void crucible__leave_unowned(struct crucible_soup *soup, uint64_t units);
/// Looks at a soup without owners, of which a body has come to wait. The caller is that body, and so holds the soup.
void crucible__look_unowned(struct crucible_soup *soup);

#endif
