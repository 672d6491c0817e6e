// Withdrawing a call: see word_withdraw.h.
//
// A waiting call is one count of its name and one published molecule. A withdrawer first takes a count of the name, as
// a reaction does. Then it takes its own molecule out of the bag, at its place.
//   CALL-1  A thread that reserved a count takes its own molecule for it. If a reaction or a drop took the molecule
//       first, the thread gives the count back under the rule of adding. So counted + spilled + reserved = published
//       all the time, and nothing that the withdrawal disabled in between stays enabled and unfired.
//   CALL-2  A count of 0 does not mean that a reaction has the molecule. A reaction may have taken the count and popped
//       another molecule, published before this one and not counted yet. So while this molecule is there and no count
//       is, nothing is decided. Usually a firing is about to pop. If that takes longer, because the firing waits for
//       the pool, the call is abandoned: its caller does not wait, and later threads try the withdrawal again (CALL-3).
//       A firing that takes an abandoned call finds that no caller waits for its reply.
// A withdrawer never runs a body. It submits what it finds enabled to the pool.
//
// Abandoned calls (CALL-2)
//   CALL-3  At rest no abandoned call is counted. A thread that abandons a call puts it on the list, sets ABANDONED,
//       and then tries again. If it is still undecided, the thread puts it back on the list, and tries again as long as
//       anything changes. A thread that adds a count of the name later fires it away, or reads the list before it
//       leaves.
//   CALL-4  Bringing a count over is an addition. The thread that brings it reads the list afterwards, and again as
//       long as that changes anything.
//
// Progress: lock-free, except for memory. A withdrawer that stops hides the count that it has in hand. A thread that
// stops while it tries abandoned calls again hides those of one name.

#include "matcher/word/word_withdraw.h"

#include "base/errors.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "firing/firing.h"
#include "firing/origin.h"
#include "matcher/word/word.h"
#include "pool/pool.h"

void crucible__word_give_count_back(struct thread *self, struct component *component, struct crucible_name *name) {
  uint64_t word;
  struct reaction *reaction =
      crucible__word_add(self, component, name, &word)
          ? crucible__word_settle_all(self, component, NULL)
          : crucible__word_settle(self, component, name->word.candidates, name->word.candidates_end, word, false, NULL);
  if (!reaction && load_seq_cst(&component->word.attention) != 0) reaction = crucible__word_attend(self, component);
  if (reaction) crucible__submit_elsewhere(reaction);
}

