// Deciding which names belong together, and which reactions consume them.

#ifndef CRUCIBLE_COMPONENT_H
#define CRUCIBLE_COMPONENT_H

#include "types.h"

/// Makes the soup's components, with the candidates of every name. False: no memory; what was made is found in the
/// soup.
bool crucible__layout_components(struct crucible_soup *soup);

/// Bytes of the lists of reactions of all names of a component: each lists those that consume the name.
size_t crucible__size_of_lists(const struct component *component);
/// Makes the list of one name. Answers where it ends.
struct reaction **crucible__list_reactions(const struct crucible_name *name, struct reaction **list);

#endif
