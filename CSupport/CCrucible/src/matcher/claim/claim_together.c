// Injecting several molecules together on the matcher `claim`. All are published first, and then counted by one claim.
//
// Progress: as for claims.h, except for memory.

#include "matcher/bags.h"
#include "matcher/claim/claim.h"

struct adding {
  uint64_t counts[MOST_CLAIMED];  ///< by bit
  uint64_t flags;                 ///< the flags of the words
  bool sealed;                    ///< the words are sealed, and nothing is added (HALT-4, STOP-4)
};

static bool add_count(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  struct adding *adding = context;
  adding->sealed = (before & CLAIM_CONTROL) == CLAIM_CONTROL;
  *after = before;
  if (adding->sealed) return true;
  adding->flags |= before & CLAIM_FLAGS;
  *after += adding->counts[bit] * CLAIM_ONE;
  return true;
}

/// The number of waiting molecules. Additions by other threads meanwhile do no harm: 2^56, and 2^40 by each of 2^15
/// threads that add at the same moment, are below the 2^57 that a word counts.
static uint64_t waiting(struct crucible_name *name) {
  struct claim *own = name->component->own;
  return crucible__look(&own->names[name->bit].word, name->bit) / CLAIM_ONE;
}

crucible_status crucible__claim_publish_together(struct thread *self, struct component *component,
                                                 crucible_molecule *molecules, size_t count) {
  struct adding adding = {.flags = 0};
  crucible_status status = crucible__bags_publish(self, component, molecules, count, adding.counts, waiting,
                                                  crucible__claim_give_count_back);
  if (status != CRUCIBLE_OK) return status;
  uint64_t names = 0;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (adding.counts[bit] > 0) names |= UINT64_C(1) << bit;
  }
  crucible__claim_in(self, component->own, names, add_count, &adding);
  if (adding.sealed) {
    crucible__bags_take_back(component, molecules, count, crucible__bags_pop);
    return CRUCIBLE_NOT_RUNNING;
  }
  crucible__claim_tend(self, component, names, adding.flags);
  return CRUCIBLE_OK;
}
