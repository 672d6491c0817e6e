// Deciding which names belong together.

#ifndef CRUCIBLE_COMPONENT_H
#define CRUCIBLE_COMPONENT_H

#include "types.h"

/// Makes the soup's components, with the candidates of every name. False: no memory; what was made is found in the
/// soup.
bool crucible__layout_components(struct crucible_soup *soup);

#endif
