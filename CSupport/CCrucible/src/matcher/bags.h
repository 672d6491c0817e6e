// Bags of a component: preparing, destroying and filling them. `word` and its wide form share this code.

#ifndef CRUCIBLE_MATCHER_BAGS_H
#define CRUCIBLE_MATCHER_BAGS_H

#include "matcher/inject.h"
#include "matcher/matcher.h"

/// Whether the molecules of the name lie in its bag. Those of other names are counts, or states.
static inline bool crucible__is_bagged(const struct crucible_name *name) {
  return name->has_payload && !crucible__has_cell(name);
}

/// Prepares all bags of a component. `has_cell`: whether the name's bag has a cell, or null if no bag has one. False:
/// no memory, and no bag is prepared.
bool crucible__bags_prepare(struct component *component, bool (*has_cell)(const struct crucible_name *name));
/// Destroys all bags, with all waiting molecules (CRUCIBLE_GONE).
void crucible__bags_destroy(struct component *component);
/// Implement `make_room` and `holds` of struct matcher.
bool crucible__bags_make_room(struct crucible_name *name);
bool crucible__bags_hold(struct crucible_name *name, const struct place *place);

#endif
