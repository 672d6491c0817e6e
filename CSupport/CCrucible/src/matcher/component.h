// Deciding which names belong together, and which reactions each of them concerns.

#ifndef CRUCIBLE_COMPONENT_H
#define CRUCIBLE_COMPONENT_H

#include "types.h"

/// Makes the soup's components, with the candidates of every name. False: no memory; what was made is found in the soup.
bool crucible__layout_components(struct crucible_soup *soup);
/// Fills the lists of candidates, after the fields were given out if there are any.
void crucible__layout_lists(struct component *component);

#endif
