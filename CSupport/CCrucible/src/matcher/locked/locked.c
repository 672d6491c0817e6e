// The matcher `locked`, the simple reference and the example for a new matcher, and `arrival`, which is `locked` with
// an order.
//
// A component has one mutex, a mask of the names that are present, and a count and a shelf for each name. A thread that
// injects stores, matches and takes in one critical section. Bodies run outside. Only `reserve` chooses a reaction: on
// `locked` at random, on `arrival` by the order of arrival (order.c). The matchers have no special optimization and no
// artificial slowdown, and they pass the same tests as `word`.
//
// Invariant, whenever the lock is free: no reaction is enabled, or the component is paused or stopped, or `unsettled`
// says that some thread is going to reserve further firings. A name's bit in `presence` is set iff its count is not 0
// and the name is not paused. Its shelf has its count of molecules. A reserved firing has its own: they have left their
// shelves for the list of matches of its reaction, or for the room of the firing.
//
// If a component has more names than a mask has bits, no name has a bit, and no reaction needs one. Then the counts
// decide, as they do for patterns that repeat a name.
//
// Withdrawal: a call is taken off its shelf. A firing that has reserved it finds that no caller waits.
//
// Expiry: a name has one lifetime, so the molecules of a shelf are due in the order in which they lie there. KEY-6 of
// keyed.c says which thread sets the alarm. Injections of other names pay nothing for it.
//
// No memory: each shelf has one standby node. It serves a molecule that completes a match, so that such a molecule is
// refused only while the standby node is in a match that no thread has taken yet.
//
// Progress: blocks. A thread that stops inside stops the component.

#include "matcher/inject.h"
#include "matcher/locked/locked.h"
#include "matcher/registry.h"

// ---------------------------------------------------------------------------------------------------------------------
// With the lock
// ---------------------------------------------------------------------------------------------------------------------

static bool is_enabled(const struct locked *locked, const struct reaction *reaction) {
  if ((locked->presence & reaction->rule->bits) != reaction->rule->bits) return false;
  if (LIKELY(!reaction->rule->repeats)) return true;
  if (load_relaxed(&reaction->missing) != 0) return false;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct shelf *shelf = &locked->shelves[reaction->rule->inputs[i].bit];
    if (shelf->count < reaction->rule->inputs[i].need || shelf->is_paused) return false;
  }
  return true;
}

static inline void subtract_one(struct locked *locked, uint32_t bit) {
  if (--locked->shelves[bit].count == 0) locked->presence &= ~(UINT64_C(1) << bit % MOST_MASKED);
}

/// Puts a molecule with a value on its shelf, or `times` without. Its node is `*node`. If this is null, a node is taken
/// where one is needed. Molecules without a value that continue the youngest node need none. False: no memory.
static INLINE bool arrive(struct locked *locked, bool expires, const struct crucible_name *name, const void *value,
                          uint64_t times, struct node **node) {
  struct shelf *shelf = &locked->shelves[name->bit];
  uint64_t number = locked->arrivals, count = name->has_payload ? 1 : times;
  bool continues = !name->has_payload;
  if (continues && locked->is_ordered) {
    continues = shelf->last && shelf->last->number + shelf->last->times == number;
    if (continues) shelf->last->times += times;
  }
  if (!continues) {
    if (!*node && !(*node = crucible__shelf_node(shelf))) return false;
    if (name->has_payload) move_payload(crucible__shelf_value(shelf, *node), value, name->species->size);
    if (expires) ((struct timed *)(void *)*node)->due = crucible__due(name->species->expiry, locked->now);
    (*node)->number = number;
    (*node)->times = times;
    crucible__shelf_put(shelf, *node);
  }
  crucible__count_more(locked, shelf, count);
  locked->arrivals = number + count;
  return true;
}

/// Takes the molecules of an enabled reaction off their shelves. Returns the nodes of those with a value, in the order
/// of the inputs.
static INLINE struct node *match(struct locked *locked, const struct reaction *reaction) {
  struct node *first = NULL, **end = &first;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    struct shelf *shelf = &locked->shelves[input->bit];
    struct node *node = shelf->first;
    subtract_one(locked, input->bit);
    if (!node) continue;
    if (input->is_stored) {
      crucible__shelf_remove_first(shelf);
      *end = node;
      end = &node->next;
    } else if (node->times > 1) {
      node->times--;
      node->number++;
    } else {
      crucible__shelf_remove_first(shelf);
      crucible__shelf_give(shelf, node);
    }
  }
  *end = NULL;
  return first;
}

