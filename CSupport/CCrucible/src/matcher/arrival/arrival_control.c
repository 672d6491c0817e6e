// Inspection of a component of `arrival`, its control, its beginning and its end: see arrival.c.

#include <string.h>

#include "base/memory.h"
#include "firing/origin.h"
#include "matcher/arrival/arrival.h"
#include "matcher/component.h"
#include "matcher/fact.h"
#include "matcher/inject.h"

// ---------------------------------------------------------------------------------------------------------------------
// Inspection and control
// ---------------------------------------------------------------------------------------------------------------------

static void serve_counts(struct component *component, struct request *request) {
  const struct call *call = (const struct call *)request;
  const struct arrival *own = component->own;
  uint64_t *counts = call->value;
  for (uint32_t bit = 0; bit < component->name_count; bit++) counts[bit] = own->shelves[bit].count;
}

void crucible__arrival_counts(struct component *component, uint64_t *counts) {
  struct call call = {.request.serve = serve_counts, .value = counts};
  crucible__perform(component, &call);
}

static void serve_control(struct component *component, struct request *request) {
  const struct call *call = (const struct call *)request;
  struct arrival *own = component->own;
  const bool *now = call->value;
  // The thread that enables the reactions again settles afterwards.
  if ((own->paused || own->stopped) && !now[0] && !now[1]) own->unsettled = true;
  own->paused = now[0];
  own->stopped = now[1];
}

void crucible__arrival_control(struct component *component, bool paused, bool stopped) {
  struct call call = {.request.serve = serve_control, .value = (bool[]){paused, stopped}};
  crucible__perform(component, &call);
}

static void serve_pause_name(struct component *component, struct request *request) {
  const struct call *call = (const struct call *)request;
  struct arrival *own = component->own;
  struct shelf *shelf = &own->shelves[call->name->bit];
  uint64_t bit = UINT64_C(1) << call->name->bit;
  shelf->bit = load_relaxed(&call->name->paused) ? 0 : bit;
  own->presence = (own->presence & ~bit) | (shelf->count > 0 ? shelf->bit : 0);
  own->unsettled = true;  // the caller settles
}

void crucible__arrival_pause_name(struct crucible_name *name) {
  struct call call = {.request.serve = serve_pause_name, .name = name};
  crucible__perform(name->component, &call);
}

static void serve_fact(struct component *component, struct request *request) {
  const struct call *call = (const struct call *)request;
  crucible__count_fact(call->reaction, call->value != NULL);
  ((struct arrival *)component->own)->unsettled = true;  // the caller settles
}

void crucible__arrival_set_fact(struct reaction *reaction, uint32_t input, bool known) {
  struct call call = {.request.serve = serve_fact, .reaction = reaction, .value = known ? reaction : NULL};
  (void)input;
  crucible__perform(reaction->component, &call);
}

/// Takes all waiting molecules off their shelves. The nodes of each shelf go to `value`.
static void serve_drop(struct component *component, struct request *request) {
  struct call *call = (struct call *)request;
  struct arrival *own = component->own;
  struct node **nodes = call->value;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    if (!crucible__drops(call->name, component->names[bit])) continue;
    struct shelf *shelf = &own->shelves[bit];
    call->number += shelf->count;
    nodes[bit] = shelf->first;
    for (struct node *node = shelf->first; node; node = node->next) node->waits = false;
    shelf->first = shelf->last = NULL;
    shelf->count = 0;
    own->presence &= ~(UINT64_C(1) << bit);
  }
}

static void serve_give_nodes(struct component *component, struct request *request) {
  const struct call *call = (const struct call *)request;
  struct arrival *own = component->own;
  struct node **nodes = call->value;
  for (uint32_t bit = 0; bit < component->name_count; bit++) crucible__shelf_give_all(&own->shelves[bit], nodes[bit]);
}

uint64_t crucible__arrival_drop(struct component *component, const struct crucible_name *only, crucible_reason reason) {
  struct arrival *own = component->own;
  struct node *nodes[MOST_MASKED] = {NULL};
  struct call call = {.request.serve = serve_drop, .name = only, .value = nodes};
  crucible__perform(component, &call);
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    bool destroys = name->has_payload && crucible__destroys(name);
    for (struct node *node = nodes[bit]; destroys && node; node = node->next) {
      crucible__destroy_value(name, crucible__shelf_value(&own->shelves[bit], node), reason);
    }
  }
  call.request.serve = serve_give_nodes;
  crucible__perform(component, &call);
  return call.number;
}

void crucible__arrival_inherit(struct component *component) {
  struct arrival *own = component->own;
  atomic_init(&own->combiner.pending, COMBINER_IDLE);  // a thread of the parent may have combined
  own->paused = true;
}

// ---------------------------------------------------------------------------------------------------------------------
// Beginning and end
// ---------------------------------------------------------------------------------------------------------------------

static size_t size_of(const struct component *component) {
  return sizeof(struct arrival) + component->name_count * sizeof(struct shelf) +
         component->reaction_count * sizeof(struct matches) + crucible__size_of_lists(component);
}

bool crucible__arrival_create(struct component *component) {
  struct arrival *own = crucible__allocate(size_of(component), 64);
  if (!own) return false;
  memset(own, 0, size_of(component));
  component->own = own;
  struct matches *matches = (struct matches *)(void *)&own->shelves[component->name_count];
  for (uint32_t r = 0; r < component->reaction_count; r++) component->reactions[r]->own = &matches[r];
  struct reaction **list = (struct reaction **)(void *)&matches[component->reaction_count];
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    const struct crucible_name *name = component->names[bit];
    struct shelf *shelf = &own->shelves[bit];
    crucible__shelf_create(shelf, name);
    shelf->bit = UINT64_C(1) << bit;
    shelf->reactions = list;
    shelf->reactions_end = list = crucible__list_reactions(name, list);
    if (name->kind != CRUCIBLE_STATE) continue;
    shelf->count = 1;
    own->presence |= UINT64_C(1) << bit;
  }
  return true;
}

void crucible__arrival_destroy(struct component *component) {
  struct arrival *own = component->own;
  for (uint32_t bit = 0; bit < component->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    bool destroys = name->has_payload && crucible__destroys(name);
    crucible__shelf_destroy(&own->shelves[bit], destroys ? crucible__destroy_gone : NULL, name);
  }
  crucible__free(own, size_of(component));
}
