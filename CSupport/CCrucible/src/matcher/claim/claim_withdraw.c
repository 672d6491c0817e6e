// Withdrawing a call on the matcher `claim`.
//
// A waiting call is one count of its name and one published molecule. A withdrawer first claims a count of the name, as
// a reaction does. Then it takes its own molecule out of the bag, at its place.
//   LEAVE-1  A thread that has claimed a count takes its own molecule for it. If a reaction or a drop took the molecule
//       first, the thread gives the count back under the rule of adding.
//   LEAVE-2  A count of 0 does not mean that a reaction has the molecule. A reaction may have claimed the count and
//       popped another molecule, published before this one and not counted yet. So while this molecule is there and no
//       count is, nothing is decided. Usually a firing is about to pop. If that takes longer, because the firing waits
//       for the pool, the withdrawer abandons the call: its caller does not wait. A firing that takes an abandoned call
//       finds that no caller waits for its reply.
//   LEAVE-3  At rest no abandoned call is counted. A thread that abandons a call puts it on the list of its name, and
//       sets ABANDONED in the word, which stays set. If the word has a count then, the thread retries the list. A
//       thread that adds a count finds ABANDONED in the same compare-and-swap, and retries the list. Calls that are
//       still undecided are put back on the list. Then the thread reads the count once more, because another thread may
//       have added one while the list was in its hands.
// A withdrawer never runs a body. It submits what it finds enabled to the pool.
//
// Progress: as for claims.h, except for memory. A withdrawer that stops hides the count that it has in hand. A thread
// that stops while it retries abandoned calls hides those of one name.

#include "matcher/abandoned.h"
#include "matcher/claim/claim.h"
#include "pool/pool.h"

static _Atomic uint64_t *word_of(const struct crucible_name *name) {
  struct claim *own = name->component->own;
  return &own->names[name->bit].word;
}

static bool is_sealed(uint64_t word) { return (word & CLAIM_CONTROL) == CLAIM_CONTROL; }

bool crucible__claim_one(const struct crucible_name *name, bool late) {
  _Atomic uint64_t *word = word_of(name);
  uint64_t before = crucible__look_to_change(word, name->bit);
  while (before >= CLAIM_ONE && (late ? (before & CLAIM_STOPPED) != 0 : !is_sealed(before))) {
    if (crucible__change(word, name->bit, &before, before - CLAIM_ONE)) return true;
  }
  return false;
}

/// Tries once to withdraw: see attempt_function.
static enum withdrawal try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result, bool *given_back) {
  if (!crucible__bag_holds(&name->bag, place)) return CONSUMED;
  if (!crucible__claim_one(name, false)) {
    return is_sealed(crucible__look(word_of(name), name->bit)) ? CONSUMED : UNDECIDED;  // HALT-4
  }
  if (crucible__bag_withdraw_mpmc(&name->bag, place, result)) return WITHDRAWN;
  crucible__claim_give_count_back(self, name);
  *given_back = true;
  return CONSUMED;
}

// ---------------------------------------------------------------------------------------------------------------------
// Abandoned calls
// ---------------------------------------------------------------------------------------------------------------------

static bool claim_has_counts(struct crucible_name *name) {
  return crucible__look(word_of(name), name->bit) >= CLAIM_ONE;
}

/// Abandons the call (LEAVE-3).
static void give_up(struct thread *self, struct crucible_name *name, const struct place *place) {
  crucible__abandon(name, place);
  _Atomic uint64_t *word = word_of(name);
  uint64_t before = crucible__look_to_change(word, name->bit);
  while (!crucible__change(word, name->bit, &before, before | CLAIM_ABANDONED)) {
  }
  if (before >= CLAIM_ONE) crucible__claim_retry_abandoned(self, name);
}

void crucible__claim_retry_abandoned(struct thread *self, struct crucible_name *name) {
  do {
    crucible__retry_abandoned(self, name, try_to_withdraw, claim_has_counts);
  } while (load_seq_cst(&name->aside.abandoned) && claim_has_counts(name));
}

// ---------------------------------------------------------------------------------------------------------------------
// Withdrawal
// ---------------------------------------------------------------------------------------------------------------------

enum withdrawal crucible__claim_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                         void *result) {
  enum withdrawal answer = crucible__withdraw_by(try_to_withdraw, self, name, place, result);
  if (answer == UNDECIDED) give_up(self, name, place);
  // Inline firings that were submitted are deferred to this thread. An enclosing injection runs them, or otherwise the
  // pool.
  if (crucible__is_outermost(self)) crucible__hand_over(self);
  return answer;
}
