// The matcher `locked`: the straightforward reference. One mutex for a component, a mask of the names that are present, a
// count and a queue for each name. Whoever injects does so, matches and takes in one critical section; bodies run outside.
// It has no trick and no handicap, and it passes the same tests as `word`.
//
// Invariant, whenever the lock is free: no reaction is enabled; a name's bit in `presence` is set iff its count is not 0;
// its queue holds its count and what is reserved for firings that have not taken yet.
//
// Progress: blocks. A thread that stops inside stops the component.

#include "firing.h"
#include "queue.h"
#include "reclamation.h"
#include "soup.h"

struct shelf {
  uint64_t count;  ///< available: not reserved
  struct queue queue;
};

struct locked {
  struct lock lock;
  uint64_t presence;
  struct shelf shelves[];
};

static size_t locked_size(const struct component *component) {
  return sizeof(struct locked) + component->name_count * sizeof(struct shelf);
}

static bool enabled(const struct locked *locked, const struct reaction *reaction) {
  if ((locked->presence & reaction->bits) != reaction->bits) return false;
  if (!reaction->repeats) return true;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    uint32_t need = 0;
    for (uint32_t k = 0; k < reaction->input_count; k++) need += reaction->inputs[k].name == reaction->inputs[i].name;
    if (locked->shelves[reaction->inputs[i].name->bit].count < need) return false;
  }
  return true;
}

/// One of the enabled reactions, each with the same probability; null: none. With the lock.
static struct reaction *choose(struct thread *self, struct component *component, const struct candidate *begin,
                               const struct candidate *end) {
  struct reaction *found = NULL;
  uint32_t seen = 0;
  for (const struct candidate *c = begin; c < end; c++) {
    if (!enabled(component->locked, c->reaction)) continue;
    if (++seen == 1 || crucible__choose(self, component->soup, seen) == 0) found = c->reaction;
  }
  return found;
}

/// With the lock.
static void reserve(struct locked *locked, const struct reaction *reaction) {
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    uint32_t bit = reaction->inputs[i].name->bit;
    if (--locked->shelves[bit].count == 0) locked->presence &= ~(UINT64_C(1) << bit);
  }
}

/// With the lock.
static void take(struct locked *locked, const struct reaction *reaction, struct firing *firing) {
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct crucible_name *name = reaction->inputs[i].name;
    firing->inputs[i] = reaction->inputs[i].fixed;
    if (!reaction->inputs[i].is_stored) continue;
    firing->inputs[i] = firing->storage + reaction->inputs[i].offset;
    crucible__queue_pop(&locked->shelves[name->bit].queue, firing->inputs[i]);
  }
}

/// With the lock.
static void add(struct locked *locked, const struct crucible_name *name) {
  locked->shelves[name->bit].count++;
  locked->presence |= UINT64_C(1) << name->bit;
}

/// Gives the states of a finished firing back, matches, and takes what is to be run here; null: nothing.
static struct reaction *give_back(struct thread *self, struct component *component, const struct reaction *reaction,
                                  struct firing *firing) {
  struct locked *locked = component->locked;
  struct reaction *next = NULL;
  lock_acquire(&locked->lock);
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    if (reaction->inputs[i].name->kind == CRUCIBLE_STATE) add(locked, reaction->inputs[i].name);
  }
  // One state that comes back leaves at most one firing to reserve; several may enable as many.
  for (uint32_t budget = reaction->state_count; budget > 0; budget--) {
    struct reaction *found = choose(self, component, reaction->after, reaction->after_end);
    if (!found) break;
    reserve(locked, found);
    if (!next && (found->placement == CRUCIBLE_INLINE || self->is_worker)) {
      next = found;
      take(locked, found, firing);
    } else {
      crucible__submit(self, found);
    }
  }
  lock_release(&locked->lock);
  return next;
}

