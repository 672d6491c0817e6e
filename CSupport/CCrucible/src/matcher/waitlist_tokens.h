// Tokens of calls that were put back: see waitlist_tokens.c.

#ifndef CRUCIBLE_WAITLIST_TOKENS_H
#define CRUCIBLE_WAITLIST_TOKENS_H

#include "matcher/waitlist_types.h"

/// With the list's lock: makes tokens for the calls that wait for an event which has come, and puts them in front of
/// `tokens`' end.
void crucible__waitlist_offer(struct waitlist *list, struct token **tokens);

// Without the lock.

/// Aborts with a message when there is no memory.
void *crucible__waitlist_allocate(size_t size);
/// Destroys the calls. Answers how many there were.
uint64_t crucible__waitlist_destroy_all(struct entry *going, crucible_reason reason);
/// Pushes the tokens, oldest first. Answers a firing that is reserved, or null; further ones have been submitted.
struct reaction *crucible__waitlist_push(struct thread *self, struct waitlist *list, struct token *tokens);

#endif
