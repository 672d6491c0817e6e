// See inject.h.
//
// A refusal is recorded last, because the bodies that run before may inject, and be refused for another reason.

#include "matcher/inject.h"

#include "base/above.h"
#include "firing/bounds.h"
#include "firing/origin.h"
#include "matcher/fact.h"

bool crucible__inject_placed(struct crucible_name *name, void *value, uint64_t attempts, struct place *place) {
  return crucible__inject_by(name->component->matcher->add, name, value, attempts, place);
}

static bool inject(struct crucible_name *name, void *value) { return crucible__inject_placed(name, value, 0, NULL); }

/// Returns the function that injects this name, whatever its capacity.
static inject_function unbounded_inject(const struct crucible_name *name) {
  const struct matcher *matcher = name->component->matcher;
  if (matcher->inject_for) return matcher->inject_for(name);
  return matcher->inject ? matcher->inject : inject;
}

/// Injects a molecule that has been counted.
static bool inject_counted(struct crucible_name *name, void *value) {
  if (unbounded_inject(name)(name, value)) return true;
  crucible_status why = crucible__refusal;
  crucible__release_bound(crucible__bound_of(name), 1);
  return crucible__refuse(why);
}

/// Injects a molecule of a full name: drops another one, or this one.
static bool inject_and_drop(struct thread *self, struct crucible_name *name, void *value) {
  struct bound *bound = crucible__bound_of(name);
  CRUCIBLE_FIRING(room, name->component);
  struct stripe *stripe = crucible__enter(self, name->soup);  // a stop reports what is dropped for it (STOP-3)
  bool drops_oldest = bound->options.when_full == CRUCIBLE_DROP_OLDEST &&
                      name->component->matcher->withdraw(self, name, NULL, room.storage) == WITHDRAWN;
  // The new molecule takes the place of the one that is dropped.
  bool stays = drops_oldest || crucible__acquire_bound(bound, 1);
  void *dropped = drops_oldest ? room.storage : value;
  if (drops_oldest || !stays) crucible__end_unconsumed(name, dropped, CRUCIBLE_DISPLACED, bound->options.into);
  crucible__leave(stripe, name->soup);
  CRUCIBLE_FIRING_END(room, name->component);
  return !stays || inject_counted(name, value);
}

static bool inject_bounded(struct crucible_name *name, void *value) {
  struct bound *bound = crucible__bound_of(name);
  if (bound->options.room || crucible__acquire_bound(bound, 1)) return inject_counted(name, value);
  if (bound->options.when_full == CRUCIBLE_REFUSE) return crucible__refuse(CRUCIBLE_FULL);
  struct thread *self = crucible__thread();
  return self ? inject_and_drop(self, name, value) : crucible__refuse(CRUCIBLE_NO_MEMORY);
}

inject_function crucible__inject_for(const struct crucible_name *name) {
  if (UNLIKELY(name->kind == CRUCIBLE_FACT)) return crucible__inject_fact;
  return UNLIKELY(crucible__bound_of(name) != NULL) ? inject_bounded : unbounded_inject(name);
}

/// Runs a reserved firing, if there is one, here or where it belongs. Its molecules are not taken yet.
static void run_or_submit(struct thread *self, struct reaction *reaction) {
  if (reaction && crucible__runs_here(self, reaction)) {
    reaction->component->matcher->run(self, reaction, ALL_STORED);
  } else if (reaction) {
    crucible__submit_last(self, reaction);
  }
  crucible__drain(self);
}

void crucible__count_off(const struct component *component, const crucible_molecule *molecules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct bound *bound = crucible__bound_of(molecules[i].name);
    if (!bound || (component && molecules[i].name->component != component)) continue;
    crucible__release_bound(bound, crucible__counted(&molecules[i]));
  }
}

