// The matcher `locked`: the straightforward reference. One mutex for a component, a mask of the names that are present, a
// count and a queue for each name. Whoever injects does so, matches and takes in one critical section; bodies run outside.
// It has no trick and no handicap, and it passes the same tests as `word`.
//
// Invariant, whenever the lock is free: no reaction is enabled, or the component is paused or stopped; a name's bit in `presence` is
// set iff its count is not 0; its queue holds its count and what is reserved for firings that have not taken yet.
//
// Withdrawal: a call whose name has a count is taken out of the queue; if there is no count, all that the queue holds is
// reserved, and the firing that takes it finds that nobody waits. Several molecules at once are added in one critical section.
//
// Progress: blocks. A thread that stops inside stops the component.

#include "bag/queue.h"
#include "base/errors.h"
#include "base/memory.h"
#include "firing/firing.h"
#include "firing/stripes.h"
#include "matcher/matcher.h"

struct shelf {
  uint64_t count;  ///< available: not reserved
  struct queue queue;
};

struct locked {
  struct lock lock;
  uint64_t control;  ///< as the word's: any bit disables every reaction
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
  if (component->locked->control) return NULL;
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
  uint64_t *attempts = crucible__attempts_of(firing->inputs);
  *attempts = 0;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct crucible_name *name = reaction->inputs[i].name;
    firing->inputs[i] = reaction->inputs[i].fixed;
    if (!reaction->inputs[i].is_stored) continue;
    firing->inputs[i] = firing->storage + reaction->inputs[i].offset;
    crucible__queue_pop(&locked->shelves[name->bit].queue, firing->inputs[i], attempts);
  }
}

/// With the lock.
static void add(struct locked *locked, const struct crucible_name *name, uint64_t times) {
  if (times == 0) return;
  locked->shelves[name->bit].count += times;
  locked->presence |= UINT64_C(1) << name->bit;
}

/// Gives the states of a finished firing back, matches, and takes what is to be run here; null: nothing.
static struct reaction *give_back(struct thread *self, struct component *component, const struct reaction *reaction,
                                  struct firing *firing) {
  struct locked *locked = component->locked;
  struct reaction *next = NULL;
  struct reaction *others[CRUCIBLE_MAX_INPUTS];
  uint32_t count = 0;
  lock_acquire(&locked->lock);
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    if (reaction->inputs[i].name->kind == CRUCIBLE_STATE) add(locked, reaction->inputs[i].name, 1);
  }
  // One state that comes back leaves at most one firing to reserve; several may enable as many.
  for (uint32_t budget = reaction->state_count; budget > 0; budget--) {
    struct reaction *found = choose(self, component, reaction->after, reaction->after_end);
    if (!found) break;
    reserve(locked, found);
    if (!next && crucible__stays_here(self, found)) {
      next = found;
      take(locked, found, firing);
    } else {
      others[count++] = found;
    }
  }
  lock_release(&locked->lock);
  while (count > 0) crucible__submit(self, others[--count]);
  return next;
}

/// Runs a firing whose molecules are taken, and then what the states that it gives back enable.
static void run(struct thread *self, struct component *component, struct reaction *reaction, struct firing *firing) {
  const struct reaction *outer = crucible__begin(self, reaction);
  do {
    crucible__begin_next(self, reaction);
    reaction->body(crucible__context(reaction), firing->inputs);
    reaction = reaction->state_count ? give_back(self, component, reaction, firing) : NULL;
  } while (reaction);
  crucible__end(self, outer);
}

/// With the lock. False: no memory, or stopped meanwhile.
static bool store(struct locked *locked, struct crucible_name *name, const void *value, uint64_t attempts) {
  if (locked->control & CRUCIBLE_STOPPED) return crucible__refuse(CRUCIBLE_NOT_RUNNING);
  if (!name->has_payload) return true;
  return crucible__queue_push(&locked->shelves[name->bit].queue, value, attempts) || crucible__refuse(CRUCIBLE_NO_MEMORY);
}

static inline bool inject_in(struct thread *self, struct component *component, struct crucible_name *name, void *value,
                             uint64_t attempts, struct place *place, struct firing *firing) {
  struct locked *locked = component->locked;
  lock_acquire(&locked->lock);
  bool stored = store(locked, name, value, attempts);
  if (stored && place && locked->shelves[name->bit].queue.tracked) {
    *place = (struct place){.position = locked->shelves[name->bit].queue.pushes - 1};
  }
  struct reaction *reaction = NULL;
  bool here = false;
  if (stored) {
    add(locked, name, 1);
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
  } else if (reaction) {
    crucible__submit_last(self, reaction);
  }
  if (reaction) crucible__drain(self);
  return stored;
}

