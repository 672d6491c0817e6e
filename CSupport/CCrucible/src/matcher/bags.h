// Bags of a component: preparing, destroying and filling them. `word`, its wide form and `claim` share this code.

#ifndef CRUCIBLE_MATCHER_BAGS_H
#define CRUCIBLE_MATCHER_BAGS_H

#include "matcher/matcher.h"

/// Whether the molecules of the name lie in its bag. Those of other names are counts, or states.
static inline bool crucible__is_bagged(const struct crucible_name *name) {
  return name->has_payload && !crucible__has_cell(name);
}

/// Prepares all bags of a component. `has_cell`: whether the name's bag has a cell; null: none has. False: no memory,
/// and no bag is prepared.
bool crucible__bags_prepare(struct component *component, bool (*has_cell)(const struct crucible_name *name));
/// Destroys them, with all molecules that wait (CRUCIBLE_GONE).
void crucible__bags_destroy(struct component *component);
/// `make_room` and `holds` of struct matcher.
bool crucible__bags_make_room(struct crucible_name *name);
bool crucible__bags_hold(struct crucible_name *name, const struct place *place);
/// A pop_function.
void crucible__bags_pop(struct crucible_name *name, void *result, uint64_t *attempts);

/// Publishes those of several molecules that are of this component, and adds their numbers to `counts`, by bit, to be
/// counted in one step. `waiting` tells how many of a name without a bag wait, `give_count_back` counts a molecule and
/// settles. When there is no memory, what was published is taken back. What reactions have taken of it meanwhile is
/// counted, and marked as injected. Lock-free, but for memory.
crucible_status crucible__bags_publish(struct thread *self, struct component *component, crucible_molecule *molecules,
                                       size_t count, uint64_t *counts, uint64_t (*waiting)(struct crucible_name *name),
                                       void (*give_count_back)(struct thread *self, struct crucible_name *name));

#endif
