// Where `arrival` keeps the waiting molecules of one name, in the order in which they came. Not thread-safe: its user
// combines (combiner.h).
//
// A molecule with a value has a node. Molecules without one share a node as long as no other arrival lies between them.
// The memory of nodes is used again and freed with the shelf, so a place can name a node: the number in it says whether
// the molecule is still the one that was put there.

#ifndef CRUCIBLE_SHELF_H
#define CRUCIBLE_SHELF_H

#include "types.h"

struct node {
  struct node *next;      ///< younger on its shelf; in a match, of the next input; in `free`
  struct node *previous;  ///< older on its shelf; of the first node of a match, the next match of the reaction
  uint64_t number;        ///< of the arrival, of the first of several
  uint64_t times;         ///< how many molecules it stands for; 1 with a value
  uint32_t attempts;      ///< how often it was put back before
  bool waits;             ///< it is on the shelf, and not in a match
};

/// The number of a node that is not used.
#define NO_ARRIVAL UINT64_MAX

struct shelf {
  uint64_t count;                                ///< of the molecules on it; of a state 1 or 0
  uint64_t bit;                                  ///< of `presence`; 0: the name is paused
  struct node *first, *last;                     ///< the oldest and the youngest
  struct reaction **reactions, **reactions_end;  ///< that consume the name
  struct node *free;
  char *fresh, *fresh_end;                       ///< room for nodes that were never used
  struct block *blocks;
  size_t stride;                                 ///< bytes of a node
  uint32_t payload;                              ///< offset of its value
  uint32_t alignment;
};

void crucible__shelf_create(struct shelf *shelf, const struct crucible_name *name);
/// Destroys the values on it as well, when `destroy` is given.
void crucible__shelf_destroy(struct shelf *shelf, void (*destroy)(void *value, void *context), void *context);
/// A node that stands nowhere. Null: no memory.
struct node *crucible__shelf_node(struct shelf *shelf);
void crucible__shelf_give(struct shelf *shelf, struct node *node);
/// Gives back all nodes of a list.
void crucible__shelf_give_all(struct shelf *shelf, struct node *node);
/// Puts it behind all others. Its number and what it stands for are set. A node of molecules without values that
/// continues the youngest one is added to that.
void crucible__shelf_put(struct shelf *shelf, struct node *node, bool has_payload);
/// Takes it out, with all molecules that it stands for.
void crucible__shelf_remove(struct shelf *shelf, struct node *node);
/// The number of the molecule that `index` older ones are before.
uint64_t crucible__shelf_number(const struct shelf *shelf, uint64_t index);

static inline void *crucible__shelf_value(const struct shelf *shelf, struct node *node) {
  return (char *)node + shelf->payload;
}

#endif
