// The matcher `arrival`: matches in the order of arrival, without random choice.
//
// Every call is a request. One thread at a time serves the requests of a component in the order in which they were
// enqueued (combiner.h). So the code that serves them is as simple as under a lock. The molecules of a name wait on its
// shelf, oldest first (shelf.h).
//
//   ARRIVAL-1  Numbers are given as requests are served, and rise. Molecules that are injected in one step arrive in
//       the order in which they were listed. A molecule that is put back arrives anew.
//   ARRIVAL-2  Of the enabled reactions that one fires whose youngest input arrived first, not counting states. If two
//       reactions share this input, the next youngest decides. If one reaction has no further input to compare, the
//       other fires first, because its additional input is older than all that they share. If all inputs are shared,
//       the order of declaration decides. Each input is the oldest of its name.
//   ARRIVAL-3  Between two requests no reaction is enabled, unless the component is paused or stopped, or `unsettled`
//       says that some thread is going to request further firings. Until it has, all reactions of the component are
//       candidates at every arrival, so that no younger match is made before an older one.
//   ARRIVAL-4  A reserved firing has its molecules. Those that no thread takes at once wait in a list of the reaction,
//       oldest match first. So the molecules that react together do not depend on the threads that run the firings. A
//       call that is in a match can no longer be withdrawn.
//
// So the order of requests alone decides which molecules react together. It does not decide the order in which bodies
// run or end. A combiner runs no body, and the thread that completed a match runs or submits it after its request was
// served.
//
// Progress: enqueueing is lock-free, and the wait for the combiner blocks (combiner.h).
//
// JErlang (Plociniczak and Eisenbach, COORDINATION 2010) calls the rule first match.

#include "matcher/arrival/arrival.h"

#include <string.h>

#include "matcher/inject.h"
#include "matcher/registry.h"

// ---------------------------------------------------------------------------------------------------------------------
// Adding
// ---------------------------------------------------------------------------------------------------------------------

static void serve_add(struct component *component, struct request *request) {
  struct call *call = (struct call *)request;
  struct arrival *own = component->own;
  const struct crucible_name *name = call->name;
  struct node *node = own->stopped ? NULL : crucible__arrive(own, name, call->value, 1, call->number);
  if (!node) {
    call->status = own->stopped ? CRUCIBLE_NOT_RUNNING : CRUCIBLE_NO_MEMORY;
    return;
  }
  if (call->place && name->has_payload) {
    *call->place = (struct place){.serial = (uintptr_t)node, .position = node->number};
  }
  call->next = crucible__reserve_first(component, &own->shelves[name->bit], call->self, crucible__runs_here,
                                       call->firing);
}

static inline __attribute__((always_inline)) struct added arrival_add(
    struct thread *self, struct crucible_name *name, void *value, uint64_t attempts, struct place *place,
    struct firing *firing) {
  struct call call = {.request.serve = serve_add, .self = self, .name = name, .value = value, .number = attempts,
                      .place = place, .firing = firing, .status = CRUCIBLE_OK};
  crucible__perform(name->component, &call);
  return (struct added){call.next, call.status};
}

static bool arrival_inject(struct crucible_name *name, void *value) {
  return crucible__inject_by(arrival_add, name, value, 0, NULL);
}

/// Reserves all enabled reactions, as far as there is room for them.
static void serve_settle(struct component *component, struct request *request) {
  struct call *call = (struct call *)request;
  struct arrival *own = component->own;
  own->unsettled = false;
  for (call->count = 0; call->count < CRUCIBLE_SETTLED; call->count++) {
    struct reaction *found = crucible__reserve_first(component, NULL, NULL, NULL, NULL);
    if (!found) return;
    call->found[call->count] = found;
  }
  own->unsettled = true;
}

/// Submits all reserved firings except the first, which it returns. Requests more until no reaction is enabled.
static struct reaction *settle(struct thread *self, struct component *component, struct call *call) {
  struct reaction *found[CRUCIBLE_SETTLED], *first = NULL;
  call->found = found;
  do {
    crucible__perform(component, call);
    for (uint32_t i = 0; i < call->count; i++) {
      if (first) crucible__submit(self, found[i]);
      if (!first) first = found[i];
    }
    call->request.serve = serve_settle;
  } while (call->count == CRUCIBLE_SETTLED);
  return first;
}

static struct reaction *arrival_settle(struct thread *self, struct component *component) {
  struct call call = {.request.serve = serve_settle};
  return settle(self, component, &call);
}

static void serve_step(struct component *component, struct request *request) {
  struct call *call = (struct call *)request;
  struct arrival *own = component->own;
  if (!own->paused) return;
  const struct shelf only = {.reactions = &call->reaction, .reactions_end = &call->reaction + 1};
  bool unsettled = own->unsettled;
  own->paused = own->unsettled = false;  // until the next request
  call->next = crucible__reserve_first(component, call->reaction ? &only : NULL, NULL, NULL, NULL);
  own->paused = true;
  own->unsettled = unsettled;
}

static struct reaction *arrival_step(struct thread *self, struct component *component, struct reaction *only) {
  (void)self;
  struct call call = {.request.serve = serve_step, .reaction = only};
  crucible__perform(component, &call);
  return call.next;
}

/// Whether there is memory for the molecules that belong to this component, and they can be counted.
static crucible_status has_room(struct component *component, const crucible_molecule *molecules, size_t count) {
  struct arrival *own = component->own;
  struct node *nodes[MOST_MASKED] = {NULL};
  crucible_status status = CRUCIBLE_OK;
  for (size_t i = 0; i < count && status == CRUCIBLE_OK; i++) {
    const struct crucible_name *name = molecules[i].name;
    if (name->component != component) continue;
    struct shelf *shelf = &own->shelves[name->bit];
    struct node *node = crucible__shelf_node(shelf);
    if (!node) return CRUCIBLE_NO_MEMORY;
    node->next = nodes[name->bit];
    nodes[name->bit] = node;
    if (!name->has_payload && shelf->count > CRUCIBLE_MAX_WAITING) status = CRUCIBLE_TOO_MANY_MOLECULES;
  }
  for (uint32_t bit = 0; bit < component->name_count; bit++) crucible__shelf_give_all(&own->shelves[bit], nodes[bit]);
  return status;
}

