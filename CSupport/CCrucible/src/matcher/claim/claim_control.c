// Inspection, pausing, clearing and stopping on the matcher `claim`, and its beginning and end. claim.c has the rules.
//
// A call that concerns all names is one claim of all their words, so it takes effect at one moment.

#include <string.h>

#include "base/memory.h"
#include "matcher/abandoned.h"
#include "matcher/bags.h"
#include "matcher/claim/claim.h"
#include "matcher/component.h"
#include "matcher/inject.h"

/// Changes the words of all names at one moment. Requires: `change` always agrees.
static inline void change_all(struct component *component, change_function change, void *context) {
  crucible__claim_in(crucible__claiming_thread(), component->own, crucible__claim_all_names(component), change,
                     context);
}

static bool note_count(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  uint64_t *counts = context;
  counts[bit] = before / CLAIM_ONE;
  *after = before;
  return true;
}

void crucible__claim_counts(struct component *component, uint64_t *counts) {
  change_all(component, note_count, counts);
}

static bool set_flags(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  (void)bit;
  const uint64_t *flags = context;
  *after = (before & ~CLAIM_CONTROL) | *flags;
  return true;
}

struct hushing {
  uint64_t names;  ///< the names that are paused alone
};

static bool set_hushed(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  uint64_t names = ((const struct hushing *)context)->names;
  *after = (before & ~(CLAIM_HUSHED | CLAIM_GUARDED)) | (names ? CLAIM_GUARDED : 0);
  if (names >> bit & 1) *after |= CLAIM_HUSHED;
  return true;
}

void crucible__claim_control(struct component *component, bool paused, bool stopped) {
  uint64_t flags = (paused ? CLAIM_PAUSED : 0) | (stopped ? CLAIM_STOPPED : 0);
  change_all(component, set_flags, &flags);
}

/// Pauses a name, or ends its pause. A thread that read a word before fails when it changes it, so nothing that the
/// pause forbids fires later.
void crucible__claim_pause_name(struct crucible_name *name) {
  struct component *component = name->component;
  struct hushing hushing = {0};
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    // under the soup's lock
    if (load_relaxed(&component->names[bit]->paused)) hushing.names |= UINT64_C(1) << bit;
  }
  change_all(component, set_hushed, &hushing);
}

struct dropping {
  uint64_t mask, shown;  ///< every word must show `shown` in the bits of `mask`
  uint64_t *counts;
};

static bool drop_count(void *context, uint32_t bit, uint64_t before, uint64_t *after) {
  const struct dropping *dropping = context;
  dropping->counts[bit] = before / CLAIM_ONE;
  *after = before & CLAIM_FLAGS;
  return (before & dropping->mask) == dropping->shown;
}

static void pop(struct crucible_name *name, void *result, uint64_t *attempts) {
  crucible__rings_pop_mpmc(&name->bag, result, attempts);
}

/// Drops the molecules of `only`, or of all names if `only` is null. Does nothing unless the words show the `required`
/// flags.
static uint64_t drop(struct thread *self, struct component *component, const struct crucible_name *only,
                     uint64_t required, crucible_reason reason) {
  uint64_t counts[MOST_CLAIMED] = {0}, names = 0;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (crucible__drops(only, component->names[bit])) names |= UINT64_C(1) << bit;
  }
  struct dropping dropping = {required, required, counts};
  if (!crucible__claim_in(self, component->own, names, drop_count, &dropping)) return 0;
  return crucible__destroy_reserved(component, counts, pop, reason);
}

uint64_t crucible__claim_drop(struct component *component, const struct crucible_name *only, crucible_reason reason) {
  return drop(crucible__claiming_thread(), component, only, 0, reason);
}

void crucible__claim_drop_stopped(struct thread *self, struct component *component) {
  struct claim *own = component->own;
  // HALT-2; partner: the load in a restart, after its claim; either it sees this dropper, or the dropper sees that
  // STOPPED has gone
  fetch_add_seq_cst(&own->droppers, 1);
  uint64_t dropped = drop(self, component, NULL, CLAIM_STOPPED, CRUCIBLE_STOPPED_SOUP);
  fetch_sub_seq_cst(&own->droppers, 1);
  if (dropped > 0) crucible__add_dropped(component->soup, dropped);
}

bool crucible__claim_end_late(struct thread *self, struct crucible_name *name, uint64_t flags, void *value) {
  struct claim *own = name->component->own;
  if ((flags & CLAIM_CONTROL) != CLAIM_CONTROL) {
    crucible__claim_drop_stopped(self, name->component);
    return true;
  }
  // HALT-2; partner: the load in a restart, after its claim
  fetch_add_seq_cst(&own->droppers, 1);
  bool refused = crucible__claim_one(name, true) && crucible__take_back(name, value, pop);
  fetch_sub_seq_cst(&own->droppers, 1);
  return !refused;
}

bool crucible__claim_restart(struct component *component) {
  struct claim *own = component->own;
  // HALT-2; partner: the addition before a dropper claims
  return load_seq_cst(&own->droppers) == 0;
}

void crucible__claim_inherit(struct component *component) {
  struct claim *own = component->own;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    _Atomic uint64_t *word = &own->names[bit].word;
    store_relaxed(word, crucible__look(word, bit) | CLAIM_PAUSED);  // the claiming threads are not in the child
  }
  store_relaxed(&own->droppers, 0);
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end
// ---------------------------------------------------------------------------------------------------------------------

static size_t size_of(const struct component *component) {
  return sizeof(struct claim) + component->name_count * sizeof(struct claimed_name) +
         crucible__size_of_lists(component);
}

bool crucible__claim_create(struct component *component) {
  if (!crucible__claims_prepare()) return false;
  struct claim *own = crucible__allocate(size_of(component), 64);
  if (!own) return false;
  memset((void *)own, 0, size_of(component));
  component->own = own;
  struct reaction **list = (struct reaction **)(void *)&own->names[component->name_count];
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    struct claimed_name *claimed = &own->names[bit];
    atomic_init(&claimed->word, name->kind == CRUCIBLE_STATE ? CLAIM_ONE : 0);
    atomic_init(&name->aside.abandoned, NULL);
    claimed->reactions = list;
    claimed->reactions_end = list = crucible__list_reactions(name, list);
  }
  if (crucible__bags_prepare(component, NULL)) return true;
  crucible__free(own, size_of(component));
  return false;
}

void crucible__claim_destroy(struct component *component) {
  crucible__forget_abandoned(component);
  crucible__bags_destroy(component);
  crucible__free(component->own, size_of(component));
}
