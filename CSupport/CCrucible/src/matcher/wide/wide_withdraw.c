// Withdrawing a call of a wide component. The rules are CALL-1 to CALL-4 of matcher/word/word_withdraw.c. The steps are
// the same, on the word of the name.
//
// Progress: as for wide.c, except for memory. A withdrawer that stops hides the count that it has in hand. A thread
// that stops while it retries abandoned calls hides those of one name.

#include "matcher/wide/wide.h"
#include "matcher/word/word_withdraw.h"

bool crucible__wide_take_one(const struct wide *own, struct crucible_name *name, uint64_t shown) {
  _Atomic uint64_t *word = crucible__wide_home(own, name);
  for (;;) {
    uint64_t before = crucible__look_to_change(word, name->word.home);
    if ((before & shown) != shown) return false;
    while ((before & name->word.mask) && (before & shown) == shown) {
      if (crucible__change(word, name->word.home, &before, before - name->word.unit)) return true;
    }
    uint64_t over = load_seq_cst(&name->aside.overflow);
    if (over == 0) return false;
    if (cas_seq_cst(&name->aside.overflow, &over, over - 1)) return true;
  }
}

/// Tries once to withdraw: see attempt_function.
static enum withdrawal wide_try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                            void *result, bool *given_back) {
  if (!crucible__bag_holds(&name->bag, place)) return CONSUMED;
  if (!crucible__wide_take_one(crucible__wide_of(name->component), name, 0)) return UNDECIDED;
  if (crucible__bag_withdraw_mpmc(&name->bag, place, result)) return WITHDRAWN;
  crucible__wide_give_count_back(self, name);
  *given_back = true;
  return CONSUMED;
}

static bool wide_has_counts(struct crucible_name *name) {
  if (crucible__wide_look(crucible__wide_of(name->component), name) & name->word.mask) return true;
  return load_seq_cst(&name->aside.overflow) != 0;
}

bool crucible__wide_retry_abandoned(struct thread *self, struct component *component) {
  return crucible__retry_all_abandoned(self, component, wide_try_to_withdraw, wide_has_counts);
}

enum withdrawal crucible__wide_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result) {
  return crucible__word_withdraw_by(wide_try_to_withdraw, crucible__wide_attend, self, name, place, result);
}
