// See bags.h.

#include "matcher/bags.h"

#include "bag/first_ring.h"
#include "base/memory.h"
#include "firing/firing.h"
#include "firing/origin.h"
#include "matcher/inject.h"

static void destroy_bags(struct component *component, uint32_t count, bool waiting) {
  for (uint32_t bit = 0; bit < count; bit++) {
    struct crucible_name *name = component->names[bit];
    if (!crucible__is_bagged(name)) continue;
    crucible__bag_destroy(&name->bag, waiting && crucible__destroys(name) ? crucible__destroy_gone : NULL, name);
  }
}

bool crucible__bags_prepare(struct component *component, bool (*has_cell)(const struct crucible_name *name)) {
  const struct chemistry *chemistry = component->soup->chemistry;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    if (!crucible__is_bagged(name)) continue;
    const struct finding *found = chemistry->is_shared ? &chemistry->findings[name->species->index] : NULL;
    if (found && crucible__bag_is_plain(&found->bag)) {
      name->bag = found->bag;
      continue;
    }
    const struct species *species = name->species;
    if (crucible__bag_prepare(&name->bag, species->size, species->alignment, has_cell && has_cell(name))) continue;
    destroy_bags(component, bit, false);
    return false;
  }
  return true;
}

void crucible__bags_destroy(struct component *component) {
  destroy_bags(component, component->layout->name_count, true);
}

bool crucible__bags_make_room(struct crucible_name *name) {
  return !crucible__is_bagged(name) || crucible__bag_begin(&name->bag);
}

bool crucible__bags_hold(struct crucible_name *name, const struct place *place) {
  return crucible__bag_holds(&name->bag, place);
}

void crucible__bags_pop(struct crucible_name *name, void *result, uint64_t *attempts) {
  crucible__bag_pop_mpmc(&name->bag, result, attempts);
}

/// Takes back published molecules after there was no memory for the one with index `count`.
static void unpublish(struct thread *self, struct component *component, crucible_molecule *molecules,
                      const struct place *places, size_t count,
                      void (*give_count_back)(struct thread *self, struct crucible_name *name)) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__is_bagged(name)) continue;
    if (crucible__bag_withdraw_mpmc(&name->bag, &places[i], molecules[i].value)) continue;
    molecules[i].value = NULL;
    give_count_back(self, name);
  }
}

void crucible__bags_take_back(struct component *component, crucible_molecule *molecules, size_t count,
                              pop_function pop) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__is_bagged(name)) continue;
    if (!crucible__take_back(name, molecules[i].value, pop)) molecules[i].value = NULL;
  }
}

/// Sums up the molecules without payload. False: there would be too many.
static bool sum_up(struct component *component, const crucible_molecule *molecules, size_t count, uint64_t *counts,
                   uint64_t (*waiting)(struct crucible_name *name)) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || crucible__is_bagged(name)) continue;
    counts[name->bit] += molecules[i].times;
    if (waiting(name) > CRUCIBLE_MAX_WAITING) return false;
  }
  return true;
}

crucible_status crucible__bags_publish(struct thread *self, struct component *component, crucible_molecule *molecules,
                                       size_t count, uint64_t *counts, uint64_t (*waiting)(struct crucible_name *name),
                                       void (*give_count_back)(struct thread *self, struct crucible_name *name)) {
  if (!sum_up(component, molecules, count, counts, waiting)) return CRUCIBLE_TOO_MANY_MOLECULES;
  struct place *places = crucible__allocate(count * sizeof *places, 64);
  if (!places) return CRUCIBLE_NO_MEMORY;
  bool published = true;
  for (size_t i = 0; published && i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__is_bagged(name)) continue;
    counts[name->bit]++;
    if (crucible__bag_push_placed_mpmc(&name->bag, molecules[i].value, molecules[i].times, &places[i])) continue;
    unpublish(self, component, molecules, places, i, give_count_back);
    published = false;
  }
  crucible__free(places, count * sizeof *places);
  return published ? CRUCIBLE_OK : CRUCIBLE_NO_MEMORY;
}
