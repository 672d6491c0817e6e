// Injecting several molecules in one step.
//
// All molecules are published first, and then counted in one step, by a CAS or a claim, so that no reaction sees some
// of them without the others. The part that exceeds a field's limit is spilled. That hides nothing: the field is then
// at its limit, and the limit is at least what one reaction takes.
//
// Progress: lock-free, except for memory.

#include <string.h>

#include "base/memory.h"
#include "matcher/word/word.h"

struct adding {
  const struct component *component;
  const uint64_t *counts;  ///< by bit
  uint64_t *fit;           ///< the part of these for which the words have room
  bool sealed;             ///< the words are sealed, and nothing is added (STOP-4)
};

static bool add_fitting(void *context, uint32_t home, uint64_t before, uint64_t *after) {
  struct adding *adding = context;
  *after = before;
  adding->sealed = crucible__form_sealed(crucible__form_of(adding->component), before);
  if (adding->sealed) return true;  // the change confirms it
  for (uint32_t bit = 0; bit < adding->component->layout->name_count; bit++) {
    const struct crucible_name *name = adding->component->names[bit];
    if (name->word.home != home) continue;
    uint64_t there = before & name->word.mask;
    uint64_t room = there < name->word.limit ? (name->word.limit - there) / name->word.unit : 0;
    adding->fit[bit] = adding->counts[bit] < room ? adding->counts[bit] : room;
    *after += adding->fit[bit] * name->word.unit;
  }
  return true;
}

/// Adds the part of these counts, by bit, for which the words have room, in one step. Leaves the rest in `counts`.
/// False: the component is sealed (STOP-4), and nothing was added.
static bool add_counts(struct component *component, uint64_t *counts) {
  uint64_t fit[component->layout->name_count];
  memset(fit, 0, sizeof fit);
  struct adding adding = {component, counts, fit, false};
  uint64_t words = 0;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (counts[bit] > 0) words |= UINT64_C(1) << component->names[bit]->word.home;
  }
  if (words) crucible__form_of(component)->change_all(component, words, add_fitting, &adding);
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) counts[bit] -= fit[bit];
  return !adding.sealed;
}

struct reaction *crucible__word_settle_whole(struct thread *self, struct component *component) {
  if (load_seq_cst(&component->attention) != 0) crucible__word_tend(self, component);
  struct reaction *reaction = crucible__form_of(component)->settle_all(self, component);
  return crucible__word_or_attend(self, component, reaction);
}

/// Takes back published molecules after there was no memory for the one with index `count`.
static void unpublish(struct thread *self, struct component *component, crucible_molecule *molecules,
                      const struct place *places, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__is_bagged(name)) continue;
    if (crucible__bag_withdraw_mpmc(&name->bag, &places[i], molecules[i].value)) continue;
    molecules[i].value = NULL;
    crucible__word_give_count_back(self, name);
  }
}

/// Sums up the molecules without payload. False: there would be too many.
static bool sum_up(const struct component *component, const crucible_molecule *molecules, size_t count,
                   uint64_t *counts) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || crucible__is_bagged(name)) continue;
    counts[name->bit] += molecules[i].times;
    // Additions by other threads meanwhile do no harm: 2^56, and 2^40 by each of 2^22 threads, are far from 2^64.
    if (load_relaxed(&name->overflow) > CRUCIBLE_MAX_WAITING) return false;
  }
  return true;
}

/// Publishes those of several molecules that belong to this component, and adds their numbers to `counts`, by bit, to
/// be counted in one step. When there is no memory, published molecules are taken back. Those that reactions have taken
/// meanwhile are counted, and marked as injected.
static crucible_status publish_all(struct thread *self, struct component *component, crucible_molecule *molecules,
                                   size_t count, uint64_t *counts) {
  if (!sum_up(component, molecules, count, counts)) return CRUCIBLE_TOO_MANY_MOLECULES;
  struct place *places = crucible__allocate(count * sizeof *places, CRUCIBLE_LINE);
  if (!places) return CRUCIBLE_NO_MEMORY;
  bool published = true;
  for (size_t i = 0; published && i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__is_bagged(name)) continue;
    counts[name->bit]++;
    if (crucible__bag_push_placed_mpmc(&name->bag, molecules[i].value, molecules[i].times, &places[i])) continue;
    unpublish(self, component, molecules, places, i);
    published = false;
  }
  crucible__free(places, count * sizeof *places);
  return published ? CRUCIBLE_OK : CRUCIBLE_NO_MEMORY;
}

/// Takes published molecules that are not counted out of a sealed component: as many of each name, not the same ones.
/// Calls are ended, and those here are marked as injected (STOP-4).
static void take_back(const struct component *component, crucible_molecule *molecules, size_t count) {
  for (size_t i = 0; i < count; i++) {
    struct crucible_name *name = molecules[i].name;
    if (name->component != component || !crucible__is_bagged(name)) continue;
    if (!crucible__word_take_back(name, molecules[i].value)) molecules[i].value = NULL;
  }
}

struct added crucible__word_add_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                         size_t count) {
  uint64_t counts[component->layout->name_count];
  memset(counts, 0, sizeof counts);
  crucible_status status = publish_all(self, component, molecules, count, counts);
  if (status != CRUCIBLE_OK) return (struct added){NULL, status};
  if (!add_counts(component, counts)) {
    take_back(component, molecules, count);
    return (struct added){NULL, CRUCIBLE_NOT_RUNNING};
  }
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    if (counts[bit] > 0) crucible__word_spill(component, component->names[bit], counts[bit]);
  }
  return (struct added){crucible__word_settle_whole(self, component), CRUCIBLE_OK};
}
