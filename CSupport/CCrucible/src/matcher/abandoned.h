// Abandoned calls: withdrawals that cannot be decided yet. The caller retries for a while. Then it abandons its call,
// and other threads retry. CALL-3 (word/word_withdraw.c) explains which threads do.
//
// Progress: lock-free, except for memory. A thread that stops while it retries abandoned calls hides those of one name.

#ifndef CRUCIBLE_ABANDONED_H
#define CRUCIBLE_ABANDONED_H

#include "base/tuning.h"
#include "matcher/matcher.h"

/// One attempt of a withdrawal. Sets `*given_back` if it gave a count back, so that another withdrawal may be possible
/// now.
typedef enum withdrawal (*attempt_function)(struct thread *self, struct crucible_name *name, const struct place *place,
                                            void *result, bool *given_back);
/// Whether the name has any count. Without one nothing can be withdrawn.
typedef bool (*counts_function)(struct crucible_name *name);

/// Retries the attempt until it is decided, but not for long.
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

/// Puts the call on the list of calls to be withdrawn later. The matcher must make other threads check the list. Aborts
/// with a message when there is no memory, because the caller leaves, and no other thread knows that the molecule must
/// go too.
void crucible__abandon(struct crucible_name *name, const struct place *place);
/// Retries the calls of a name until no count of it is left. True: this or another thread has changed something. Calls
/// that are still undecided, or were not retried, are on the list again.
bool crucible__retry_abandoned(struct thread *self, struct crucible_name *name, attempt_function attempt,
                               counts_function has_counts);
/// Retries the calls of all names of the component that have a count, like crucible__retry_abandoned.
bool crucible__retry_all_abandoned(struct thread *self, struct component *component, attempt_function attempt,
                                   counts_function has_counts);
/// Frees the lists as the component is destroyed. No caller is left.
void crucible__forget_abandoned(struct component *component);

#endif
