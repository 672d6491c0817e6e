// Withdrawing a call of a wide component. The rules are CALL-1 to CALL-4 of matcher/word/word_withdraw.c. The steps are
// the same, on the word of the name.
//
// Progress: as for wide.c, except for memory. A withdrawer that stops hides the count that it has in hand. A thread
// that stops while it retries abandoned calls hides those of one name.

#include "firing/stripes.h"
#include "matcher/wide/wide.h"
#include "matcher/word/word_withdraw.h"

static bool is_sealed(uint64_t word) { return (word & WIDE_CONTROL) == WIDE_CONTROL; }

static bool may_take(uint64_t word, bool late) { return late ? (word & WIDE_STOPPED) != 0 : !is_sealed(word); }

bool crucible__wide_take_one(struct thread *self, struct crucible_name *name, bool late) {
  struct wide_word *own = crucible__wide_of(name->component);
  _Atomic uint64_t *word = crucible__wide_home(own, name);
  for (;;) {
    uint64_t before = crucible__look_to_change(word);
    while ((before & name->word.mask) && may_take(before, late)) {
      if (crucible__change(word, &before, before - name->word.unit)) return true;
    }
    uint64_t over = load_seq_cst(&name->aside.overflow);
    if (over == 0) return false;
    crucible__show_entry(self, name->soup);  // STOP-6
    if (!may_take(crucible__wide_look(own, name), late)) return false;
    if (cas_seq_cst(&name->aside.overflow, &over, over - 1)) return true;
  }
}

/// Tries once to withdraw: see attempt_function.
static enum withdrawal wide_try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                            void *result, bool *given_back) {
  if (!crucible__bag_holds(&name->bag, place)) return CONSUMED;
  if (!crucible__wide_take_one(self, name, false)) {
    return is_sealed(crucible__wide_look(crucible__wide_of(name->component), name)) ? CONSUMED : UNDECIDED;  // STOP-6
  }
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
