// Injecting several molecules together: see word_together.h.
//
// All molecules are published first, and then counted in one CAS, so that no reaction sees some of them without the
// others. The part that exceeds a field's limit is spilled. That hides nothing: the field is then at its limit, and the
// limit is at least what one reaction takes.
//
// Progress: lock-free, except for memory.

#include "matcher/word/word_together.h"

#include "matcher/bags.h"
#include "matcher/word/word.h"
#include "matcher/word/word_control.h"
#include "matcher/word/word_withdraw.h"

/// Adds all counts in one step. `added` is indexed by bit. On return it contains the counts that did not fit. False:
/// the component is sealed (STOP-4), and nothing was added.
static bool add_all(struct component *component, uint64_t *added) {
  uint64_t fit[WORD_NAMES];
  uint64_t word = load_acquire(&component->word.state);
  uint64_t next;
  bool sealed;
  do {
    sealed = (word & WORD_CONTROL) == WORD_CONTROL;
    next = word;
    for (uint32_t bit = 0; !sealed && bit < component->layout->name_count; bit++) {
      const struct crucible_name *name = component->names[bit];
      uint64_t there = word & name->word.mask;
      uint64_t room = there < name->word.limit ? (name->word.limit - there) / name->word.unit : 0;
      fit[bit] = added[bit] < room ? added[bit] : room;
      next += fit[bit] * name->word.unit;
    }
  } while (!cas_seq_cst(&component->word.state, &word, next));  // it confirms a seal (STOP-4)
  if (UNLIKELY(sealed)) return false;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) added[bit] -= fit[bit];
  return true;
}

static void spill_rest(struct component *component, const uint64_t *rest) {
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (rest[bit] > 0) crucible__word_spill(component, component->names[bit], rest[bit]);
  }
}

crucible_status crucible__word_publish_together(struct thread *self, struct component *component,
                                                crucible_molecule *molecules, size_t count) {
  uint64_t added[WORD_NAMES] = {0};
  crucible_status status = crucible__bags_publish(self, component, molecules, count, added, crucible__word_spilled,
                                                  crucible__word_give_count_back);
  if (status != CRUCIBLE_OK) return status;
  if (!add_all(component, added)) {
    crucible__bags_take_back(component, molecules, count, crucible__word_pop);
    return CRUCIBLE_NOT_RUNNING;
  }
  spill_rest(component, added);
  return CRUCIBLE_OK;
}

// ---------------------------------------------------------------------------------------------------------------------
