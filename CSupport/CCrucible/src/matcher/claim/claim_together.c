// Several molecules at once on the matcher `claim`: all are published first, then counted by one claim.
//
// Progress: as of claims.h, but for memory.

#include "base/memory.h"
#include "matcher/claim/claim.h"

struct adding {
  uint64_t counts[MOST_CLAIMED];  ///< by bit
  uint64_t flags;                 ///< of the words
};

static bool add_count(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  struct adding *adding = context;
  adding->flags |= before & CLAIM_FLAGS;
  *after = before + adding->counts[bit] * CLAIM_ONE;
  return true;
}

/// After there was no memory for the `count`-th: takes back what was published. What reactions have taken meanwhile is
/// counted now, and marked as injected.
static void take_back(struct component *component, struct thread *self, crucible_molecule *molecules,
                      const struct place *places, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__claim_is_bagged(name)) continue;
    if (crucible__bag_withdraw_mpmc(&name->bag, &places[i], molecules[i].value)) continue;
    molecules[i].value = NULL;
    crucible__claim_give_count_back(self, name);
  }
}

/// Sums up those that carry nothing. False: there would be too many. That others do the same meanwhile does no harm:
/// 2^56, and 2^40 by each of 2^15 threads that do so at the same moment, are below the 2^57 that a word counts.
static bool sum_up(struct component *component, const crucible_molecule *molecules, size_t count,
                   struct adding *adding) {
  struct claim *own = component->own;
  for (size_t i = 0; i < count; i++) {
    const struct crucible_name *name = molecules[i].name;
    if (name->component != component || crucible__claim_is_bagged(name)) continue;
    adding->counts[name->bit] += molecules[i].times;
    if (crucible__look(&own->names[name->bit].word, name->bit) / CLAIM_ONE > CRUCIBLE_MAX_WAITING) return false;
  }
  return true;
}

crucible_status crucible__claim_publish_together(struct thread *self, struct component *component,
                                                 crucible_molecule *molecules, size_t count) {
  struct adding adding = {.flags = 0};
  if (!sum_up(component, molecules, count, &adding)) return CRUCIBLE_TOO_MANY_MOLECULES;
  struct place *places = crucible__allocate(count * sizeof *places, 64);
  if (!places) return CRUCIBLE_NO_MEMORY;
  bool published = true;
  for (size_t i = 0; published && i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__claim_is_bagged(name)) continue;
    adding.counts[name->bit]++;
    if (crucible__bag_push_placed_mpmc(&name->bag, molecules[i].value, molecules[i].times, &places[i])) continue;
    take_back(component, self, molecules, places, i);
    published = false;
  }
  crucible__free(places, count * sizeof *places);
  if (!published) return CRUCIBLE_NO_MEMORY;
  uint64_t names = 0;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (adding.counts[bit] > 0) names |= UINT64_C(1) << bit;
  }
  crucible__claim_in(self, component->own, names, add_count, &adding);
  crucible__claim_tend(self, component, names, adding.flags);
  return CRUCIBLE_OK;
}
