// Dividing the names of a soup into components, and listing the reactions that consume each name.

#ifndef CRUCIBLE_COMPONENT_H
#define CRUCIBLE_COMPONENT_H

#include "types.h"

/// Finds the components of a chemistry that has none, and makes those of its soup. False: no memory.
bool crucible__layout_components(struct crucible_soup *soup);
/// Makes the soup's components, as its chemistry has them, without their matchers. False: no memory.
bool crucible__make_components(struct crucible_soup *soup);

/// The size of the lists of reactions of all names of a component. Each lists the reactions that consume the name.
size_t crucible__size_of_lists(const struct component *component);
/// Makes the list of one name, in the order of declaration. Returns the end of the list.
struct reaction **crucible__list_reactions(const struct crucible_name *name, struct reaction **list);

#endif
