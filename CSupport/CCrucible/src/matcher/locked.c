// The matcher `locked`: the simple reference, and the example for a new matcher.
//
// A component has one mutex, a mask of the names that are present, and a count and a queue for each name. A thread that
// injects stores, matches and takes in one critical section. Bodies run outside. It has no special optimization and no
// artificial slowdown, and it passes the same tests as `word`.
//
// Invariant, whenever the lock is free: no reaction is enabled, or the component is paused or stopped. A name's bit in
// `presence` is set iff its count is not 0 and the name is not paused. Its queue holds its count of molecules, and
// those reserved for firings that have not taken them yet.
//
// If a component has more names than a mask has bits, no name has a bit, and no reaction needs one. Then the counts
// decide, as they do for patterns that repeat a name.
//
// Withdrawal: a call whose name has a count is taken out of the queue. If there is no count, all molecules in the queue
// are reserved. The firing that takes the call finds that no caller waits.
//
// Progress: blocks. A thread that stops inside stops the component.

#include <string.h>

#include "bag/queue.h"
#include "base/memory.h"
#include "firing/origin.h"
#include "matcher/component.h"
#include "matcher/fact.h"
#include "matcher/inject.h"
#include "matcher/registry.h"

struct shelf {
  uint64_t count;  ///< available: not reserved
  uint64_t bit;    ///< in `presence`; 0: the name is paused, or has no bit
  bool is_paused;
  struct reaction **reactions, **reactions_end;  ///< the reactions that consume the name
  struct queue queue;
};

struct locked {
  struct lock lock;
  bool paused, stopped;
  uint64_t presence;
  struct shelf shelves[];  ///< behind them lie the lists of reactions
};

// ---------------------------------------------------------------------------------------------------------------------
// With the lock
// ---------------------------------------------------------------------------------------------------------------------

static inline struct locked *acquire(const struct component *component) {
  struct locked *locked = component->own;
  lock_acquire(&locked->lock);
  return locked;
}

static bool is_enabled(const struct locked *locked, const struct reaction *reaction) {
  if ((locked->presence & reaction->bits) != reaction->bits) return false;
  if (LIKELY(!reaction->repeats)) return true;
  if (load_relaxed(&reaction->missing) != 0) return false;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct shelf *shelf = &locked->shelves[reaction->inputs[i].name->bit];
    if (shelf->count < reaction->inputs[i].need || shelf->is_paused) return false;
  }
  return true;
}

static void add(struct locked *locked, const struct crucible_name *name, uint64_t times) {
  if (times == 0) return;
  struct shelf *shelf = &locked->shelves[name->bit];
  shelf->count += times;
  locked->presence |= shelf->bit;
}

static void subtract_one(struct locked *locked, uint32_t bit) {
  if (--locked->shelves[bit].count == 0) locked->presence &= ~(UINT64_C(1) << bit % MOST_MASKED);
}

/// Reserves one of the enabled reactions, each with the same probability. Null: none is enabled.
static struct reaction *reserve(struct thread *self, struct component *component, struct reaction **begin,
                                struct reaction **end) {
  struct locked *locked = component->own;
  if (locked->paused || locked->stopped) return NULL;
  struct reaction *found = NULL;
  uint32_t seen = 0;
  for (struct reaction **reaction = begin; reaction < end; reaction++) {
    if (!is_enabled(locked, *reaction)) continue;
    if (++seen == 1 || crucible__choose(self, component->soup, seen) == 0) found = *reaction;
  }
  for (uint32_t i = 0; found && i < found->input_count; i++) subtract_one(locked, found->inputs[i].name->bit);
  return found;
}

static void pop(struct crucible_name *name, void *result, uint64_t *attempts) {
  struct locked *locked = name->component->own;
  crucible__queue_pop(&locked->shelves[name->bit].queue, result, attempts);
}

static crucible_status store(struct locked *locked, const struct crucible_name *name, const void *value,
                             uint64_t attempts) {
  if (locked->stopped) return CRUCIBLE_NOT_RUNNING;
  if (!name->has_payload) return CRUCIBLE_OK;
  return crucible__queue_push(&locked->shelves[name->bit].queue, value, attempts) ? CRUCIBLE_OK : CRUCIBLE_NO_MEMORY;
}

// ---------------------------------------------------------------------------------------------------------------------
// The decision
// ---------------------------------------------------------------------------------------------------------------------

