// Several at once in a wide component: all are published first, then counted by one claim, so that no reaction sees
// some of them without the others. What exceeds a field's limit is spilled. That hides nothing: the field is then at
// its limit, and the limit is at least what one reaction takes.
//
// Progress: as of wide.c, but for memory.

#include <string.h>

#include "base/memory.h"
#include "matcher/wide/wide.h"

struct adding {
  const struct component *component;
  uint64_t *counts;  ///< by bit
  uint64_t *fit;     ///< of these, what the words have room for
};

static bool add_counts(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  struct adding *adding = context;
  *after = before;
  for (uint32_t bit = 0; bit < adding->component->name_count; bit++) {
    const struct crucible_name *name = adding->component->names[bit];
    if (name->word.home != home) continue;
    uint64_t there = before & name->word.mask;
    uint64_t room = there < name->word.limit ? (name->word.limit - there) / name->word.unit : 0;
    adding->fit[bit] = adding->counts[bit] < room ? adding->counts[bit] : room;
    *after += adding->fit[bit] * name->word.unit;
  }
  return true;
}

/// After there was no memory for the `count`-th: takes back what was published. What reactions have taken meanwhile is
/// counted now, and marked as injected.
static void take_back(struct thread *self, struct component *component, crucible_molecule *molecules,
                      const struct place *places, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__wide_is_bagged(name)) continue;
    if (crucible__bag_withdraw_mpmc(&name->bag, &places[i], molecules[i].value)) continue;
    molecules[i].value = NULL;
    crucible__wide_give_count_back(self, name);
  }
}

/// Sums up those that carry nothing. False: there would be too many. That others do the same meanwhile does no harm:
/// 2^56, and 2^40 by each of 2^22 threads, are far from 2^64.
static bool sum_up(struct component *component, const crucible_molecule *molecules, size_t count, uint64_t *counts) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || crucible__wide_is_bagged(name)) continue;
    counts[name->bit] += molecules[i].times;
    if (load_relaxed(&name->aside.overflow) > CRUCIBLE_MAX_WAITING) return false;
  }
  return true;
}

crucible_status crucible__wide_publish_together(struct thread *self, struct component *component,
                                                crucible_molecule *molecules, size_t count) {
  uint64_t counts[component->name_count], fit[component->name_count];
  struct adding adding = {component, counts, fit};
  memset(counts, 0, sizeof counts);
  memset(fit, 0, sizeof fit);
  if (!sum_up(component, molecules, count, adding.counts)) return CRUCIBLE_TOO_MANY_MOLECULES;
  struct place *places = crucible__allocate(count * sizeof *places, 64);
  if (!places) return CRUCIBLE_NO_MEMORY;
  bool published = true;
  for (size_t i = 0; published && i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__wide_is_bagged(name)) continue;
    adding.counts[name->bit]++;
    if (crucible__bag_push_placed_mpmc(&name->bag, molecules[i].value, molecules[i].times, &places[i])) continue;
    take_back(self, component, molecules, places, i);
    published = false;
  }
  crucible__free(places, count * sizeof *places);
  if (!published) return CRUCIBLE_NO_MEMORY;
  uint64_t words = 0;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (adding.counts[bit] > 0) words |= UINT64_C(1) << component->names[bit]->word.home;
  }
  if (words) crucible__wide_change(self, crucible__wide_of(component), words, add_counts, &adding);
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    uint64_t rest = adding.counts[bit] - adding.fit[bit];
    if (rest > 0) crucible__wide_spill(component, component->names[bit], rest);
  }
  return CRUCIBLE_OK;
}
