// Tokens of calls that were put back: see waitlist_tokens.c.

#ifndef CRUCIBLE_WAITLIST_TOKENS_H
#define CRUCIBLE_WAITLIST_TOKENS_H

#include "matcher/waitlist_types.h"

/// Makes tokens for the parked calls that wait for an event that has happened since, and appends them to `tokens`.
/// Requires: the list's lock.
void crucible__waitlist_offer(struct waitlist *list, struct token **tokens);

// These functions require that the list's lock is not held.

/// Allocates. Aborts with a message when there is no memory.
void *crucible__waitlist_allocate(size_t size);
/// Destroys the calls. Returns their number.
uint64_t crucible__waitlist_destroy_all(struct entry *going, crucible_reason reason);
/// Pushes the tokens, oldest first. Returns a reserved firing, or null. Further ones have been submitted.
struct reaction *crucible__waitlist_push(struct thread *self, struct waitlist *list, struct token *tokens);

#endif