bool crucible__count_on(const crucible_molecule *molecules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct bound *bound = crucible__bound_of(molecules[i].name);
    if (!bound) continue;
    if (molecules[i].is_put_back) {
      fetch_add_relaxed(&bound->count, crucible__counted(&molecules[i]));
    } else if (!bound->options.room && !crucible__acquire_bound(bound, crucible__counted(&molecules[i]))) {
      crucible__count_off(NULL, molecules, i);
      return false;
    }
  }
  return true;
}

bool crucible__inject_component(struct component *component, crucible_molecule *molecules, size_t count) {
  struct thread *self = crucible__thread();
  if (!self) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  struct stripe *stripe = crucible__enter(self, component->soup);
  struct added added = component->matcher->add_together(self, component, molecules, count);
  run_or_submit(self, added.reaction);
  crucible__leave(stripe, component->soup);
  return added.status == CRUCIBLE_OK || crucible__refuse(added.status);
}

void crucible__settle(struct thread *self, struct component *component) {
  struct stripe *stripe = crucible__enter(self, component->soup);
  struct reaction *reaction = component->matcher->settle(self, component);
  run_or_submit(self, reaction);
  crucible__leave(stripe, component->soup);
}

void crucible__settle_several(struct thread *self, struct crucible_soup *soup, const bool *which) {
  struct stripe *stripe = crucible__enter(self, soup);
  struct reaction *last = NULL;
  for (uint32_t c = 0; c < soup->component_count; c++) {
    struct component *component = &soup->components[c];
    struct reaction *reaction = which && !which[c] ? NULL : component->matcher->settle(self, component);
    if (reaction && last) crucible__submit(self, last);
    if (reaction) last = reaction;
  }
  run_or_submit(self, last);
  crucible__leave(stripe, soup);
}

const struct reaction *crucible__step(struct thread *self, struct component *component, struct reaction *only) {
  struct stripe *stripe = crucible__enter(self, component->soup);
  struct reaction *reaction = component->matcher->step(self, component, only);
  run_or_submit(self, reaction);
  crucible__leave(stripe, component->soup);
  return reaction;
}

void crucible__note_dropped(const struct crucible_name *name, uint64_t count, crucible_reason reason) {
  if (reason == CRUCIBLE_STOPPED_SOUP) crucible__note_stopped(name, count);
  struct bound *bound = crucible__bound_of(name);
  if (!bound || count == 0 || reason == CRUCIBLE_GONE) return;
  if (reason == CRUCIBLE_STOPPED_SOUP && bound->options.room) {
    crucible__forget_put_back(bound, count);  // the restart makes the room (BOUND-2)
  } else {
    crucible__release_bound(bound, count);
  }
}

bool crucible__end_unconsumed(const struct crucible_name *name, void *value, crucible_stage why,
                               struct crucible_name *into) {
  struct crucible_soup *soup = name->soup;
  if (UNLIKELY(load_relaxed(&soup->observed))) {
    // partner: the release in crucible_soup_give_context
    soup->place->options.notify(load_acquire(&soup->context), crucible__shown(name), value, 1, why);
  }
  void *origin = crucible__has_origins(name) ? *crucible__origin_of(name, value) : NULL;
  if (into && crucible__above.feed(into, value)) {
    crucible__end_origin(origin);
    return true;
  }
  bool is_stop = into && crucible__refusal != CRUCIBLE_FULL;
  if (is_stop) {
    crucible__add_stopped(name, 1);
  } else {
    crucible__add_dropped(name->soup, 1);
  }
  crucible__destroy_value(name, value, is_stop ? CRUCIBLE_STOPPED_SOUP : CRUCIBLE_CLEARED);
  return false;
}

void crucible__destroy_gone(void *value, void *name) {
  crucible__destroy_value(name, value, CRUCIBLE_GONE);
}

void crucible__add_dropped(struct crucible_soup *soup, uint64_t count) {
  uint64_t dropped = load_relaxed(&soup->dropped);
  while (!cas_relaxed(&soup->dropped, &dropped, count < INT64_MAX - dropped ? dropped + count : INT64_MAX)) {
  }
}