static __attribute__((noinline)) bool inject_large(struct thread *self, struct component *component,
                                                   struct crucible_name *name, void *value, uint64_t attempts,
                                                   struct place *place) {
  CRUCIBLE_FIRING(firing, component);
  bool injected = inject_in(self, component, name, value, attempts, place, &firing);
  CRUCIBLE_FIRING_END(firing, component);
  return injected;
}

static bool locked_inject_placed(struct crucible_name *name, void *value, uint64_t attempts, struct place *place) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self)) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  struct component *component = name->component;
  struct stripe *stripe = crucible__enter(self, component->soup);
  bool injected;
  if (LIKELY(component->is_small)) {
    struct small_firing room;
    struct firing firing = {.inputs = room.inputs + 1, .storage = room.storage};
    injected = inject_in(self, component, name, value, attempts, place, &firing);
  } else {
    injected = inject_large(self, component, name, value, attempts, place);
  }
  crucible__leave(stripe, component->soup);
  return injected;
}

static bool locked_inject(struct crucible_name *name, void *value) { return locked_inject_placed(name, value, 0, NULL); }

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

static void locked_take(struct reaction *reaction, struct firing *firing) {
  struct locked *locked = reaction->component->locked;
  lock_acquire(&locked->lock);
  take(locked, reaction, firing);
  lock_release(&locked->lock);
}

static void locked_run_taken(struct thread *self, struct reaction *reaction, struct firing *firing) {
  run(self, reaction->component, reaction, firing);
}

static void locked_end(struct thread *self, struct reaction *reaction) {
  struct component *component = reaction->component;
  CRUCIBLE_FIRING(firing, component);
  const struct reaction *outer = crucible__begin(self, reaction);
  struct reaction *next = give_back(self, component, reaction, &firing);
  if (next) run(self, component, next, &firing);
  crucible__end(self, outer);
  CRUCIBLE_FIRING_END(firing, component);
}

/// After several counts have come: reserves until nothing is enabled, gives all firings but one to others, runs that one.
static void settle(struct thread *self, struct component *component) {
  enum { AT_ONCE = 16 };
  struct locked *locked = component->locked;
  struct reaction *last = NULL;
  struct reaction *found;
  do {
    struct reaction *others[AT_ONCE];
    uint32_t count = 0;
    lock_acquire(&locked->lock);
    while (count < AT_ONCE && (found = choose(self, component, component->candidates, component->candidates_end))) {
      reserve(locked, found);
      if (last) others[count++] = last;
      last = found;
    }
    lock_release(&locked->lock);
    while (count > 0) crucible__submit(self, others[--count]);
  } while (found);
  if (!last) return;
  if (crucible__runs_here(self, last)) {
    locked_run(self, last);
  } else {
    crucible__submit_last(self, last);
  }
}

/// With the lock: takes back what was stored when there was no memory for the rest.
static void unstore(struct locked *locked, const struct component *component, const crucible_molecule *molecules,
                    size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct crucible_name *name = molecules[i].name;
    if (name->component == component && name->has_payload) locked->shelves[name->bit].queue.count--;
  }
}

static bool locked_inject_together(struct component *component, crucible_molecule *molecules, size_t count) {
  struct thread *self = crucible__thread();
  if (!self) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  struct locked *locked = component->locked;
  struct stripe *stripe = crucible__enter(self, component->soup);
  bool stored = true;
  lock_acquire(&locked->lock);
  for (size_t i = 0; stored && i < count; i++) {
    const struct crucible_name *name = molecules[i].name;
    if (name->component != component || name->has_payload) continue;
    stored = locked->shelves[name->bit].count <= CRUCIBLE_MAX_WAITING || crucible__refuse(CRUCIBLE_TOO_MANY_MOLECULES);
  }
  for (size_t i = 0; stored && i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || store(locked, name, molecules[i].value, molecules[i].times)) continue;
    unstore(locked, component, molecules, i);
    stored = false;
  }
  for (size_t i = 0; stored && i < count; i++) {
    if (molecules[i].name->component != component) continue;
    add(locked, molecules[i].name, molecules[i].name->has_payload ? 1 : molecules[i].times);
  }
  lock_release(&locked->lock);
  if (!stored) {
    crucible__leave(stripe, component->soup);
    return false;
  }
  settle(self, component);
  crucible__drain(self);
  crucible__leave(stripe, component->soup);
  return stored;
}