/// Runs a firing whose molecules are taken, and then what the states that it gives back enable.
static void run(struct thread *self, struct component *component, struct reaction *reaction, struct firing *firing) {
  struct crucible_soup *outer = crucible__begin(self, component->soup);
  do {
    reaction->body(reaction->context, firing->inputs);
    reaction = reaction->state_count ? give_back(self, component, reaction, firing) : NULL;
  } while (reaction);
  crucible__end(self, outer);
}

static inline bool inject_in(struct thread *self, struct component *component, struct crucible_name *name, void *value,
                             struct firing *firing) {
  struct locked *locked = component->locked;
  lock_acquire(&locked->lock);
  bool stored = !name->has_payload || crucible__queue_push(&locked->shelves[name->bit].queue, value);
  struct reaction *reaction = NULL;
  bool here = false;
  if (stored) {
    add(locked, name);
    reaction = choose(self, component, name->candidates, name->candidates_end);
    if (reaction) {
      reserve(locked, reaction);
      here = crucible__runs_here(self, reaction);
      if (here) take(locked, reaction, firing);
    }
  }
  lock_release(&locked->lock);
  if (here) {
    run(self, component, reaction, firing);
    crucible__drain(self);
  } else if (reaction) {
    crucible__submit(self, reaction);
  }
  return stored;
}

static __attribute__((noinline)) bool inject_large(struct thread *self, struct component *component,
                                                   struct crucible_name *name, void *value) {
  CRUCIBLE_FIRING(firing, component);
  bool injected = inject_in(self, component, name, value, &firing);
  CRUCIBLE_FIRING_END(firing, component);
  return injected;
}

static bool locked_inject(struct crucible_name *name, void *value) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self)) return false;
  struct component *component = name->component;
  struct stripe *stripe = crucible__enter(self, component->soup);
  bool injected;
  if (LIKELY(component->is_small)) {
    struct small_firing room;
    struct firing firing = {.inputs = room.inputs, .storage = room.storage};
    injected = inject_in(self, component, name, value, &firing);
  } else {
    injected = inject_large(self, component, name, value);
  }
  crucible__leave(stripe, component->soup);
  return injected;
}

static inject_function inject_for(const struct crucible_name *name) {
  (void)name;
  return locked_inject;
}

static void locked_run(struct thread *self, struct reaction *reaction) {
  struct component *component = reaction->component;
  struct locked *locked = component->locked;
  CRUCIBLE_FIRING(firing, component);
  lock_acquire(&locked->lock);
  take(locked, reaction, &firing);
  lock_release(&locked->lock);
  run(self, component, reaction, &firing);
  CRUCIBLE_FIRING_END(firing, component);
}

static uint64_t locked_count(const struct crucible_name *name) {
  struct locked *locked = name->component->locked;
  lock_acquire(&locked->lock);
  uint64_t count = locked->shelves[name->bit].count;
  lock_release(&locked->lock);
  return count;
}

static bool locked_is_at_rest(struct component *component) {
  (void)component;  // every injection is counted
  return true;
}

static bool locked_create(struct component *component) {
  struct locked *locked = crucible__allocate(locked_size(component), 64);
  if (!locked) return false;
  if (!lock_create(&locked->lock)) {
    crucible__free(locked, locked_size(component));
    return false;
  }
  component->locked = locked;
  locked->presence = 0;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    locked->shelves[i].count = 0;
    crucible__queue_create(&locked->shelves[i].queue, name->size, name->alignment);
    if (name->kind == CRUCIBLE_STATE) add(locked, name);
  }
  return true;
}

static void locked_destroy(struct component *component) {
  struct locked *locked = component->locked;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    crucible__queue_destroy(&locked->shelves[i].queue, name->kind == CRUCIBLE_STATE ? NULL : name->destroy, name->context);
  }
  lock_destroy(&locked->lock);
  crucible__free(locked, locked_size(component));
}

const struct strategy crucible__locked = {
    .inject_for = inject_for,
    .run = locked_run,
    .count = locked_count,
    .is_at_rest = locked_is_at_rest,
    .create = locked_create,
    .destroy = locked_destroy,
    .matcher = CRUCIBLE_LOCKED,
};