/// Moves the molecules of a match to the room of its firing.
static INLINE void deliver(struct locked *locked, const struct reaction *reaction, struct node *node,
                           struct firing *firing) {
  uint64_t attempts = 0;
  for (uint32_t i = 0; i < reaction->rule->width; i++) {
    const struct input *input = &reaction->rule->inputs[i];
    firing->inputs[i] = reaction->at[i];
    if (!input->is_stored) continue;
    struct shelf *shelf = &locked->shelves[input->bit];
    struct node *next = node->next;
    const struct crucible_name *name = reaction->at[i];
    firing->inputs[i] = firing->storage + input->offset;
    move_payload(firing->inputs[i], crucible__shelf_value(shelf, node), name->species->size);
    if (node->times > attempts) attempts = node->times;
    crucible__shelf_give(shelf, node);
    node = next;
  }
  *crucible__attempts_of(firing->inputs) = attempts;
}

/// Whether a reaction is chosen, and not the one that was found before. `seen`: the number of enabled ones so far.
static RARELY bool is_better(struct thread *self, const struct locked *locked, uint32_t seen,
                             const struct reaction *reaction, const struct reaction *found) {
  return locked->is_ordered ? crucible__fires_before(locked->shelves, reaction, found)
                            : crucible__replaces(self, reaction->soup, seen);
}

/// Reserves one of the enabled reactions. If `here` says that it runs here, its molecules go to `firing`. Otherwise,
/// and if `here` is null, they go to the matches of the reaction. Null: none is enabled.
static INLINE struct reaction *reserve(struct thread *self, struct component *component, struct reaction **begin,
                                       struct reaction **end, here_function here, struct firing *firing) {
  struct locked *locked = component->own;
  if (locked->paused || locked->stopped) return NULL;
  struct reaction *found = NULL;
  uint32_t seen = 0;
  for (struct reaction **reaction = begin; reaction < end; reaction++) {
    if (!is_enabled(locked, *reaction)) continue;
    if (LIKELY(++seen == 1) || is_better(self, locked, seen, *reaction, found)) found = *reaction;
  }
  struct node *nodes = found ? match(locked, found) : NULL;
  if (nodes && here && here(self, found)) {
    deliver(locked, found, nodes, firing);
  } else if (nodes) {
    crucible__keep_match(found->own, nodes);
  }
  return found;
}

/// Reserves one of the enabled reactions that consume the name of the shelf. If the shelf is null, or if the component
/// is unsettled, it reserves any (ARRIVAL-3).
static INLINE struct reaction *reserve_of(struct thread *self, struct component *component, const struct shelf *shelf,
                                          here_function here, struct firing *firing) {
  bool all = !shelf || ((struct locked *)component->own)->unsettled;
  struct reaction **begin = all ? component->reactions : shelf->reactions;
  struct reaction **end = all ? begin + component->layout->reaction_count : shelf->reactions_end;
  return reserve(self, component, begin, end, here, firing);
}

// ---------------------------------------------------------------------------------------------------------------------
// The decision
// ---------------------------------------------------------------------------------------------------------------------

/// Adds a molecule for which there is no memory, if it completes a match.
static NOINLINE struct added add_standby(struct thread *self, struct crucible_name *name, const void *value,
                                         uint64_t times, struct firing *firing) {
  struct locked *locked = name->component->own;
  struct shelf *shelf = &locked->shelves[name->bit];
  struct node *node = shelf->standby;
  if (!node) return (struct added){NULL, CRUCIBLE_NO_MEMORY};
  shelf->standby = NULL;
  arrive(locked, name->species->expiry, name, value, times, &node);
  struct reaction *found = reserve_of(self, name->component, shelf, crucible__runs_here, firing);
  if (!node->waits) return (struct added){found, CRUCIBLE_OK};
  crucible__shelf_remove(shelf, node);
  crucible__shelf_give(shelf, node);
  subtract_one(locked, name->bit);
  return (struct added){found, CRUCIBLE_NO_MEMORY};
}

