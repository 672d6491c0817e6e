// Withdrawing a call with the matcher `word`.

#ifndef CRUCIBLE_WORD_WITHDRAW_H
#define CRUCIBLE_WORD_WITHDRAW_H

#include "matcher/abandoned.h"

/// Does what a thread must do before it leaves: see crucible__word_attend.
typedef struct reaction *(*attend_function)(struct thread *self, struct component *component);
/// Withdraws a call by the functions of one form of the matcher.
enum withdrawal crucible__word_withdraw_by(attempt_function attempt, attend_function attend, struct thread *self,
                                           struct crucible_name *name, const struct place *place, void *result);
/// Takes the counts of abandoned calls out, before a snapshot.
void crucible__word_end_abandoned(struct thread *self, struct component *component, attend_function attend);
enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result);
/// CALL-1: gives a reserved count back under the rule of adding, but does not run the firings that this enables.
void crucible__word_give_count_back(struct thread *self, struct crucible_name *name);
/// Retries the abandoned calls of all names. True: this or another thread has changed something.
bool crucible__word_retry_abandoned(struct thread *self, struct component *component);

#endif
