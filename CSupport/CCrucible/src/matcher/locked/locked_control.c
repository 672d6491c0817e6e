// Inspection of a component of `locked` or `arrival`, its control, its beginning and its end: see locked.c.

#include "base/memory.h"
#include "firing/origin.h"
#include "matcher/fact.h"
#include "matcher/inject.h"
#include "matcher/locked/locked.h"

// ---------------------------------------------------------------------------------------------------------------------
// Inspection and control
// ---------------------------------------------------------------------------------------------------------------------

bool crucible__locked_holds(struct crucible_name *name, const struct place *place) {
  struct locked *locked = crucible__acquire(name->component);
  bool holds = ((const struct node *)(uintptr_t)place->serial)->number == place->position;
  lock_release(&locked->lock);
  return holds;
}

void crucible__locked_counts(struct component *component, uint64_t *counts) {
  struct locked *locked = crucible__acquire(component);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) counts[bit] = locked->shelves[bit].count;
  lock_release(&locked->lock);
}

void crucible__locked_control(struct component *component, bool paused, bool stopped) {
  struct locked *locked = crucible__acquire(component);
  // The thread that enables the reactions again settles afterwards.
  if ((locked->paused || locked->stopped) && !paused && !stopped) locked->unsettled = true;
  locked->paused = paused;
  locked->stopped = stopped;
  lock_release(&locked->lock);
}

/// The bit in `presence` of a name that is not paused.
static uint64_t bit_of(const struct crucible_name *name) {
  return name->component->layout->name_count <= MOST_MASKED ? UINT64_C(1) << name->bit : 0;
}

void crucible__locked_set_fact(struct reaction *reaction, uint32_t input, bool known) {
  (void)input;
  struct locked *locked = crucible__acquire(reaction->component);
  crucible__count_fact(reaction, known);
  locked->unsettled = true;  // the caller settles
  lock_release(&locked->lock);
}

void crucible__locked_pause_name(struct crucible_name *name) {
  struct locked *locked = crucible__acquire(name->component);
  struct shelf *shelf = &locked->shelves[name->bit];
  uint64_t bit = bit_of(name);
  shelf->is_paused = load_relaxed(&name->paused);
  shelf->bit = shelf->is_paused ? 0 : bit;
  locked->presence = (locked->presence & ~bit) | (shelf->count > 0 ? shelf->bit : 0);
  locked->unsettled = true;  // the caller settles
  lock_release(&locked->lock);
}

uint64_t crucible__locked_drop(struct component *component, const struct crucible_name *only, crucible_reason reason) {
  struct node *nodes[CRUCIBLE_MAX_NAMES] = {NULL};
  uint64_t counts[CRUCIBLE_MAX_NAMES] = {0}, dropped = 0;
  struct locked *locked = crucible__acquire(component);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct shelf *shelf = &locked->shelves[bit];
    if (!crucible__drops(only, component->names[bit])) continue;
    nodes[bit] = shelf->first;
    for (struct node *node = shelf->first; node; node = node->next) node->waits = false;
    shelf->first = shelf->last = NULL;
    dropped += counts[bit] = shelf->count;
    shelf->count = 0;
    locked->presence &= ~shelf->bit;
  }
  lock_release(&locked->lock);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    crucible__note_dropped(name, counts[bit], reason);
    for (struct node *node = nodes[bit]; name->has_payload && node; node = node->next) {
      crucible__destroy_value(name, crucible__shelf_value(&locked->shelves[bit], node), reason);
    }
  }
  lock_acquire(&locked->lock);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    crucible__shelf_give_all(&locked->shelves[bit], nodes[bit]);
  }
  lock_release(&locked->lock);
  return dropped;
}

uint64_t crucible__locked_expire(struct crucible_name *name, uint64_t now, uint64_t *dropped) {
  uint64_t next;
  do {
    struct locked *locked = crucible__acquire(name->component);
    struct shelf *shelf = &locked->shelves[name->bit];
    struct node *due = crucible__shelf_take_due(shelf, now, &next);
    if (shelf->count == 0) locked->presence &= ~shelf->bit;
    lock_release(&locked->lock);
    if (!due) continue;
    crucible__end_due(name, shelf, due, dropped);
    lock_acquire(&locked->lock);
    crucible__shelf_give_all(shelf, due);
    lock_release(&locked->lock);
  } while (next && next <= now);
  return next;
}

void crucible__locked_inherit(struct component *component) {
  struct locked *locked = component->own;
  lock_create(&locked->lock);  // a thread of the parent may have held it
  locked->paused = true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end
// ---------------------------------------------------------------------------------------------------------------------

/// Bytes for the standby and the first node of a name. 0: its molecules have no nodes.
static size_t room_of(const struct crucible_name *name, bool is_ordered) {
  bool has_nodes = name->kind != CRUCIBLE_STATE && (name->has_payload || is_ordered);
  return has_nodes ? crucible__shelf_room(name) : 0;
}

static size_t size_of(const struct component *component, bool is_ordered) {
  size_t size = sizeof(struct locked) + component->layout->name_count * sizeof(struct shelf) +
                component->layout->reaction_count * sizeof(struct matches) + crucible__size_of_lists(component);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) size += room_of(component->names[bit], is_ordered);
  return size;
}

bool crucible__locked_create(struct component *component) {
  bool is_ordered = component->layout->matcher->is_ordered;
  size_t size = size_of(component, is_ordered);
  struct locked *locked = crucible__allocate(size, CRUCIBLE_LINE);
  if (!locked) return false;
  memset(locked, 0, sizeof *locked);
  lock_create(&locked->lock);
  locked->is_ordered = is_ordered;
  component->own = locked;
  struct matches *matches = (struct matches *)(void *)&locked->shelves[component->layout->name_count];
  for (uint32_t r = 0; r < component->layout->reaction_count; r++) {
    matches[r].first = NULL;
    component->reactions[r]->own = &matches[r];
  }
  struct reaction **list = (struct reaction **)(void *)&matches[component->layout->reaction_count];
  char *room = (char *)list + crucible__size_of_lists(component);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    struct shelf *shelf = &locked->shelves[bit];
    size_t bytes = room_of(name, is_ordered);
    crucible__shelf_create(shelf, name, bytes > 0 ? room : NULL);
    room += bytes;
    shelf->bit = bit_of(name);
    shelf->reactions = list;
    shelf->reactions_end = list = crucible__list_reactions(name, list);
    if (name->kind == CRUCIBLE_STATE) crucible__count_more(locked, shelf, 1);
  }
  return true;
}

void crucible__locked_destroy(struct component *component) {
  struct locked *locked = component->own;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    bool destroys = name->has_payload && crucible__destroys(name);
    crucible__shelf_destroy(&locked->shelves[bit], destroys ? crucible__destroy_gone : NULL, name);
  }
  lock_destroy(&locked->lock);
  crucible__free(locked, size_of(component, locked->is_ordered));
}

