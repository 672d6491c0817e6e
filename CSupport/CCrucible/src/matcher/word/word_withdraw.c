// Withdrawing a call.
//
// A waiting call is one count of its name and one published molecule. A withdrawer first takes a count of the name, as
// a reaction does. Then it takes its own molecule out of the bag, at its place.
//   CALL-1  A thread that reserved a count takes its own molecule for it. If a reaction or a drop took the molecule
//       first, the thread gives the count back under the rule of adding. So counted + spilled + reserved = published
//       all the time, and nothing that the withdrawal disabled in between stays enabled and unfired.
//   CALL-2  A count of 0 does not mean that a reaction has the molecule. A reaction may have taken the count and popped
//       another molecule, published before this one and not counted yet. So while this molecule is there and no count
//       is, nothing is decided. Usually a firing is about to pop. If that takes longer, because the firing waits for
//       the pool, the withdrawer abandons the call: its caller does not wait, and later threads retry the withdrawal
//       (CALL-3). A firing that takes an abandoned call finds that no caller waits for its reply.
// A withdrawer never runs a body. It submits what it finds enabled to the pool.
//
// Abandoned calls (CALL-2)
//   CALL-3  At rest no abandoned call is counted. A thread that abandons a call puts it on the list, sets ABANDONED,
//       and then retries it. If it is still undecided, the thread puts it back on the list, and retries as long as
//       anything changes. A thread that adds a count of the name later either fires that count, or reads the list
//       before it leaves.
//   CALL-4  Moving a spilled count is an addition. The thread that moves it reads the list afterwards, and again as
//       long as that changes anything.
//
// Progress: lock-free, except for memory. A withdrawer that stops hides the count that it has in hand from reactions. A
// thread that stops while it retries abandoned calls hides those of one name.

#include "base/errors.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "firing/firing.h"
#include "firing/origin.h"
#include "matcher/word/word.h"
#include "pool/pool.h"

void crucible__word_give_count_back(struct thread *self, struct crucible_name *name) {
  struct component *component = name->component;
  const struct word_form *form = crucible__form_of(component);
  uint64_t word = form->look(name);
  bool added = false;
  while (!added && (word & name->word.mask) < name->word.limit) {
    added = form->change(name, &word, word + name->word.unit);
  }
  if (!added) crucible__word_spill(component, name, 1);
  struct reaction *reaction = form->settle_all(self, component);
  if (!reaction && load_seq_cst(&component->attention) != 0) {
    if (form->look(name) & form->stopped) crucible__word_drop_stopped(component, true);
    reaction = crucible__word_attend(self, component);
  }
  if (reaction) crucible__submit_elsewhere(reaction);
}

/// Withdraws the oldest molecule.
static enum withdrawal withdraw_oldest(struct thread *self, struct crucible_name *name, void *result) {
  uint64_t attempts = 0;
  if (!crucible__word_take_one(self, name, false)) return CONSUMED;
  if (name->has_payload) crucible__word_pop(name, result, &attempts);
  return WITHDRAWN;
}

/// Tries once to withdraw. Sets `*given_back` if it gave a count back, so that another withdrawal may be possible now.
static enum withdrawal try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result, bool *given_back) {
  const struct word_form *form = crucible__form_of(name->component);
  if (!place) return withdraw_oldest(self, name, result);
  if (!crucible__bag_holds(&name->bag, place)) return CONSUMED;
  crucible__word_begin_hand(name->component);
  enum withdrawal answer = CONSUMED;
  if (!crucible__word_take_one(self, name, false)) {
    if (!crucible__form_sealed(form, form->look(name))) answer = UNDECIDED;  // STOP-6
  } else if (crucible__bag_withdraw_mpmc(&name->bag, place, result)) {
    answer = WITHDRAWN;
  } else {
    crucible__word_give_count_back(self, name);
    *given_back = true;
  }
  crucible__word_end_hand(name->component);
  return answer;
}

// ---------------------------------------------------------------------------------------------------------------------
// Abandoned calls
// ---------------------------------------------------------------------------------------------------------------------

/// Without a count nothing can be withdrawn.
static bool has_counts(struct crucible_name *name) {
  const struct word_form *form = crucible__form_of(name->component);
  return crucible__form_counted(form, name, form->look(name)) || load_seq_cst(&name->overflow) != 0;
}

/// A call whose caller has given up, and whose molecule another thread still has to withdraw.
struct abandoned {
  struct abandoned *next;
  struct place place;
};