static enum withdrawal locked_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                       void *result) {
  (void)self;
  struct locked *locked = name->component->locked;
  struct shelf *shelf = &locked->shelves[name->bit];
  enum withdrawal answer = CONSUMED;
  lock_acquire(&locked->lock);
  if (shelf->count > 0 && crucible__queue_holds(&shelf->queue, place->position)) {
    crucible__queue_remove(&shelf->queue, place->position, result);
    if (--shelf->count == 0) locked->presence &= ~(UINT64_C(1) << name->bit);
    answer = WITHDRAWN;
  }
  lock_release(&locked->lock);
  return answer;
}

static void locked_control(struct component *component, uint64_t set, uint64_t clear) {
  struct locked *locked = component->locked;
  lock_acquire(&locked->lock);
  locked->control = (locked->control | set) & ~clear;
  lock_release(&locked->lock);
}

static bool locked_is_dropping(struct component *component) {
  (void)component;  // injections are refused under the lock: nobody drops late
  return false;
}

static void locked_reopen(struct component *component) { (void)component; }

/// Takes one molecule that a drop has reserved, and destroys it without the lock.
static void drop_one(struct component *component, struct crucible_name *name, crucible_reason reason) {
  struct locked *locked = component->locked;
  CRUCIBLE_FIRING(room, component);
  uint64_t attempts = 0;
  lock_acquire(&locked->lock);
  crucible__queue_pop(&locked->shelves[name->bit].queue, room.storage, &attempts);
  lock_release(&locked->lock);
  if (name->destroy) name->destroy(room.storage, name->context, reason);
  CRUCIBLE_FIRING_END(room, component);
}

static uint64_t locked_drop(struct component *component, crucible_reason reason) {
  struct locked *locked = component->locked;
  uint64_t counts[CRUCIBLE_MAX_NAMES] = {0};
  uint64_t dropped = 0;
  lock_acquire(&locked->lock);
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (component->names[bit]->kind == CRUCIBLE_STATE) continue;
    counts[bit] = locked->shelves[bit].count;
    locked->shelves[bit].count = 0;
    locked->presence &= ~(UINT64_C(1) << bit);
    dropped += counts[bit];
  }
  lock_release(&locked->lock);
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (!component->names[bit]->has_payload) continue;
    for (uint64_t i = 0; i < counts[bit]; i++) drop_one(component, component->names[bit], reason);
  }
  return dropped;
}

static void locked_counts(struct component *component, uint64_t *counts) {
  struct locked *locked = component->locked;
  lock_acquire(&locked->lock);
  for (uint32_t bit = 0; bit < component->name_count; bit++) counts[bit] = locked->shelves[bit].count;
  lock_release(&locked->lock);
}

static bool locked_is_at_rest(struct component *component) {
  (void)component;  // every injection is counted
  return true;
}

static void locked_inherit(struct component *component) {
  struct locked *locked = component->locked;
  lock_create(&locked->lock);  // a thread that is not here may have had it
  locked->control |= CRUCIBLE_CONTROL;
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
  locked->control = 0;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    locked->shelves[i].count = 0;
    bool tracked = name->kind == CRUCIBLE_FAST || name->is_retried;
    crucible__queue_create(&locked->shelves[i].queue, name->size, name->alignment, tracked);
    if (name->kind == CRUCIBLE_STATE) add(locked, name, 1);
  }
  return true;
}

static void destroy_value(void *value, void *context) {
  const struct crucible_name *name = context;
  name->destroy(value, name->context, CRUCIBLE_GONE);
}

static void locked_destroy(struct component *component) {
  struct locked *locked = component->locked;
  for (uint32_t i = 0; i < component->name_count; i++) {
    struct crucible_name *name = component->names[i];
    bool destroys = name->kind != CRUCIBLE_STATE && name->destroy;
    crucible__queue_destroy(&locked->shelves[i].queue, destroys ? destroy_value : NULL, name);
  }
  lock_destroy(&locked->lock);
  crucible__free(locked, locked_size(component));
}

const struct strategy crucible__locked = {
    .inject_for = inject_for,
    .inject_placed = locked_inject_placed,
    .inject_together = locked_inject_together,
    .withdraw = locked_withdraw,
    .run = locked_run,
    .take = locked_take,
    .run_taken = locked_run_taken,
    .end = locked_end,
    .counts = locked_counts,
    .control = locked_control,
    .is_dropping = locked_is_dropping,
    .reopen = locked_reopen,
    .settle = settle,
    .drop = locked_drop,
    .is_at_rest = locked_is_at_rest,
    .inherit = locked_inherit,
    .create = locked_create,
    .destroy = locked_destroy,
    .matcher = CRUCIBLE_LOCKED,
};
