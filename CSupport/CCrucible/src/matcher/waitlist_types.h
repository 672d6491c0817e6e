// Types and functions for the files of a waiting list. Only they include this header. The invariants are in waitlist.c.

#ifndef CRUCIBLE_WAITLIST_TYPES_H
#define CRUCIBLE_WAITLIST_TYPES_H

#include <string.h>

#include "base/lock.h"
#include "base/memory.h"
#include "matcher/waitlist.h"

/// The mark in a molecule that is a token: the mark of a select's branch, and one further bit.
enum { TOKEN = 7, MARKS = 7 };

enum place_of_call { OUT, RETURNING, PARKED, OFFERED };

struct token {
  struct crucible_name *name;
  struct entry *entry;  ///< the offered call for which it stands
  struct place place;
  bool is_known;        ///< its place is known
  bool has_left;        ///< it has left the bag
  struct token *next;   ///< the list of tokens that are about to be pushed
};

struct entry {
  struct entry *next, **link;
  struct crucible_name *name;
  const crucible_waiter *waiter;
  enum place_of_call where;
  bool is_given_up;     ///< its caller has given up while its token could not be withdrawn
  bool is_rebound;      ///< it has given up, and now has another token, which must be withdrawn
  uint64_t seen;        ///< the number of events when it was last taken
  void *const *inputs;  ///< the inputs of the firing that has it
  void *input;          ///< its own input among these
  struct token *token;  ///< its token while it is offered
  size_t size;          ///< of the whole
  char *value;          ///< behind this, aligned
};

struct waitlist {
  struct matcher matcher;  ///< the matcher of the component; must be first
  const struct matcher *base;
  struct lock lock;  ///< protects the members that follow
  struct entry *first, **end;
  uint64_t events;
  uint64_t pushing;  ///< the number of tokens whose places are not known
  bool is_stopped;
  crucible_body bodies[];  ///< by reaction of the soup
};

static inline struct waitlist *list_of(const struct component *component) {
  const struct matcher *matcher = component ? component->matcher : NULL;
  return matcher && matcher->under ? (struct waitlist *)(uintptr_t)matcher : NULL;
}

static inline uintptr_t first_word(const void *value) {
  uintptr_t word;
  memcpy(&word, value, sizeof word);
  return word;
}

static inline struct token *token_of(const void *value) {
  uintptr_t word = first_word(value);
  return (word & MARKS) == TOKEN ? (struct token *)(word - TOKEN) : NULL;
}

// ---------------------------------------------------------------------------------------------------------------------
// With the lock
// ---------------------------------------------------------------------------------------------------------------------

static inline void unlink_entry(struct waitlist *list, struct entry *entry) {
  *entry->link = entry->next;
  if (entry->next) {
    entry->next->link = entry->link;
  } else {
    list->end = entry->link;
  }
  entry->next = NULL;
}

/// Moves the entry to a list of entries that are about to be removed.
static inline void move_to(struct entry **going, struct waitlist *list, struct entry *entry) {
  unlink_entry(list, entry);
  entry->next = *going;
  *going = entry;
}

static inline void bind(struct token *token, struct entry *entry) {
  token->entry = entry;
  entry->token = token;
  entry->where = OFFERED;
}

/// Ends a token that is in no bag. The thread that pushes it still accesses it until it has recorded its place.
static inline void leave_bag(struct token *token) {
  token->has_left = true;
  if (token->is_known) crucible__free(token, sizeof *token);
}

// ---------------------------------------------------------------------------------------------------------------------
// Without the lock
// ---------------------------------------------------------------------------------------------------------------------

static inline void free_entry(struct entry *entry) { crucible__free(entry, entry->size); }

#endif
