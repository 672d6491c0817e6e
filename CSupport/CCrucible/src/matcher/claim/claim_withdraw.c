// Withdrawing a call on the matcher `claim`.
//
// A waiting call is one count of its name and one published molecule. A withdrawer first claims a count of the name, as
// a reaction does. Then it takes its own molecule out of the bag, at its place.
//   LEAVE-1  A thread that has claimed a count takes its own molecule for it. If a reaction or a drop took the molecule
//       first, the thread gives the count back under the rule of adding.
//   LEAVE-2  A count of 0 does not mean that a reaction has the molecule. A reaction may have claimed the count and
//       popped another molecule, published before this one and not counted yet. So while this molecule is there and no
//       count is, nothing is decided. Usually a firing is about to pop. If that takes longer, because the firing waits
//       for the pool, the call is abandoned: its caller does not wait. A firing that takes an abandoned call finds that
//       no caller waits for its reply.
//   LEAVE-3  At rest no abandoned call is counted. A thread that abandons a call puts it on the list of its name, sets
//       ABANDONED in the word, which never goes, and tries the list if the word has a count then. A thread that adds a
//       count finds ABANDONED in the same compare-and-swap, and tries the list. What is undecided still is put back on
//       the list; then the thread looks at the count once more, lest another one added while the list was in its hands.
// A withdrawer never runs a body. It submits what it finds enabled to the pool.
//
// Progress: as of claims.h, except for memory. A withdrawer that stops hides the count that it has in hand. A thread
// that stops while it tries abandoned calls again hides those of one name.

#include "base/errors.h"
#include "base/memory.h"
#include "base/tuning.h"
#include "firing/origin.h"
#include "matcher/claim/claim.h"
#include "pool/pool.h"

static _Atomic uint64_t *word_of(const struct crucible_name *name) {
  struct claim *own = name->component->own;
  return &own->names[name->bit].word;
}

/// Claims one count of the name. False: it has none.
static bool claim_one(const struct crucible_name *name) {
  _Atomic uint64_t *word = word_of(name);
  uint64_t before = crucible__look_to_change(word, name->bit);
  while (before >= CLAIM_ONE) {
    if (crucible__change(word, name->bit, &before, before - CLAIM_ONE)) return true;
  }
  return false;
}

/// One attempt.
static enum withdrawal try_to_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result) {
  if (!crucible__bag_holds(&name->bag, place)) return CONSUMED;
  if (!claim_one(name)) return UNDECIDED;
  if (crucible__bag_withdraw_mpmc(&name->bag, place, result)) return WITHDRAWN;
  crucible__claim_give_count_back(self, name);
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
static void note_abandoned(struct crucible_name *name, struct abandoned *first, struct abandoned *last) {
  last->next = load_relaxed(&name->aside.abandoned);
  // partner: the exchange; unseen: both sides modify it; the later reads the earlier
  while (!cas_seq_cst(&name->aside.abandoned, &last->next, first)) {
  }
}

/// LEAVE-3
static void give_up(struct thread *self, struct crucible_name *name, const struct place *place) {
  struct abandoned *call = crucible__allocate(sizeof *call, 64);
  if (!call) crucible__die("no memory to note that a call is withdrawn");
  *call = (struct abandoned){.place = *place};
  note_abandoned(name, call, call);
  _Atomic uint64_t *word = word_of(name);
  uint64_t before = crucible__look_to_change(word, name->bit);
  while (!crucible__change(word, name->bit, &before, before | CLAIM_ABANDONED)) {
  }
  if (before >= CLAIM_ONE) crucible__claim_retry_abandoned(self, name);
}

void crucible__claim_retry_abandoned(struct thread *self, struct crucible_name *name) {
  struct component *component = name->component;
  CRUCIBLE_FIRING(room, component);
  do {
    // partner: the compare-and-swap in note_abandoned; unseen order: both sides modify it; the later reads the earlier;
    // unseen release: hands nothing on
    struct abandoned *call = exchange_seq_cst(&name->aside.abandoned, NULL), *next;
    for (; call; call = next) {
      next = call->next;
      enum withdrawal answer = try_to_withdraw(self, name, &call->place, room.storage);
      if (answer == UNDECIDED) {
        struct abandoned *last = call;
        while (last->next) last = last->next;
        note_abandoned(name, call, last);
        break;
      }
      if (answer == WITHDRAWN) {
        crucible__destroy_value(name, room.storage, CRUCIBLE_WITHDRAWN);
        fetch_add_relaxed(&component->soup->withdrawn, 1);
      }
      crucible__free(call, sizeof *call);
    }
    // unseen: this thread looks again, or has looked before
  } while (load_seq_cst(&name->aside.abandoned) && crucible__look(word_of(name), name->bit) >= CLAIM_ONE);
  CRUCIBLE_FIRING_END(room, component);
}

void crucible__claim_forget_abandoned(struct crucible_name *name) {
  // unseen: the last hold is gone; its release ordered all
  struct abandoned *call = load_acquire(&name->aside.abandoned);
  for (struct abandoned *next; call; call = next) {
    next = call->next;
    crucible__free(call, sizeof *call);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Withdrawal
// ---------------------------------------------------------------------------------------------------------------------

enum withdrawal crucible__claim_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                         void *result) {
  enum withdrawal answer = try_to_withdraw(self, name, place, result);
  for (int i = 0; answer == UNDECIDED && i < CRUCIBLE_PATIENCE; i++) {
    spin_pause();
    answer = try_to_withdraw(self, name, place, result);
  }
  if (answer == UNDECIDED) give_up(self, name, place);
  // What was submitted inline is there; where there is an injection around this, it runs it.
  if (crucible__is_outermost(self)) crucible__hand_over(self);
  return answer;
}
