// The tokens of a waiting list: the molecules in a bag that stand for offered calls (WAITLIST-2; waitlist.c).
//
// A token is made under the list's lock, when its call is offered, and pushed without it. The thread that pushes it
// accesses it until it has recorded its place. A caller that gives up in between leaves its withdrawal to that thread.
//
// Callers: the files of the waiting list. Progress: like adding a molecule, and blocks on the list's lock.

#include "matcher/waitlist_tokens.h"

#include "base/errors.h"
#include "firing/origin.h"
#include "matcher/inject.h"
#include "matcher/waitlist_withdraw.h"

void *crucible__waitlist_allocate(size_t size) {
  void *memory = crucible__allocate(size, 64);
  if (!memory) crucible__die("no memory to put a call back");
  return memory;
}

void crucible__waitlist_offer(struct waitlist *list, struct token **tokens) {
  while (*tokens) tokens = &(*tokens)->next;
  for (struct entry *entry = list->first; entry; entry = entry->next) {
    if (entry->where != PARKED || entry->seen == list->events) continue;
    struct token *token = crucible__waitlist_allocate(sizeof *token);
    *token = (struct token){.name = entry->name, .place = {.serial = NOWHERE}};
    bind(token, entry);
    list->pushing++;
    *tokens = token;
    tokens = &token->next;
  }
}

uint64_t crucible__waitlist_destroy_all(struct entry *going, crucible_reason reason) {
  uint64_t count = 0;
  for (struct entry *next; going; going = next, count++) {
    next = going->next;
    crucible__destroy_value(going->name, going->value, reason);
    free_entry(going);
  }
  return count;
}

/// Adds the token to the bag under the rule of adding, but runs no body. The token may stand for another call by then.
static struct added add_token(struct thread *self, struct waitlist *list, struct crucible_name *name,
                              struct token *token, struct place *place) {
  CRUCIBLE_FIRING(room, name->component);
  size_t size = (size_t)name->size + name->alignment;
  char *memory = crucible__storage(size), *value = crucible__aligned(memory, name->alignment);
  uintptr_t word = (uintptr_t)token + TOKEN;
  memset(value, 0, name->size);  // the token has no origin
  memcpy(value, &word, sizeof word);
  *place = (struct place){.serial = NOWHERE};
  self->depth += CRUCIBLE_DEPTH;  // so the molecule is stored, and nothing is taken here
  struct added added = list->base->add(self, name, value, 0, place, &room);
  self->depth -= CRUCIBLE_DEPTH;
  crucible__storage_free(memory, size);
  CRUCIBLE_FIRING_END(room, name->component);
  return added;
}

struct reaction *crucible__waitlist_push(struct thread *self, struct waitlist *list, struct token *tokens) {
  struct reaction *last = NULL;
  for (struct token *next; tokens; tokens = next) {
    struct crucible_name *name = tokens->name;
    next = tokens->next;
    struct place place;
    struct added added = add_token(self, list, name, tokens, &place);
    if (added.reaction && last) crucible__submit(self, last);
    if (added.reaction) last = added.reaction;
    struct entry *going = NULL;
    const crucible_waiter *given_up = NULL;
    lock_acquire(&list->lock);
    list->pushing--;
    tokens->is_known = true;
    tokens->place = place;
    if (added.status != CRUCIBLE_OK) {
      move_to(&going, list, tokens->entry);
      leave_bag(tokens);
    } else if (tokens->has_left) {
      leave_bag(tokens);
    } else if (tokens->entry->is_given_up) {
      given_up = tokens->entry->waiter;  // its token had no place when the caller gave up
    }
    lock_release(&list->lock);
    if (added.status == CRUCIBLE_NO_MEMORY) crucible__die("no memory to put a call back");
    if (going) crucible__add_dropped(name->soup, crucible__waitlist_destroy_all(going, CRUCIBLE_STOPPED_SOUP));
    if (given_up) crucible__waitlist_withdraw(self, name, given_up);
  }
  return last;
}
