// Ending a soup that nobody owns: the one control call that the core makes itself.

#ifndef CRUCIBLE_SOUP_CONTROL_H
#define CRUCIBLE_SOUP_CONTROL_H

#include "types.h"

/// Refuses every injection from now on, and destroys what waits. Requires: the soup is marked as closed, and held by a
/// firing.
void crucible__close(struct crucible_soup *soup);

#endif
