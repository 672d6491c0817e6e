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
// Progress: lock-free, except for memory. A withdrawer that stops hides the count that it has in hand. A thread that
// stops while it retries abandoned calls hides those of one name.

#include "matcher/word/word_withdraw.h"

#include "firing/firing.h"
#include "matcher/word/word.h"
#include "matcher/word/word_control.h"
#include "pool/pool.h"

void crucible__word_give_count_back(struct thread *self, struct crucible_name *name) {
  struct component *component = name->component;
  uint64_t word;
  struct reaction *reaction =
      crucible__word_add(self, component, name, name->word.unit, &word)
          ? crucible__word_settle_all(self, component)
          : crucible__word_settle(self, component, name->word.candidates, name->word.candidates_end, word, false);
  if (!reaction && load_seq_cst(&component->attention) != 0) {
    if (word & WORD_STOPPED) crucible__word_drop_stopped(component, true);
    reaction = crucible__word_attend(self, component);
  }
  if (reaction) crucible__submit_elsewhere(reaction);
}

/// Tries once to withdraw: see attempt_function.
static enum withdrawal try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result, bool *given_back) {
  struct component *component = name->component;
  while (crucible__bag_holds(&name->bag, place)) {
    uint64_t word = load_seq_cst(&component->word.state);
    if (UNLIKELY((word & WORD_CONTROL) == WORD_CONTROL)) break;  // STOP-6
    if (crucible__word_counted(name, word)) {
      if (!cas_seq_cst(&component->word.state, &word, word - name->word.unit)) continue;
    } else {
      uint64_t over = load_seq_cst(&name->aside.overflow);
      if (over == 0) return UNDECIDED;
      crucible__show_entry(self, component->soup);  // STOP-6
      if ((load_seq_cst(&component->word.state) & WORD_CONTROL) == WORD_CONTROL) break;
      if (!cas_seq_cst(&name->aside.overflow, &over, over - 1)) continue;
    }
    if (crucible__bag_withdraw_mpmc(&name->bag, place, result)) return WITHDRAWN;
    crucible__word_give_count_back(self, name);
    *given_back = true;
    break;
  }
  return CONSUMED;
}

// ---------------------------------------------------------------------------------------------------------------------
// Abandoned calls
// ---------------------------------------------------------------------------------------------------------------------

static bool has_counts(struct crucible_name *name) {
  uint64_t word = load_seq_cst(&name->component->word.state);
  return crucible__word_counted(name, word) || load_seq_cst(&name->aside.overflow) != 0;
}

/// Puts the call on the list of calls to be withdrawn later, and retries at once.
static void abandon(struct thread *self, struct crucible_name *name, const struct place *place,
                    attend_function attend) {
  crucible__abandon(name, place);
  fetch_or_seq_cst(&name->component->attention, ABANDONED);  // partner: the loads in fired and before leaving
  struct reaction *reaction = attend(self, name->component);
  if (reaction) crucible__submit_elsewhere(reaction);
}

bool crucible__word_retry_abandoned(struct thread *self, struct component *component) {
  return crucible__retry_all_abandoned(self, component, try_to_withdraw, has_counts);
}

void crucible__word_end_abandoned(struct thread *self, struct component *component, attend_function attend) {
  if (!(load_seq_cst(&component->attention) & ABANDONED)) return;
  struct stripe *stripe = crucible__enter(self, component->soup);  // it takes counts out, and may reserve a firing
  struct reaction *reaction = attend(self, component);
  if (reaction) crucible__submit_elsewhere(reaction);
  if (crucible__is_outermost(self)) crucible__hand_over(self);
  crucible__leave(stripe, component->soup);
}

// ---------------------------------------------------------------------------------------------------------------------
// Withdrawal
// ---------------------------------------------------------------------------------------------------------------------

enum withdrawal crucible__word_withdraw_by(attempt_function attempt, attend_function attend, struct thread *self,
                                           struct crucible_name *name, const struct place *place, void *result) {
  struct component *component = name->component;
  enum withdrawal answer = crucible__withdraw_by(attempt, self, name, place, result);
  if (answer == UNDECIDED) abandon(self, name, place, attend);
  if (answer == WITHDRAWN && load_seq_cst(&component->attention) != 0) {
    struct reaction *reaction = attend(self, component);  // WORD-3: the withdrawal made room
    if (reaction) crucible__submit_elsewhere(reaction);
  }
  // Settling leaves further inline firings deferred. If there is an enclosing injection, it runs them.
  if (crucible__is_outermost(self)) crucible__hand_over(self);
  return answer;
}

enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result) {
  return crucible__word_withdraw_by(try_to_withdraw, crucible__word_attend, self, name, place, result);
}
