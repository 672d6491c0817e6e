// Injecting several molecules together into a wide component. All are published first, and then counted by one claim,
// so that no reaction sees some of them without the others. The part that exceeds a field's limit is spilled. That
// hides nothing: the field is then at its limit, and the limit is at least what one reaction takes.
//
// Progress: as for wide.c, except for memory.

#include <string.h>

#include "matcher/bags.h"
#include "matcher/wide/wide.h"
#include "matcher/word/word_overflow.h"

struct adding {
  const struct component *component;
  uint64_t *counts;  ///< by bit
  uint64_t *fit;     ///< the part of these for which the words have room
  bool sealed;       ///< the words are sealed, and nothing is added (STOP-4)
};

static bool add_counts(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  struct adding *adding = context;
  *after = before;
  adding->sealed = (before & WIDE_CONTROL) == WIDE_CONTROL;
  if (adding->sealed) return true;
  for (uint32_t bit = 0; bit < adding->component->layout->name_count; bit++) {
    const struct crucible_name *name = adding->component->names[bit];
    if (name->word.home != home) continue;
    uint64_t there = before & name->word.mask;
    uint64_t room = there < name->word.limit ? (name->word.limit - there) / name->word.unit : 0;
    adding->fit[bit] = adding->counts[bit] < room ? adding->counts[bit] : room;
    *after += adding->fit[bit] * name->word.unit;
  }
  return true;
}

crucible_status crucible__wide_publish_together(struct thread *self, struct component *component,
                                                crucible_molecule *molecules, size_t count) {
  uint64_t counts[component->layout->name_count], fit[component->layout->name_count];
  struct adding adding = {component, counts, fit, false};
  memset(counts, 0, sizeof counts);
  memset(fit, 0, sizeof fit);
  crucible_status status = crucible__bags_publish(self, component, molecules, count, counts, crucible__word_spilled,
                                                  crucible__wide_give_count_back);
  if (status != CRUCIBLE_OK) return status;
  uint64_t words = 0;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (adding.counts[bit] > 0) words |= UINT64_C(1) << component->names[bit]->word.home;
  }
  if (words) crucible__wide_change(self, crucible__wide_of(component), words, add_counts, &adding);
  if (adding.sealed) {
    crucible__bags_take_back(component, molecules, count, crucible__bags_pop);
    return CRUCIBLE_NOT_RUNNING;
  }
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    uint64_t rest = adding.counts[bit] - adding.fit[bit];
    if (rest > 0) crucible__wide_spill(component, component->names[bit], rest);
  }
  return CRUCIBLE_OK;
}
