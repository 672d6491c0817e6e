// Withdrawal of a call that waits in the list, or is offered, when its caller gives up (waitlist.c).
//
// A parked call leaves the list at once (WAITLIST-1). An offered call has a token in a bag. The token must leave the
// bag first, because a firing that pops a token must find a call (WAITLIST-2). A firing may pop that token meanwhile,
// and give the call another token. Then the thread that moved it withdraws that one.
//
// Callers: any thread that is counted in the soup. Runs no body. Progress: blocks on the list's lock; otherwise like
// the matcher's withdrawal.

#include "matcher/waitlist_withdraw.h"

#include "firing/firing.h"
#include "firing/origin.h"
#include "matcher/inject.h"
#include "matcher/waitlist_tokens.h"

/// Finds a call whose caller has given up, and that has got another token since. Null: there is none.
static struct entry *find_rebound(const struct waitlist *list) {
  struct entry *entry = list->first;
  while (entry && !(entry->is_rebound && entry->where == OFFERED)) entry = entry->next;
  return entry;
}

bool crucible__waitlist_has_rebound(const struct waitlist *list) { return find_rebound(list) != NULL; }

void crucible__waitlist_withdraw_rebound(struct thread *self, struct waitlist *list) {
  for (;;) {
    lock_acquire(&list->lock);
    struct entry *entry = find_rebound(list);
    if (entry) entry->is_rebound = false;
    struct crucible_name *name = entry ? entry->name : NULL;
    const crucible_waiter *waiter = entry ? entry->waiter : NULL;
    lock_release(&list->lock);
    if (!entry) return;
    crucible__waitlist_withdraw(self, name, waiter);
  }
}

static struct entry *find_waiting(const struct waitlist *list, const crucible_waiter *waiter) {
  struct entry *entry = list->first;
  while (entry && !(entry->waiter == waiter && entry->where != OUT)) entry = entry->next;
  return entry;
}

static enum withdrawal withdraw_token(struct thread *self, struct waitlist *list, struct crucible_name *name,
                                      const struct place *place, struct token **token) {
  CRUCIBLE_FIRING(room, name->component);
  enum withdrawal answer = list->base->withdraw(self, name, place, room.storage);
  *token = answer == WITHDRAWN ? token_of(room.storage) : NULL;
  CRUCIBLE_FIRING_END(room, name->component);
  return answer;
}

/// Pushes the tokens one by one, so that this thread defers no firing that no code here would drain.
static void push_elsewhere(struct waitlist *list, struct token *tokens) {
  for (struct token *next; tokens; tokens = next) {
    next = tokens->next;
    tokens->next = NULL;
    struct reaction *reaction = crucible__waitlist_push(crucible__thread(), list, tokens);
    if (reaction) crucible__submit_elsewhere(reaction);
  }
}

/// Ends a token that was withdrawn for a caller that gave up. Returns the entry to remove. Null: the token's own call
/// is offered again, by `*again`. Requires: the lock.
static struct entry *end_token(struct waitlist *list, struct token *token, struct token **again) {
  struct entry *own = token->entry, *going = own;
  if (!own->is_given_up) {
    going = list->first;
    while (going && !(going->is_given_up && going->where == OFFERED && going->name == own->name)) going = going->next;
    own->where = PARKED;
    own->seen = list->events - 1;
    own->token = NULL;
    if (going) {
      bind(going->token, own);
    } else {
      crucible__waitlist_offer(list, again);
    }
  }
  leave_bag(token);
  if (going) unlink_entry(list, going);
  return going;
}

bool crucible__waitlist_withdraw(struct thread *self, struct crucible_name *name, const crucible_waiter *waiter) {
  struct waitlist *list = list_of(name->component);
  if (!list) return false;
  for (;;) {
    lock_acquire(&list->lock);
    struct entry *entry = find_waiting(list, waiter);
    struct token *token = entry ? entry->token : NULL, *again = NULL;
    struct place place = {.serial = NOWHERE};
    if (token) {
      entry->is_given_up = true;
      if (token->is_known) place = token->place;
    } else if (entry) {
      unlink_entry(list, entry);
    }
    lock_release(&list->lock);
    if (!entry) return false;
    if (!token) {
      crucible__destroy_value(name, entry->value, CRUCIBLE_WITHDRAWN);
      free_entry(entry);
      fetch_add_relaxed(&name->soup->withdrawn, 1);
      return true;
    }
    if (place.serial == NOWHERE) return false;  // the thread that pushes it performs the withdrawal
    struct token *withdrawn;
    enum withdrawal answer = withdraw_token(self, list, name, &place, &withdrawn);
    if (answer == WITHDRAWN) {
      lock_acquire(&list->lock);
      struct entry *going = end_token(list, withdrawn, &again);
      lock_release(&list->lock);
      if (going) {
        crucible__waitlist_destroy_all(going, CRUCIBLE_WITHDRAWN);
        fetch_add_relaxed(&name->soup->withdrawn, 1);
      }
      push_elsewhere(list, again);
      return going != NULL;
    }
    if (answer == UNDECIDED) return false;
    // A firing has popped that token. It gives its body the token's call, or an older call.
    lock_acquire(&list->lock);
    entry = find_waiting(list, waiter);
    bool is_other = entry && entry->token && entry->token != token;
    lock_release(&list->lock);
    if (!is_other) return false;
  }
}

bool crucible__waitlist_destroy(void *value, crucible_reason reason) {
  struct token *token = token_of(value);
  if (!token) return false;
  struct crucible_name *name = token->name;
  struct waitlist *list = list_of(name->component);
  struct token *again = NULL;
  struct entry *going;
  lock_acquire(&list->lock);
  if (reason == CRUCIBLE_WITHDRAWN) {
    going = end_token(list, token, &again);
  } else {
    going = token->entry;
    leave_bag(token);
    unlink_entry(list, going);
  }
  lock_release(&list->lock);
  if (going) {
    crucible__waitlist_destroy_all(going, reason);
  } else {
    fetch_sub_relaxed(&name->soup->withdrawn, 1);  // the matcher has counted a withdrawal, and there is none
  }
  push_elsewhere(list, again);
  return true;
}
