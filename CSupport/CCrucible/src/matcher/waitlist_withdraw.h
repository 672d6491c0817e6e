// Callers that give up calls that were put back: see waitlist_withdraw.c.

#ifndef CRUCIBLE_WAITLIST_WITHDRAW_H
#define CRUCIBLE_WAITLIST_WITHDRAW_H

#include "matcher/matcher.h"

struct waitlist;

/// Takes the call of a caller that gives up out of the list, and destroys it (CRUCIBLE_WITHDRAWN). False: the list does
/// not have the call.
bool crucible__waitlist_withdraw(struct thread *self, struct crucible_name *name, const crucible_waiter *waiter);
/// Destroys the value if it is a token, and the call for which it stands. Returns whether it is one.
bool crucible__waitlist_destroy(void *value, crucible_reason reason);

// For the files of a waiting list.

/// Whether a withdrawal has moved to another token (crucible__waitlist_withdraw_rebound). Requires: the list's lock.
bool crucible__waitlist_has_rebound(const struct waitlist *list);
/// Performs the withdrawals that have moved to other tokens because molecules were taken. Requires: the lock is not
/// held.
void crucible__waitlist_withdraw_rebound(struct thread *self, struct waitlist *list);

#endif
