// Bags of a component: preparing, destroying and filling them. `word` and its wide form share this code.

#include "bag/first_ring.h"
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
    if (crucible__bag_prepare(&name->bag, species->size, species->alignment, has_cell && has_cell(name))) {
      name->bag.is_of_name = true;
      continue;
    }
    destroy_bags(component, bit, false);
    return false;
  }
  return true;
}

void crucible__bags_destroy(struct component *component) {
  destroy_bags(component, component->layout->name_count, true);
}

bool crucible__bags_hold(struct crucible_name *name, const struct place *place) {
  return crucible__bag_holds(&name->bag, place);
}
