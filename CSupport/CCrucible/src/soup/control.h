// Closing a soup without owners: the one control call that the core itself makes.

#ifndef CRUCIBLE_SOUP_CONTROL_H
#define CRUCIBLE_SOUP_CONTROL_H

#include "types.h"

/// Refuses every injection from now on, and destroys waiting molecules. Requires: the soup is marked as closed, and a
/// firing holds it.
void crucible__close(struct crucible_soup *soup);

#endif