static INLINE struct added add_by(bool expires, struct thread *self, struct crucible_name *name, void *value,
                                  uint64_t attempts, struct place *place, struct firing *firing) {
  struct component *component = name->component;
  struct locked *locked = component->own;
  struct added added = {NULL, CRUCIBLE_OK};
  struct node *node = NULL;
  struct shelf *shelf = &locked->shelves[name->bit];
  bool is_first = false;
  uint64_t now = expires ? crucible__time(name) : 0;
  uint64_t times = name->has_payload ? crucible__limited(attempts) : 1;
  lock_acquire(&locked->lock);
  if (expires) locked->now = now;
  if (UNLIKELY(locked->stopped)) {
    added.status = CRUCIBLE_NOT_RUNNING;
  } else if (LIKELY(arrive(locked, expires, name, value, times, &node))) {
    if (place && name->has_payload) *place = (struct place){.serial = (uintptr_t)node, .position = node->number};
    added.reaction = reserve_of(self, component, shelf, crucible__runs_here, firing);
    is_first = expires && shelf->first == node;  // KEY-6
  } else {
    added = add_standby(self, name, value, times, firing);
  }
  lock_release(&locked->lock);
  if (is_first) crucible__note_waiting(name);
  return added;
}

static struct added locked_add(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                               struct place *place, struct firing *firing) {
  return add_by(name->species->expiry, self, name, value, attempts, place, firing);
}

static INLINE struct added lasting_add(struct thread *self, struct crucible_name *name, void *value, uint64_t attempts,
                                       struct place *place, struct firing *firing) {
  return add_by(false, self, name, value, attempts, place, firing);
}

static bool timed_inject(struct crucible_name *name, void *value) {
  return crucible__inject_placed(name, value, 0, NULL);
}

static bool lasting_inject(struct crucible_name *name, void *value) {
  return crucible__inject_by(lasting_add, name, value, 0, NULL);
}

static inject_function locked_inject_for(const struct crucible_name *name) {
  return name->species->expiry ? timed_inject : lasting_inject;
}

static struct reserved locked_give_back(struct thread *self, struct reaction *reaction, struct firing *firing) {
  struct component *component = reaction->component;
  struct shelf *shelf = NULL;
  struct reaction *next = NULL;
  struct reaction *others[CRUCIBLE_MAX_INPUTS];
  uint32_t count = 0;
  struct locked *locked = crucible__acquire(component);
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    const struct crucible_name *name = crucible__input(reaction, i);
    if (name->kind != CRUCIBLE_STATE) continue;
    shelf = &locked->shelves[name->bit];
    crucible__count_more(locked, shelf, 1);
  }
  if (reaction->rule->state_count > 1) shelf = NULL;
  // After one state is given back, at most one firing can be reserved. After several, at most as many.
  for (uint32_t budget = reaction->rule->state_count; budget > 0; budget--) {
    struct reaction *found = reserve_of(self, component, shelf, next ? NULL : crucible__stays_here, firing);
    if (!found) break;
    if (!next && crucible__stays_here(self, found)) {
      next = found;
    } else {
      others[count++] = found;
    }
  }
  lock_release(&locked->lock);
  for (uint32_t i = 0; i < count; i++) crucible__submit(self, others[i]);
  return (struct reserved){.reaction = next};
}

static void locked_take(struct reaction *reaction, struct firing *firing) {
  struct locked *locked = crucible__acquire(reaction->component);
  deliver(locked, reaction, crucible__take_match(reaction->own), firing);
  lock_release(&locked->lock);
}

static struct reaction *locked_step(struct thread *self, struct component *component, struct reaction *only) {
  struct reaction **begin = only ? &only : component->reactions;
  struct reaction *found = NULL;
  struct locked *locked = crucible__acquire(component);
  if (locked->paused) {
    locked->paused = false;  // until the lock is released
    struct reaction **end = begin + (only ? 1 : component->layout->reaction_count);
    found = reserve(self, component, begin, end, NULL, NULL);
    locked->paused = true;
  }
  lock_release(&locked->lock);
  return found;
}

static struct reaction *reserve_any(struct thread *self, struct component *component) {
  struct locked *locked = crucible__acquire(component);
  struct reaction *found = reserve_of(self, component, NULL, NULL, NULL);
  locked->unsettled = found != NULL;
  lock_release(&locked->lock);
  return found;
}

static struct reaction *locked_settle(struct thread *self, struct component *component) {
  struct reaction *last = NULL, *next;
  while ((next = reserve_any(self, component))) {
    if (last) crucible__submit(self, last);
    last = next;
  }
  return last;
}

