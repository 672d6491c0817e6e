// The shelf of a name: its waiting molecules on the matchers `locked` and `arrival`, oldest first. Not thread-safe: the
// owner holds a lock.
//
// A molecule with a value has a node. Molecules without one only count, or, where their order matters, share a node as
// long as no other molecule arrived between them. The memory of nodes is used again, and freed with the shelf. So a
// place can name a node, and the number in it shows whether the molecule is still the one that was put there.

#ifndef CRUCIBLE_SHELF_H
#define CRUCIBLE_SHELF_H

#include <string.h>

#include "bag/bag.h"
#include "base/lock.h"
#include "types.h"

struct node {
  struct node *next;      ///< younger on its shelf; in a match, the node of the next input; in `free`, the next one
  struct node *previous;  ///< older on its shelf; in the first node of a match, the next match of the reaction
  uint64_t number;        ///< of the arrival; of several, that of the first
  uint64_t times;         ///< with a value, how often it was put back; otherwise the number of molecules
  bool waits;             ///< it is on the shelf
};

/// A node of a name whose molecules expire.
struct timed {
  struct node node;
  uint64_t due;  ///< when it expires
};

/// The number of an unused node.
#define NO_ARRIVAL UINT64_MAX

struct shelf {
  // Those that an injection needs come first.
  uint64_t count;                                ///< the number of molecules on it
  struct node *first, *last;                     ///< the oldest and the youngest
  struct node *free;
  struct node *standby;                          ///< for a molecule that completes a match when there is no memory
  uint32_t payload;                              ///< offset of its value
  uint32_t alignment;
  char *fresh, *fresh_end;                       ///< room for nodes that were never used
  size_t stride;                                 ///< bytes of a node
  uint64_t bit;                                  ///< in `presence`; 0: the name is paused, or has no bit
  bool is_paused;
  struct reaction **reactions, **reactions_end;  ///< the reactions that consume the name
  struct block *blocks;
  struct crucible_name *name;                    ///< of its molecules; null: the nodes are no molecules
};

/// The reserved firings of a reaction that were not taken yet, oldest first. The first node represents each.
struct matches {
  struct node *first, *last;
};

static inline void crucible__keep_match(struct matches *matches, struct node *nodes) {
  nodes->previous = NULL;
  if (matches->first) {
    matches->last->previous = nodes;
  } else {
    matches->first = nodes;
  }
  matches->last = nodes;
}

/// Takes the oldest. Requires: there is one.
static inline struct node *crucible__take_match(struct matches *matches) {
  struct node *nodes = matches->first;
  matches->first = nodes->previous;
  return nodes;
}

/// Creates a shelf. Each node has a head and a value of these sizes. `name`: the name to warn about; null: none.
void crucible__shelf_begin(struct shelf *shelf, struct crucible_name *name, size_t head, size_t size, size_t alignment);
/// Creates a shelf for the molecules of a name. `room`: memory of the size crucible__shelf_room, for the standby node
/// and the first one. Null: no molecule gets a node.
void crucible__shelf_create(struct shelf *shelf, struct crucible_name *name, char *room);
size_t crucible__shelf_room(const struct crucible_name *name);
/// Destroys the shelf, and the values on it if `destroy` is not null.
void crucible__shelf_destroy(struct shelf *shelf, void (*destroy)(void *value, void *context), void *context);
/// Makes room for further nodes. False: no memory.
bool crucible__shelf_grow(struct shelf *shelf);
/// Takes molecules that are due at `now` off the shelf, at most CRUCIBLE_EXPIRY_BATCH. Returns their nodes. Sets
/// `*next` to when the next one is due, 0 if none waits.
struct node *crucible__shelf_take_due(struct shelf *shelf, uint64_t now, uint64_t *next);
/// Ends these molecules. Their nodes remain the caller's. Adds those that no name has got to `*dropped`.
void crucible__end_due(const struct crucible_name *name, const struct shelf *shelf, struct node *due,
                       uint64_t *dropped);
/// Returns all nodes of a list to the unused ones.
void crucible__shelf_give_all(struct shelf *shelf, struct node *node);
/// Takes the node off the shelf.
void crucible__shelf_remove(struct shelf *shelf, struct node *node);

static inline void *crucible__shelf_value(const struct shelf *shelf, struct node *node) {
  return (char *)node + shelf->payload;
}

/// Returns the time of a name with an expiry. Requires: no lock, because it is code of the binding.
static inline uint64_t crucible__time(const struct crucible_name *name) {
  return name->species->expiry->now(name->species->expiry->context);
}
/// Returns when a molecule that arrives at `now` expires. Never 0.
static inline uint64_t crucible__due(const crucible_expiry_options *expiry, uint64_t now) {
  return now < UINT64_MAX - expiry->lifetime ? now + expiry->lifetime : UINT64_MAX;
}
/// Tells the binding that a molecule of the name may be the only one that waits.
static inline void crucible__note_waiting(const struct crucible_name *name) {
  name->species->expiry->waits(name->species->expiry->context);
}

/// How often a molecule was put back, as far as that is counted.
static inline uint64_t crucible__limited(uint64_t attempts) {
  return attempts < MOST_ATTEMPTS ? attempts : MOST_ATTEMPTS;
}

/// Takes an unused node. Null: no memory.
static inline struct node *crucible__shelf_node(struct shelf *shelf) {
  struct node *node = shelf->free;
  if (LIKELY(node != NULL)) {
    shelf->free = node->next;
    return node;
  }
  if (shelf->fresh == shelf->fresh_end && !crucible__shelf_grow(shelf)) return NULL;
  node = (struct node *)(void *)shelf->fresh;
  shelf->fresh += shelf->stride;
  return node;
}

/// Takes an unused node, or the standby one. Null: no memory.
static inline struct node *crucible__shelf_any(struct shelf *shelf) {
  struct node *node = crucible__shelf_node(shelf);
  if (UNLIKELY(!node)) {
    node = shelf->standby;
    shelf->standby = NULL;
  }
  return node;
}

static inline void crucible__shelf_give(struct shelf *shelf, struct node *node) {
  node->number = NO_ARRIVAL;
  if (UNLIKELY(!shelf->standby)) {
    shelf->standby = node;
    return;
  }
  node->next = shelf->free;
  shelf->free = node;
}

/// Puts the node behind all others. Requires: its other members are set.
static inline void crucible__shelf_put(struct shelf *shelf, struct node *node) {
  node->waits = true;
  node->next = NULL;
  node->previous = shelf->last;
  if (shelf->last) {
    shelf->last->next = node;
  } else {
    shelf->first = node;
  }
  shelf->last = node;
}

/// Takes the oldest node off the shelf. Requires: there is one.
static inline void crucible__shelf_remove_first(struct shelf *shelf) {
  struct node *node = shelf->first;
  node->waits = false;
  shelf->first = node->next;
  if (node->next) {
    node->next->previous = NULL;
  } else {
    shelf->last = NULL;
  }
}

#endif
