// Abandoned calls: withdrawals that cannot be decided yet. The caller tries for a while. Then it abandons its call, and
// other threads try again. CALL-3 (word/word_withdraw.c) and LEAVE-3 (claim/claim_withdraw.c) say which threads do.
//
// Progress: lock-free, but for memory. A thread that stops while it tries abandoned calls hides those of one name.

#ifndef CRUCIBLE_ABANDONED_H
#define CRUCIBLE_ABANDONED_H

#include "base/tuning.h"
#include "matcher/matcher.h"

/// One attempt of a withdrawal. Sets `*given_back` if it gave a count back, so that something else may be possible now.
typedef enum withdrawal (*attempt_function)(struct thread *self, struct crucible_name *name, const struct place *place,
                                            void *result, bool *given_back);
/// Whether any count of the name is there. Without one nothing can be withdrawn.
typedef bool (*counts_function)(struct crucible_name *name);

/// Attempts it until it is decided, but not for long.
static inline __attribute__((always_inline)) enum withdrawal crucible__withdraw_by(
    attempt_function attempt, struct thread *self, struct crucible_name *name, const struct place *place,
    void *result) {
  bool given_back = false;
  enum withdrawal answer = attempt(self, name, place, result, &given_back);
  for (int i = 0; answer == UNDECIDED && i < CRUCIBLE_PATIENCE; i++) {
    spin_pause();
    answer = attempt(self, name, place, result, &given_back);
  }
  return answer;
}

/// Puts the call on the list of those to be withdrawn later; what makes other threads look is the matcher's. Aborts
/// with a message when there is no memory: its caller goes, and no other thread knows that the molecule is to go too.
void crucible__abandon(struct crucible_name *name, const struct place *place);
/// Tries the calls of a name until no count of it is left. True: something changed by it, or meanwhile. What is still
/// undecided is on the list again, and what has not been tried.
bool crucible__retry_abandoned(struct thread *self, struct crucible_name *name, attempt_function attempt,
                               counts_function has_counts);
/// Tries the calls of all names of the component that have a count, like crucible__retry_abandoned.
bool crucible__retry_all_abandoned(struct thread *self, struct component *component, attempt_function attempt,
                                   counts_function has_counts);
/// When the component goes: no caller is left to retry for.
void crucible__forget_abandoned(struct component *component);

#endif