static crucible_status store_part(struct component *component, const crucible_molecule *molecule) {
  struct locked *locked = component->own;
  const struct crucible_name *name = molecule->name;
  struct node *node = NULL;
  if (locked->stopped) return CRUCIBLE_NOT_RUNNING;
  if (!name->has_payload && molecule->times == 0) return CRUCIBLE_OK;
  if (!name->has_payload && locked->shelves[name->bit].count > CRUCIBLE_MAX_WAITING) return CRUCIBLE_TOO_MANY_MOLECULES;
  uint64_t times = name->has_payload ? crucible__limited(molecule->times) : molecule->times;
  return arrive(locked, name->species->expiry, name, molecule->value, times, &node) ? CRUCIBLE_OK : CRUCIBLE_NO_MEMORY;
}

/// Takes the molecules back that store_part has stored last.
static void unstore_part(struct component *component, const crucible_molecule *molecule) {
  struct locked *locked = component->own;
  const struct crucible_name *name = molecule->name;
  struct shelf *shelf = &locked->shelves[name->bit];
  struct node *node = shelf->last;
  uint64_t times = name->has_payload ? 1 : molecule->times;
  if (times == 0) return;
  shelf->count -= times - 1;
  subtract_one(locked, name->bit);
  if (node && !name->has_payload && node->times > times) {
    node->times -= times;
  } else if (node) {
    crucible__shelf_remove(shelf, node);
    crucible__shelf_give(shelf, node);
  }
}

/// Stores all molecules that belong to this component, or none. Requires: the lock.
static crucible_status store_all(struct component *component, const crucible_molecule *molecules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (molecules[i].name->component != component) continue;
    crucible_status status = store_part(component, &molecules[i]);
    if (status == CRUCIBLE_OK) continue;
    while (i-- > 0) {
      if (molecules[i].name->component == component) unstore_part(component, &molecules[i]);
    }
    return status;
  }
  return CRUCIBLE_OK;
}

static struct added locked_add_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                        size_t count) {
  uint64_t now = 0;  // one clock for all
  for (size_t i = 0; i < count && now == 0; i++) {
    if (molecules[i].name->component == component && molecules[i].name->species->expiry) {
      now = crucible__time(molecules[i].name);
    }
  }
  struct locked *locked = crucible__acquire(component);
  locked->now = now;
  crucible_status status = store_all(component, molecules, count);
  if (status == CRUCIBLE_OK) locked->unsettled = true;
  lock_release(&locked->lock);
  for (size_t i = 0; i < count && status == CRUCIBLE_OK; i++) {
    const struct crucible_name *name = molecules[i].name;
    if (name->component == component && name->species->expiry) crucible__note_waiting(name);
  }
  return (struct added){status == CRUCIBLE_OK ? locked_settle(self, component) : NULL, status};
}

static enum withdrawal locked_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result) {
  (void)self;
  struct locked *locked = crucible__acquire(name->component);
  struct shelf *shelf = &locked->shelves[name->bit];
  struct node *node = place ? (struct node *)(uintptr_t)place->serial : shelf->first;
  bool waits = place ? node->number == place->position && node->waits : shelf->count > 0;
  if (waits) {
    if (name->has_payload) memcpy(result, crucible__shelf_value(shelf, node), name->species->size);
    if (node && !name->has_payload && node->times > 1) {
      node->times--;
      node->number++;
    } else if (node) {
      crucible__shelf_remove(shelf, node);
      crucible__shelf_give(shelf, node);
    }
    subtract_one(locked, name->bit);
  }
  lock_release(&locked->lock);
  return waits ? WITHDRAWN : CONSUMED;
}

/// What the matchers share.
#define MEMBERS                              \
  .create = crucible__locked_create,         \
  .destroy = crucible__locked_destroy,       \
  .add = locked_add,                         \
  .add_together = locked_add_together,       \
  .give_back = locked_give_back,             \
  .settle = locked_settle,                   \
  .step = locked_step,                       \
  .take = locked_take,                       \
  .run = crucible__run,                      \
  .withdraw = locked_withdraw,               \
  .holds = crucible__locked_holds,           \
  .expire = crucible__locked_expire,         \
  .counts = crucible__locked_counts,         \
  .control = crucible__locked_control,       \
  .pause_name = crucible__locked_pause_name, \
  .set_fact = crucible__locked_set_fact,     \
  .drop = crucible__locked_drop,             \
  .inherit = crucible__locked_inherit,       \
  .inject_for = locked_inject_for

const struct matcher crucible__locked = {.name = "locked", .keyed = &crucible__keyed, MEMBERS};
const struct matcher crucible__arrival = {.name = "arrival", .is_ordered = true, MEMBERS};