static void serve_add_together(struct component *component, struct request *request) {
  struct call *call = (struct call *)request;
  struct arrival *own = component->own;
  const crucible_molecule *molecules = call->value;
  call->status = own->stopped ? CRUCIBLE_NOT_RUNNING : has_room(component, molecules, call->number);
  for (size_t i = 0; call->status == CRUCIBLE_OK && i < call->number; i++) {
    const struct crucible_name *name = molecules[i].name;
    uint64_t times = molecules[i].times;
    if (name->component != component) continue;
    if (name->has_payload) crucible__arrive(own, name, molecules[i].value, 1, times);
    if (!name->has_payload && times > 0) crucible__arrive(own, name, NULL, times, 0);
  }
  if (call->status == CRUCIBLE_OK) serve_settle(component, request);
}

static struct added arrival_add_together(struct thread *self, struct component *component, crucible_molecule *molecules,
                                         size_t count) {
  struct call call = {.request.serve = serve_add_together, .value = molecules, .number = count};
  struct reaction *first = settle(self, component, &call);
  return (struct added){first, call.status};
}

// ---------------------------------------------------------------------------------------------------------------------
// Firings and withdrawal
// ---------------------------------------------------------------------------------------------------------------------

static void serve_give_back(struct component *component, struct request *request) {
  struct call *call = (struct call *)request;
  struct arrival *own = component->own;
  const struct reaction *reaction = call->reaction;
  struct shelf *shelf = NULL;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct crucible_name *name = reaction->inputs[i].name;
    if (name->kind != CRUCIBLE_STATE) continue;
    shelf = &own->shelves[name->bit];
    shelf->count = 1;
    own->presence |= UINT64_C(1) << name->bit;
  }
  if (reaction->state_count > 1) shelf = NULL;
  // After one state is given back, at most one firing can be reserved. After several, at most as many.
  for (uint32_t budget = reaction->state_count; budget > 0; budget--) {
    here_function here = call->next ? NULL : crucible__stays_here;
    struct reaction *found = crucible__reserve_first(component, shelf, call->self, here, call->firing);
    if (!found) return;
    if (here && here(call->self, found)) {
      call->next = found;
    } else {
      call->found[call->count++] = found;
    }
  }
}

static struct reserved arrival_give_back(struct thread *self, struct reaction *reaction, struct firing *firing) {
  struct reaction *found[CRUCIBLE_MAX_INPUTS];
  struct call call = {.request.serve = serve_give_back, .self = self, .reaction = reaction, .firing = firing,
                      .found = found};
  crucible__perform(reaction->component, &call);
  for (uint32_t i = 0; i < call.count; i++) crucible__submit(self, found[i]);
  return (struct reserved){.reaction = call.next};
}

static void serve_take(struct component *component, struct request *request) {
  const struct call *call = (const struct call *)request;
  struct matches *matches = call->reaction->own;
  struct node *nodes = matches->first;
  matches->first = nodes->previous;
  crucible__deliver(component->own, call->reaction, nodes, call->firing);
}

static void arrival_take(struct reaction *reaction, struct firing *firing) {
  struct call call = {.request.serve = serve_take, .reaction = reaction, .firing = firing};
  crucible__perform(reaction->component, &call);
}

/// Finds the molecule at a place. If there is a `value`, withdraws the molecule to it, provided that the molecule
/// waits.
static void serve_find(struct component *component, struct request *request) {
  struct call *call = (struct call *)request;
  struct arrival *own = component->own;
  struct shelf *shelf = &own->shelves[call->name->bit];
  struct node *node = (struct node *)(uintptr_t)call->place->serial;
  call->number = node->number == call->place->position && (node->waits || !call->value);
  if (!call->number || !call->value) return;
  memcpy(call->value, crucible__shelf_value(shelf, node), call->name->size);
  crucible__depart(own, call->name->bit, node);
  crucible__shelf_give(shelf, node);
}

static bool find(const struct crucible_name *name, struct place place, void *result) {
  struct call call = {.request.serve = serve_find, .name = name, .place = &place, .value = result};
  crucible__perform(name->component, &call);
  return call.number;
}

static enum withdrawal arrival_withdraw(struct thread *self, struct crucible_name *name, const struct place *place,
                                        void *result) {
  (void)self;
  return find(name, *place, result) ? WITHDRAWN : CONSUMED;
}

static bool arrival_holds(struct crucible_name *name, const struct place *place) { return find(name, *place, NULL); }

const struct matcher crucible__arrival = {
    .name = "arrival",
    .is_ordered = true,
    .most_names = MOST_MASKED,
    .create = crucible__arrival_create,
    .destroy = crucible__arrival_destroy,
    .add = arrival_add,
    .add_together = arrival_add_together,
    .give_back = arrival_give_back,
    .settle = arrival_settle,
    .step = arrival_step,
    .take = arrival_take,
    .run = crucible__run,
    .withdraw = arrival_withdraw,
    .holds = arrival_holds,
    .counts = crucible__arrival_counts,
    .control = crucible__arrival_control,
    .pause_name = crucible__arrival_pause_name,
    .set_fact = crucible__arrival_set_fact,
    .drop = crucible__arrival_drop,
    .inherit = crucible__arrival_inherit,
    .inject = arrival_inject,
};
