// Withdrawing a call of a wide component: CALL-1 to CALL-4 of matcher/word/word_withdraw.c are the rules, and the steps
// are the same, on the word of the name.
//
// Progress: as of wide.c, except for memory. A withdrawer that stops hides the count that it has in hand. A thread that
// stops while it tries abandoned calls again hides those of one name.

#include "base/errors.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "firing/origin.h"
#include "matcher/wide/wide.h"
#include "pool/pool.h"

/// Takes one count of the name, out of its word or out of the overflow. False: it has none.
static bool take_one(const struct wide *own, struct crucible_name *name) {
  _Atomic uint64_t *word = crucible__wide_home(own, name);
  for (;;) {
    uint64_t before = crucible__look_to_change(word, name->word.home);
    while (before & name->word.mask) {
      if (crucible__change(word, name->word.home, &before, before - name->word.unit)) return true;
    }
    // unseen order: a later CAS confirms it, or nothing is to do; unseen acquire: counted only; the slot's turn orders
    // the payload
    uint64_t over = load_seq_cst(&name->aside.overflow);
    if (over == 0) return false;
    // unseen order: both sides modify it; the later reads the earlier; unseen acquire, release: counted only; the
    // slot's turn orders the payload
    if (cas_seq_cst(&name->aside.overflow, &over, over - 1)) return true;
  }
}

/// One attempt. `*given_back`: a count was given back, so that something else may be possible now.
static enum withdrawal wide_try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result, bool *given_back) {
  if (!crucible__bag_holds(&name->bag, place)) return CONSUMED;
  if (!take_one(crucible__wide_of(name->component), name)) return UNDECIDED;
  if (crucible__bag_withdraw_mpmc(&name->bag, place, result)) return WITHDRAWN;
  crucible__wide_give_count_back(self, name);
  *given_back = true;
  return CONSUMED;
}

// ---------------------------------------------------------------------------------------------------------------------
// Abandoned calls
// ---------------------------------------------------------------------------------------------------------------------

struct abandoned {
  struct abandoned *next;
  struct place place;
};

/// Puts the calls from `first` to `last` on the list of their name.
static void wide_note_abandoned(struct crucible_name *name, struct abandoned *first, struct abandoned *last) {
  last->next = load_relaxed(&name->aside.abandoned);
  // partner: the exchange; unseen: both sides modify it; the later reads the earlier
  while (!cas_seq_cst(&name->aside.abandoned, &last->next, first)) {
  }
}

/// Without a count of the name nothing can be withdrawn.
static bool wide_has_counts(const struct component *component, struct crucible_name *name) {
  if (crucible__wide_look(crucible__wide_of(component), name) & name->word.mask) return true;
  // unseen order: this thread looks again, or has looked before; unseen acquire: counted only; the slot's turn orders
  // the payload
  return load_seq_cst(&name->aside.overflow) != 0;
}

/// Puts the call on the list of those to be withdrawn later, and looks at once. Aborts with a message when there is no
/// memory: its caller goes, and no other thread knows that the molecule is to go too.
static void wide_abandon(struct thread *self, struct crucible_name *name, const struct place *place) {
  struct abandoned *call = crucible__allocate(sizeof *call, 64);
  if (!call) crucible__die("no memory to note that a call is withdrawn");
  *call = (struct abandoned){.place = *place};
  wide_note_abandoned(name, call, call);
  fetch_or_seq_cst(&name->component->word.attention, ABANDONED);  // partner: the load in attention
  struct reaction *reaction = crucible__wide_attend(self, name->component);
  if (reaction) crucible__submit_elsewhere(reaction);
}

/// Tries the calls of a name until no count of it is left. True: something changed by it, or meanwhile. What is still
/// undecided is on the list again, and what has not been tried.
static bool wide_retry(struct thread *self, struct component *component, struct crucible_name *name) {
  // partner: the compare-and-swap in wide_note_abandoned; unseen order: both sides modify it; the later reads the
  // earlier; unseen acquire: by reading alone: it reads the calls; unseen release: hands nothing on
  struct abandoned *call = exchange_seq_cst(&name->aside.abandoned, NULL), *next;
  bool changed = false;
  CRUCIBLE_FIRING(room, component);
  for (; call; call = next) {
    next = call->next;
    bool given_back = false;
    enum withdrawal answer = wide_try_to_withdraw(self, name, &call->place, room.storage, &given_back);
    if (answer == UNDECIDED) {
      struct abandoned *last = call;
      while (last->next) last = last->next;
      wide_note_abandoned(name, call, last);
      // Counted meanwhile? The thread that counted it may have found the list empty, while it was in this thread's
      // hands.
      if (wide_has_counts(component, name)) changed = true;
      break;
    }
    if (answer == WITHDRAWN) {
      crucible__destroy_value(name, room.storage, CRUCIBLE_WITHDRAWN);
      fetch_add_relaxed(&component->soup->withdrawn, 1);
      changed = true;  // room was made
    }
    if (given_back) changed = true;
    crucible__free(call, sizeof *call);
  }
  CRUCIBLE_FIRING_END(room, component);
  return changed;
}

bool crucible__wide_retry_abandoned(struct thread *self, struct component *component) {
  bool changed = false;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    if (name->kind == CRUCIBLE_STATE) continue;
    // unseen: this thread looks again, or has looked before
    if (!load_seq_cst(&name->aside.abandoned) || !wide_has_counts(component, name)) continue;
    if (wide_retry(self, component, name)) changed = true;
  }
  return changed;
}

void crucible__wide_forget_abandoned(struct component *component) {
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    // unseen: the last hold is gone; its release ordered all
    struct abandoned *call = load_acquire(&component->names[bit]->aside.abandoned), *next;
    for (; call; call = next) {
      next = call->next;
      crucible__free(call, sizeof *call);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Withdrawal
// ---------------------------------------------------------------------------------------------------------------------

enum withdrawal crucible__wide_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result) {
  struct component *component = name->component;
  bool given_back = false;
  enum withdrawal answer = wide_try_to_withdraw(self, name, place, result, &given_back);
  for (int i = 0; answer == UNDECIDED && i < CRUCIBLE_PATIENCE; i++) {
    spin_pause();
    answer = wide_try_to_withdraw(self, name, place, result, &given_back);
  }
  if (answer == UNDECIDED) wide_abandon(self, name, place);
  if (answer == WITHDRAWN && crucible__wide_attention(component) != 0) {
    struct reaction *reaction = crucible__wide_attend(self, component);  // WORD-3: room was made
    if (reaction) crucible__submit_elsewhere(reaction);
  }
  // Settling leaves further firings that are inline there; where there is an injection around this, it runs them.
  if (crucible__is_outermost(self)) crucible__hand_over(self);
  return answer;
}
