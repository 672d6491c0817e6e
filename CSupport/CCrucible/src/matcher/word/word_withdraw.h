// Withdrawing a call with the matcher `word`.

#ifndef CRUCIBLE_WORD_WITHDRAW_H
#define CRUCIBLE_WORD_WITHDRAW_H

#include "matcher/matcher.h"

/// Takes the counts of abandoned calls out, before a snapshot.
void crucible__word_end_abandoned(struct thread *self, struct component *component);
enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result);
/// CALL-1: gives a reserved count back under the rule of adding, but does not run the firings that this enables.
void crucible__word_give_count_back(struct thread *self, struct crucible_name *name);
/// Retries the abandoned calls of all names. True: this or another thread has changed something.
bool crucible__word_retry_abandoned(struct thread *self, struct component *component);
/// Frees the lists as the component is destroyed. No caller is left.
void crucible__word_forget_abandoned(struct component *component);

#endif
