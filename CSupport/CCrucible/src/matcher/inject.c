// See inject.h.
//
// A refusal is recorded last, because the bodies that run before may inject, and be refused for another reason.

#include "matcher/inject.h"

#include "firing/origin.h"
#include "matcher/fact.h"

bool crucible__inject_placed(struct crucible_name *name, void *value, uint64_t attempts, struct place *place) {
  return crucible__inject_by(name->component->matcher->add, name, value, attempts, place);
}

static bool inject(struct crucible_name *name, void *value) { return crucible__inject_placed(name, value, 0, NULL); }

inject_function crucible__inject_for(const struct crucible_name *name) {
  if (UNLIKELY(name->kind == CRUCIBLE_FACT)) return crucible__inject_fact;
  const struct matcher *matcher = name->component->matcher;
  if (matcher->inject_for) return matcher->inject_for(name);
  return matcher->inject ? matcher->inject : inject;
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

void crucible__destroy_gone(void *value, void *name) {
  crucible__destroy_value(name, value, CRUCIBLE_GONE);
}

void crucible__add_dropped(struct crucible_soup *soup, uint64_t count) {
  uint64_t dropped = load_relaxed(&soup->dropped);
  while (!cas_relaxed(&soup->dropped, &dropped, count < INT64_MAX - dropped ? dropped + count : INT64_MAX)) {
  }
}