static inline __attribute__((always_inline)) struct added locked_add(
    struct thread *self, struct crucible_name *name, void *value, uint64_t attempts, struct place *place,
    struct firing *firing) {
  struct component *component = name->component;
  struct locked *locked = component->own;
  struct shelf *shelf = &locked->shelves[name->bit];
  struct added added = {NULL, CRUCIBLE_OK};
  lock_acquire(&locked->lock);
  added.status = store(locked, name, value, attempts);
  if (added.status == CRUCIBLE_OK) {
    if (place && shelf->queue.tracked) *place = (struct place){.position = shelf->queue.pushes - 1};
    add(locked, name, 1);
    added.reaction = reserve(self, component, shelf->reactions, shelf->reactions_end);
    if (added.reaction && crucible__runs_here(self, added.reaction)) {
      crucible__take_by(pop, added.reaction, firing, ALL_STORED);
    }
  }
  lock_release(&locked->lock);
  return added;
}

static bool locked_inject(struct crucible_name *name, void *value) {
  return crucible__inject_by(locked_add, name, value, 0, NULL);
}

static struct reserved locked_give_back(struct thread *self, struct reaction *reaction, struct firing *firing) {
  struct component *component = reaction->component;
  struct reaction **begin = component->reactions, **end = begin + component->reaction_count;
  struct reaction *next = NULL;
  struct reaction *others[CRUCIBLE_MAX_INPUTS];
  uint32_t count = 0;
  struct locked *locked = acquire(component);
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct crucible_name *name = reaction->inputs[i].name;
    if (name->kind != CRUCIBLE_STATE) continue;
    add(locked, name, 1);
    if (reaction->state_count > 1) continue;
    begin = locked->shelves[name->bit].reactions;
    end = locked->shelves[name->bit].reactions_end;
  }
  // After one state is given back, at most one firing can be reserved. After several, at most as many.
  for (uint32_t budget = reaction->state_count; budget > 0; budget--) {
    struct reaction *found = reserve(self, component, begin, end);
    if (!found) break;
    if (!next && crucible__stays_here(self, found)) {
      next = found;
      crucible__take_by(pop, found, firing, ALL_STORED);
    } else {
      others[count++] = found;
    }
  }
  lock_release(&locked->lock);
  while (count > 0) crucible__submit(self, others[--count]);
  return (struct reserved){.reaction = next};
}

static void locked_take(struct reaction *reaction, struct firing *firing) {
  struct locked *locked = acquire(reaction->component);
  crucible__take_by(pop, reaction, firing, ALL_STORED);
  lock_release(&locked->lock);
}

static struct reaction *locked_step(struct thread *self, struct component *component, struct reaction *only) {
  struct reaction **begin = only ? &only : component->reactions;
  struct reaction *found = NULL;
  struct locked *locked = acquire(component);
  if (locked->paused) {
    locked->paused = false;  // until the lock is released
    found = reserve(self, component, begin, begin + (only ? 1 : component->reaction_count));
    locked->paused = true;
  }
  lock_release(&locked->lock);
  return found;
}

static struct reaction *reserve_any(struct thread *self, struct component *component) {
  struct locked *locked = acquire(component);
  struct reaction **begin = component->reactions;
  struct reaction *found = reserve(self, component, begin, begin + component->reaction_count);
  lock_release(&locked->lock);
  return found;
}

static struct reaction *locked_settle(struct thread *self, struct component *component) {
  return crucible__settle_by(reserve_any, self, component);
}

static crucible_status store_part(struct component *component, const crucible_molecule *molecule) {
  struct locked *locked = component->own;
  const struct crucible_name *name = molecule->name;
  bool too_many = !name->has_payload && locked->shelves[name->bit].count > CRUCIBLE_MAX_WAITING;
  return too_many ? CRUCIBLE_TOO_MANY_MOLECULES : store(locked, name, molecule->value, molecule->times);
}

static void unstore_part(struct component *component, const crucible_molecule *molecule) {
  struct locked *locked = component->own;
  if (molecule->name->has_payload) locked->shelves[molecule->name->bit].queue.count--;
}

static struct added locked_add_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                        size_t count) {
  struct locked *locked = acquire(component);
  crucible_status status = crucible__store_all(component, molecules, count, store_part, unstore_part);
  for (size_t i = 0; status == CRUCIBLE_OK && i < count; i++) {
    const struct crucible_name *name = molecules[i].name;
    if (name->component == component) add(locked, name, name->has_payload ? 1 : molecules[i].times);
  }
  lock_release(&locked->lock);
  return (struct added){status == CRUCIBLE_OK ? locked_settle(self, component) : NULL, status};
}

static enum withdrawal locked_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result) {
  (void)self;
  struct locked *locked = acquire(name->component);
  struct shelf *shelf = &locked->shelves[name->bit];
  enum withdrawal answer = CONSUMED;
  if (shelf->count > 0 && crucible__queue_holds(&shelf->queue, place->position)) {
    crucible__queue_remove(&shelf->queue, place->position, result);
    subtract_one(locked, name->bit);
    answer = WITHDRAWN;
  }
  lock_release(&locked->lock);
  return answer;
}

