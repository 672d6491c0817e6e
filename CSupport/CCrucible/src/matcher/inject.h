// The frame around every call of a matcher: the thread's record, entering, running or submitting reserved firings,
// draining the thread's slot, leaving, and refusing.

#ifndef CRUCIBLE_MATCHER_INJECT_H
#define CRUCIBLE_MATCHER_INJECT_H

#include "base/errors.h"
#include "firing/run.h"
#include "firing/stripes.h"
#include "matcher/matcher.h"

/// Returns the function that injects this name: its matcher's, or one of this file.
inject_function crucible__inject_for(const struct crucible_name *name);
/// Injects one molecule, and records its place if it must wait. False: refused.
bool crucible__inject_placed(struct crucible_name *name, void *value, uint64_t attempts, struct place *place);
/// Injects the molecules that belong to this component, in one step. False: refused, with the result that struct
/// matcher describes.
bool crucible__inject_component(struct component *component, crucible_molecule *molecules, size_t count);

/// Whether a drop takes the molecules of the name. It takes those of `only`, or of any name if that is null. Never a
/// state.
static inline bool crucible__drops(const struct crucible_name *only, const struct crucible_name *name) {
  return name->kind != CRUCIBLE_STATE && !crucible__shown(name)->is_room && (!only || only == name);
}
/// The number of molecules that a step injects of one name.
static inline uint64_t crucible__counted(const crucible_molecule *molecule) {
  return molecule->name->has_payload ? 1 : molecule->times;
}
/// Counts the molecules whose names have a capacity. Returns false, and counts none, if one of the names is full.
bool crucible__count_on(const crucible_molecule *molecules, size_t count);
/// Takes molecules that were not injected off the counts: those of the component, or all if it is null.
void crucible__count_off(const struct component *component, const crucible_molecule *molecules, size_t count);
/// Notes that a drop has taken so many molecules of the name.
void crucible__note_dropped(const struct crucible_name *name, uint64_t count, crucible_reason reason);
/// Ends a molecule that no reaction gets: tells observers why, and injects its value into `into`, if it is not null.
/// Otherwise destroys it, and counts it as dropped. False: destroyed. Requires: no lock is held.
bool crucible__end_unconsumed(const struct crucible_name *name, void *value, crucible_stage why,
                               struct crucible_name *into);
/// Destroys a value that waited when its soup ended. `name` is its name.
void crucible__destroy_gone(void *value, void *name);
/// Counts dropped molecules. The count saturates at INT64_MAX.
void crucible__add_dropped(struct crucible_soup *soup, uint64_t count);
/// Fires the enabled reactions, after the component was paused or stopped.
void crucible__settle(struct thread *self, struct component *component);
/// Settles the components that `which` selects, or all if it is null. Reserves the enabled reactions of all of them
/// before any body runs, because a body may never return.
void crucible__settle_several(struct thread *self, struct crucible_soup *soup, const bool *which);
/// Fires one enabled reaction of a paused component: `only`, or any if that is null. Returns the reaction, or null.
const struct reaction *crucible__step(struct thread *self, struct component *component, struct reaction *only);

static INLINE bool crucible__inject_in(add_function add, struct thread *self, struct crucible_name *name, void *value,
                                       uint64_t attempts, struct place *place, struct firing *firing) {
  struct added added = add(self, name, value, attempts, place, firing);
  if (added.reaction) {
    if (LIKELY(crucible__runs_here(self, added.reaction))) {
      crucible__run_taken(self, added.reaction, firing);
    } else {
      crucible__submit_last(self, added.reaction);
    }
    crucible__drain(self);
  }
  return LIKELY(added.status == CRUCIBLE_OK) || crucible__refuse(added.status);
}

static NOINLINE bool crucible__inject_large(add_function add, struct thread *self, struct crucible_name *name,
                                            void *value, uint64_t attempts, struct place *place) {
  CRUCIBLE_FIRING(firing, name->component);
  bool injected = crucible__inject_in(add, self, name, value, attempts, place, &firing);
  CRUCIBLE_FIRING_END(firing, name->component);
  return injected;
}

/// Injects like crucible__inject_by, for a thread that has already entered. The thread leaves at the end.
static INLINE bool crucible__inject_entered_by(add_function add, struct thread *self, struct crucible_name *name,
                                               void *value, uint64_t attempts, struct place *place,
                                               struct stripe *stripe) {
  struct component *component = name->component;
  bool injected;
  if (LIKELY(component->layout->is_small)) {
    struct small_firing room;
    struct firing firing = {.inputs = room.inputs + 1, .storage = room.storage};
    injected = crucible__inject_in(add, self, name, value, attempts, place, &firing);
  } else {
    injected = crucible__inject_large(add, self, name, value, attempts, place);
  }
  crucible__leave(stripe, component->soup);
  return injected;
}

/// Injects like crucible__inject_placed, by the `add` of a matcher that is known at compile time. A matcher's own
/// `inject` may be such a function.
static INLINE bool crucible__inject_by(add_function add, struct crucible_name *name, void *value, uint64_t attempts,
                                       struct place *place) {
  struct thread *self = crucible__thread();
  if (UNLIKELY(!self)) return crucible__refuse(CRUCIBLE_NO_MEMORY);
  struct stripe *stripe = crucible__enter(self, name->component->soup);
  return crucible__inject_entered_by(add, self, name, value, attempts, place, stripe);
}

#endif
