// The shelf of a name, on which `arrival` keeps the waiting molecules in the order of their arrival. Not thread-safe:
// only the combiner uses it (combiner.h).
//
// A molecule with a value has a node. Molecules without one share a node as long as no other arrival lies between them.
// The memory of nodes is reused and freed with the shelf, so a place can name a node. The number in it shows whether
// the molecule is still the one that was put there.

#ifndef CRUCIBLE_SHELF_H
#define CRUCIBLE_SHELF_H

#include "types.h"

struct node {
  struct node *next;      ///< younger on its shelf; in a match, the node of the next input; in `free`, the next one
  struct node *previous;  ///< older on its shelf; in the first node of a match, the next match of the reaction
  uint64_t number;        ///< the number of the arrival; of several, that of the first
  uint64_t times;         ///< the number of molecules that it stands for; 1 with a value
  uint32_t attempts;      ///< how often it was put back before
  bool waits;             ///< it is on the shelf, and not in a match
};

/// The number of an unused node.
#define NO_ARRIVAL UINT64_MAX

struct shelf {
  uint64_t count;                                ///< the number of molecules on it; for a state 1 or 0
  uint64_t bit;                                  ///< in `presence`; 0: the name is paused
  struct node *first, *last;                     ///< the oldest and the youngest
  struct reaction **reactions, **reactions_end;  ///< the reactions that consume the name
  struct node *free;
  char *fresh, *fresh_end;                       ///< room for nodes that were never used
  struct block *blocks;
  size_t stride;                                 ///< bytes of a node
  uint32_t payload;                              ///< offset of its value
  uint32_t alignment;
};

void crucible__shelf_create(struct shelf *shelf, const struct crucible_name *name);
/// Destroys the shelf, and the values on it if `destroy` is not null.
void crucible__shelf_destroy(struct shelf *shelf, void (*destroy)(void *value, void *context), void *context);
/// Takes an unused node. Null: no memory.
struct node *crucible__shelf_node(struct shelf *shelf);
void crucible__shelf_give(struct shelf *shelf, struct node *node);
/// Returns all nodes of a list to the unused ones.
void crucible__shelf_give_all(struct shelf *shelf, struct node *node);
/// Puts the node behind all others. Requires: its number and its `times` are set. A node of molecules without values
/// that continues the youngest node is merged into that.
void crucible__shelf_put(struct shelf *shelf, struct node *node, bool has_payload);
/// Takes the node off the shelf, with all molecules that it stands for.
void crucible__shelf_remove(struct shelf *shelf, struct node *node);
/// The number of the molecule that has `index` older ones before it.
uint64_t crucible__shelf_number(const struct shelf *shelf, uint64_t index);

static inline void *crucible__shelf_value(const struct shelf *shelf, struct node *node) {
  return (char *)node + shelf->payload;
}

#endif