/// Puts the calls from `first` to `last` on the list of their name.
static void push_abandoned(struct crucible_name *name, struct abandoned *first, struct abandoned *last) {
  last->next = load_relaxed(&name->abandoned);
  // partner: the exchange in retry_abandoned
  while (!cas_seq_cst(&name->abandoned, &last->next, first)) {
  }
}

/// Puts the call on the list of calls to be withdrawn later, and retries at once. Aborts with a message when there is
/// no memory, because the caller leaves, and no other thread knows that the molecule must go too.
static void abandon(struct thread *self, struct crucible_name *name, const struct place *place) {
  struct abandoned *call = crucible__allocate(sizeof *call, CRUCIBLE_LINE);
  if (!call) crucible__die("no memory to note that a call is withdrawn");
  *call = (struct abandoned){.place = *place};
  push_abandoned(name, call, call);
  fetch_or_seq_cst(&name->component->attention, ABANDONED);  // partner: the loads in fired and before leaving
  struct reaction *reaction = crucible__word_attend(self, name->component);
  if (reaction) crucible__submit_elsewhere(reaction);
}

/// Retries the calls of a name until no count of it is left. True: this or another thread has changed something. Calls
/// that are still undecided, or were not retried, are on the list again.
static bool retry_abandoned(struct thread *self, struct crucible_name *name) {
  // partner: the CAS in push_abandoned
  struct abandoned *call = exchange_seq_cst(&name->abandoned, NULL), *next;
  bool changed = false;
  CRUCIBLE_FIRING(room, name->component);
  for (; call; call = next) {
    next = call->next;
    bool given_back = false;
    enum withdrawal answer = try_to_withdraw(self, name, &call->place, room.storage, &given_back);
    if (answer == UNDECIDED) {
      struct abandoned *last = call;
      while (last->next) last = last->next;
      push_abandoned(name, call, last);
      // The call may have been counted meanwhile. The thread that counted it may have found the list empty, while the
      // list was in this thread's hands.
      if (has_counts(name)) changed = true;
      break;
    }
    if (answer == WITHDRAWN) {
      crucible__destroy_value(name, room.storage, CRUCIBLE_WITHDRAWN);
      fetch_add_relaxed(&name->soup->withdrawn, 1);
      changed = true;  // the withdrawal made room
    }
    if (given_back) changed = true;
    crucible__free(call, sizeof *call);
  }
  CRUCIBLE_FIRING_END(room, name->component);
  return changed;
}

bool crucible__word_retry_abandoned(struct thread *self, struct component *component) {
  bool changed = false;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    if (name->kind == CRUCIBLE_STATE || !load_seq_cst(&name->abandoned) || !has_counts(name)) continue;
    if (retry_abandoned(self, name)) changed = true;
  }
  return changed;
}

void crucible__word_forget_abandoned(struct component *component) {
  if (!(load_relaxed(&component->attention) & ABANDONED)) return;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    struct abandoned *call = crucible__has_cell(name) ? NULL : load_acquire(&name->abandoned), *next;
    for (; call; call = next) {
      next = call->next;
      crucible__free(call, sizeof *call);
    }
  }
}

void crucible__word_end_abandoned(struct thread *self, struct component *component) {
  if (!(load_seq_cst(&component->attention) & ABANDONED)) return;
  struct stripe *stripe = crucible__enter(self, component->soup);  // it takes counts out, and may reserve a firing
  struct reaction *reaction = crucible__word_attend(self, component);
  if (reaction) crucible__submit_elsewhere(reaction);
  if (crucible__is_outermost(self)) crucible__hand_over(self);
  crucible__leave(stripe, component->soup);
}

enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result) {
  bool given_back = false;
  enum withdrawal answer = try_to_withdraw(self, name, place, result, &given_back);
  for (int i = 0; answer == UNDECIDED && i < CRUCIBLE_PATIENCE; i++) {
    spin_pause();
    answer = try_to_withdraw(self, name, place, result, &given_back);
  }
  if (answer == UNDECIDED) abandon(self, name, place);
  if (answer == WITHDRAWN && load_seq_cst(&name->component->attention) != 0) {
    struct reaction *reaction = crucible__word_attend(self, name->component);  // WORD-3: the withdrawal made room
    if (reaction) crucible__submit_elsewhere(reaction);
  }
  // Settling leaves further inline firings deferred. If there is an enclosing injection, it runs them.
  if (crucible__is_outermost(self)) crucible__hand_over(self);
  return answer;
}
