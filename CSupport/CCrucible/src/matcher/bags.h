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
/// Implements pop_function.
void crucible__bags_pop(struct crucible_name *name, void *result, uint64_t *attempts);

/// Publishes those of several molecules that belong to this component, and adds their numbers to `counts`, by bit, to
/// be counted in one step. `waiting` returns the number of waiting molecules of a name without a bag. `give_count_back`
/// counts a molecule and settles. When there is no memory, published molecules are taken back. Those that reactions
/// have taken meanwhile are counted, and marked as injected. Lock-free, except for memory.
crucible_status crucible__bags_publish(struct thread *self, struct component *component, crucible_molecule *molecules,
                                       size_t count, uint64_t *counts, uint64_t (*waiting)(struct crucible_name *name),
                                       void (*give_count_back)(struct thread *self, struct crucible_name *name));

/// Takes published molecules that are not counted out of a sealed component: as many of each name, not the same ones.
/// Calls are ended, and those here are marked as injected (STOP-4).
void crucible__bags_take_back(struct component *component, crucible_molecule *molecules, size_t count,
                              pop_function pop);

#endif
