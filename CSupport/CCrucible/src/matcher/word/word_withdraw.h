// Withdrawing a call with the matcher `word`.

#ifndef CRUCIBLE_WORD_WITHDRAW_H
#define CRUCIBLE_WORD_WITHDRAW_H

#include "matcher/matcher.h"

enum withdrawal crucible__word_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result);
/// CALL-1: gives a count back that was taken, under the rule of adding, but without running what it fires.
void crucible__word_give_count_back(struct thread *self, struct crucible_name *name);
/// Tries the abandoned calls of all names again. True: something changed by it, or meanwhile.
bool crucible__word_retry_abandoned(struct thread *self, struct component *component);

#endif