/// One attempt. `*given_back`: a count was given back, so that something else may be possible now.
static enum withdrawal try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result, bool *given_back) {
  struct component *component = name->component;
  while (crucible__bag_holds(&name->bag, place)) {
    uint64_t word = load_seq_cst(&component->word.state);  // unseen: a later CAS confirms it, or nothing is to do
    if (crucible__word_counted(name, word)) {
      if (!cas_seq_cst(&component->word.state, &word, word - name->word.unit)) continue;
    } else {
      // unseen order: a later CAS confirms it, or nothing is to do; unseen acquire: counted only; the slot's turn
      // orders the payload
      uint64_t over = load_seq_cst(&name->aside.overflow);
      if (over == 0) return UNDECIDED;
      // unseen order: both sides modify it; the later reads the earlier; unseen acquire, release: counted only; the
      // slot's turn orders the payload
      if (!cas_seq_cst(&name->aside.overflow, &over, over - 1)) continue;
    }
    if (crucible__bag_withdraw_mpmc(&name->bag, place, result)) return WITHDRAWN;
    crucible__word_give_count_back(self, component, name);
    *given_back = true;
    break;
  }
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
static void push_abandoned(struct crucible_name *name, struct abandoned *first, struct abandoned *last) {
  last->next = load_relaxed(&name->aside.abandoned);
  // unseen order: both sides modify it; the later reads the earlier; unseen acquire: hands nothing on
  while (!cas_seq_cst(&name->aside.abandoned, &last->next, first)) {
  }
}

/// Without a count of the name nothing can be withdrawn.
static bool has_counts(const struct component *component, struct crucible_name *name) {
  // unseen order: this thread looks again, or has looked before; unseen acquire: counted only; the slot's turn orders
  // the payload
  return crucible__word_counted(name, load_seq_cst(&component->word.state)) || load_seq_cst(&name->aside.overflow) != 0;
}

/// Puts the call on the list of those to be withdrawn later, and looks at once. Aborts with a message when there is no
/// memory: its caller goes, and no other thread knows that the molecule is to go too.
static void abandon(struct thread *self, struct crucible_name *name, const struct place *place) {
  struct abandoned *call = crucible__allocate(sizeof *call, 64);
  if (!call) crucible__die("no memory to note that a call is withdrawn");
  *call = (struct abandoned){.place = *place};
  push_abandoned(name, call, call);
  fetch_or_seq_cst(&name->component->word.attention, ABANDONED);  // partner: the loads in fired and before leaving
  struct reaction *reaction = crucible__word_attend(self, name->component);
  if (reaction) crucible__submit_elsewhere(reaction);
}

/// Tries the calls of a name until no count of it is left. True: something changed by it, or meanwhile. What is still
/// undecided is on the list again, and what has not been tried.
static bool retry(struct thread *self, struct component *component, struct crucible_name *name) {
  // unseen order: both sides modify it; the later reads the earlier; unseen release: hands nothing on
  struct abandoned *call = exchange_seq_cst(&name->aside.abandoned, NULL);
  bool changed = false;
  CRUCIBLE_FIRING(room, component);
  while (call) {
    struct abandoned *next = call->next;
    bool given_back = false;
    enum withdrawal result = try_to_withdraw(self, name, &call->place, room.storage, &given_back);
    if (result == UNDECIDED) {
      struct abandoned *last = call;
      while (last->next) last = last->next;
      push_abandoned(name, call, last);
      // Counted meanwhile? The thread that counted it may have found the list empty, while it was in this thread's
      // hands.
      if (has_counts(component, name)) changed = true;
      break;
    }
    if (result == WITHDRAWN) {
      crucible__destroy_value(name, room.storage, CRUCIBLE_WITHDRAWN);
      fetch_add_relaxed(&component->soup->withdrawn, 1);
      changed = true;  // room was made
    }
    if (given_back) changed = true;
    crucible__free(call, sizeof *call);
    call = next;
  }
  CRUCIBLE_FIRING_END(room, component);
  return changed;
}

bool crucible__word_retry_abandoned(struct thread *self, struct component *component) {
  bool changed = false;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    // unseen: this thread looks again, or has looked before
    if (name->kind == CRUCIBLE_STATE || !load_seq_cst(&name->aside.abandoned) || !has_counts(component, name)) continue;
    if (retry(self, component, name)) changed = true;
  }
  return changed;
}

// ---------------------------------------------------------------------------------------------------------------------
// Withdrawal
// ---------------------------------------------------------------------------------------------------------------------

enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result) {
  struct component *component = name->component;
  bool given_back = false;
  enum withdrawal answer = try_to_withdraw(self, name, place, result, &given_back);
  for (int i = 0; answer == UNDECIDED && i < CRUCIBLE_PATIENCE; i++) {
    spin_pause();
    answer = try_to_withdraw(self, name, place, result, &given_back);
  }
  if (answer == UNDECIDED) abandon(self, name, place);
  if (answer == WITHDRAWN && load_seq_cst(&component->word.attention) != 0) {
    struct reaction *reaction = crucible__word_attend(self, component);  // WORD-3: room was made
    if (reaction) crucible__submit_elsewhere(reaction);
  }
  // Settling leaves further firings that are inline there; where there is an injection around this, it runs them.
  if (crucible__is_outermost(self)) crucible__hand_over(self);
  return answer;
}

void crucible__word_forget_abandoned(struct component *component) {
  for (uint32_t i = 0; i < component->name_count; i++) {
    // unseen: the last hold is gone; its release ordered all
    struct abandoned *call = load_acquire(&component->names[i]->aside.abandoned);
    while (call) {
      struct abandoned *next = call->next;
      crucible__free(call, sizeof *call);
      call = next;
    }
  }
}
