// Dividing the names of a soup into components, and listing the reactions that consume each name.

#ifndef CRUCIBLE_COMPONENT_H
#define CRUCIBLE_COMPONENT_H

#include "types.h"

/// Finds the components of a chemistry that has none, and makes those of its soup. False: no memory.
bool crucible__layout_components(struct crucible_soup *soup);
/// Whether one component has all names and reactions of the soup, in their order. If none is a double, it has the lists
/// of the soup.
static inline bool crucible__is_whole(const struct chemistry *chemistry) {
  return chemistry->component_count == 1 && chemistry->components->name_count == chemistry->name_count;
}
/// Makes the soup's components, as its chemistry has them, without their matchers. False: no memory.
bool crucible__make_components(struct crucible_soup *soup);

/// The size of the lists of reactions of all names of a component. Each lists the reactions that consume the name.
size_t crucible__size_of_lists(const struct component *component);
/// Makes the list of one name, in the order of declaration. Returns the end of the list.
struct reaction **crucible__list_reactions(const struct crucible_name *name, struct reaction **list);

#endif