// ---------------------------------------------------------------------------------------------------------------------
// Inspection and control
// ---------------------------------------------------------------------------------------------------------------------

static bool locked_holds(struct crucible_name *name, const struct place *place) {
  struct locked *locked = acquire(name->component);
  bool holds = crucible__queue_holds(&locked->shelves[name->bit].queue, place->position);
  lock_release(&locked->lock);
  return holds;
}

static void locked_counts(struct component *component, uint64_t *counts) {
  struct locked *locked = acquire(component);
  for (uint32_t bit = 0; bit < component->name_count; bit++) counts[bit] = locked->shelves[bit].count;
  lock_release(&locked->lock);
}

static void locked_control(struct component *component, bool paused, bool stopped) {
  struct locked *locked = acquire(component);
  locked->paused = paused;
  locked->stopped = stopped;
  lock_release(&locked->lock);
}

/// The bit in `presence` of a name that is not paused.
static uint64_t bit_of(const struct crucible_name *name) {
  return name->component->name_count <= MOST_MASKED ? UINT64_C(1) << name->bit : 0;
}

static void locked_set_fact(struct reaction *reaction, uint32_t input, bool known) {
  (void)input;
  struct locked *locked = acquire(reaction->component);
  crucible__count_fact(reaction, known);
  lock_release(&locked->lock);
}

static void locked_pause_name(struct crucible_name *name) {
  struct locked *locked = acquire(name->component);
  struct shelf *shelf = &locked->shelves[name->bit];
  uint64_t bit = bit_of(name);
  shelf->is_paused = load_relaxed(&name->paused);
  shelf->bit = shelf->is_paused ? 0 : bit;
  locked->presence = (locked->presence & ~bit) | (shelf->count > 0 ? shelf->bit : 0);
  lock_release(&locked->lock);
}

static void pop_alone(struct crucible_name *name, void *result, uint64_t *attempts) {
  struct locked *locked = acquire(name->component);
  pop(name, result, attempts);
  lock_release(&locked->lock);
}

static uint64_t locked_drop(struct component *component, const struct crucible_name *only, crucible_reason reason) {
  uint64_t counts[CRUCIBLE_MAX_NAMES];
  struct locked *locked = acquire(component);
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    struct shelf *shelf = &locked->shelves[bit];
    counts[bit] = 0;
    if (!crucible__drops(only, component->names[bit])) continue;
    counts[bit] = shelf->count;
    shelf->count = 0;
    locked->presence &= ~shelf->bit;
  }
  lock_release(&locked->lock);
  return crucible__destroy_reserved(component, counts, pop_alone, reason);
}

static void locked_inherit(struct component *component) {
  struct locked *locked = component->own;
  lock_create(&locked->lock);  // a thread of the parent may have held it
  locked->paused = true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end
// ---------------------------------------------------------------------------------------------------------------------

static size_t size_of(const struct component *component) {
  return sizeof(struct locked) + component->name_count * sizeof(struct shelf) + crucible__size_of_lists(component);
}

static bool locked_create(struct component *component) {
  struct locked *locked = crucible__allocate(size_of(component), 64);
  if (!locked) return false;
  memset(locked, 0, sizeof *locked);
  lock_create(&locked->lock);
  component->own = locked;
  struct reaction **list = (struct reaction **)(void *)&locked->shelves[component->name_count];
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    struct shelf *shelf = &locked->shelves[bit];
    *shelf = (struct shelf){.reactions = list, .bit = bit_of(name)};
    shelf->reactions_end = list = crucible__list_reactions(name, list);
    bool tracked = crucible__has_callers(name) || name->is_retried;
    crucible__queue_create(&shelf->queue, name->size, name->alignment, tracked);
    if (name->kind == CRUCIBLE_STATE) add(locked, name, 1);
  }
  return true;
}

static void locked_destroy(struct component *component) {
  struct locked *locked = component->own;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    crucible__queue_destroy(
        &locked->shelves[bit].queue, crucible__destroys(name) ? crucible__destroy_gone : NULL, name);
  }
  lock_destroy(&locked->lock);
  crucible__free(locked, size_of(component));
}

const struct matcher crucible__locked = {
    .name = "locked",
    .create = locked_create,
    .destroy = locked_destroy,
    .add = locked_add,
    .add_together = locked_add_together,
    .give_back = locked_give_back,
    .settle = locked_settle,
    .step = locked_step,
    .take = locked_take,
    .run = crucible__run,
    .withdraw = locked_withdraw,
    .holds = locked_holds,
    .counts = locked_counts,
    .control = locked_control,
    .pause_name = locked_pause_name,
    .set_fact = locked_set_fact,
    .drop = locked_drop,
    .inherit = locked_inherit,
    .inject = locked_inject,
};
