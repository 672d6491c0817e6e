// Callers that give up calls which were put back: see waitlist_withdraw.c.

#ifndef CRUCIBLE_WAITLIST_WITHDRAW_H
#define CRUCIBLE_WAITLIST_WITHDRAW_H

#include "matcher/matcher.h"

struct waitlist;

/// Takes the call of a caller that gives up out of the list, and destroys it (CRUCIBLE_WITHDRAWN). False: the list does
/// not have it.
bool crucible__waitlist_withdraw(struct thread *self, struct crucible_name *name, const crucible_waiter *waiter);
/// Whether the value is a token: then it is gone, and so is the call for which it stood.
bool crucible__waitlist_destroy(void *value, crucible_reason reason);

// For the files of a waiting list.

/// With the list's lock: whether a withdrawal has moved to another token (crucible__waitlist_withdraw_rebound).
bool crucible__waitlist_has_rebound(const struct waitlist *list);
/// Without the lock, after molecules were taken: the withdrawals that this has moved to other tokens.
void crucible__waitlist_withdraw_rebound(struct thread *self, struct waitlist *list);

#endif
