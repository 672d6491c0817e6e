// Firings that have popped branches of selects: the decision, and what becomes of the molecules. select.c has the
// invariants.

#include <string.h>

#include "base/errors.h"
#include "firing/firing.h"
#include "firing/origin.h"
#include "matcher/inject.h"
#include "soup/select.h"

static uint64_t decided_for(const struct instance *instance) { return 4 * ((uint64_t)instance->index + DECIDED_FOR); }

/// Finds the instance that a molecule of the name is. Null: the molecule is a value.
static struct instance *instance_of(const struct crucible_name *name, const void *value) {
  if (name->kind != CRUCIBLE_FAST || name->species->size < sizeof(uintptr_t)) return NULL;
  uintptr_t word;
  memcpy(&word, value, sizeof word);
  return (word & BRANCH) == BRANCH ? (struct instance *)(word - BRANCH) : NULL;
}

/// The branches of a firing, by the ranks of their selects, and the inputs in which they lie.
struct found {
  uint32_t count;
  struct instance *instances[CRUCIBLE_MAX_INPUTS];
  void *inputs[CRUCIBLE_MAX_INPUTS];
};
_Static_assert(CRUCIBLE_MAX_INPUTS <= MOST_CLAIMED, "one claim has the cells of all branches");

static void find(const struct reaction *reaction, void *const *inputs, struct found *found) {
  found->count = 0;
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    struct instance *instance = instance_of(crucible__input(reaction, i), inputs[i]);
    if (!instance) continue;
    uint32_t k = found->count++;
    for (; k > 0 && found->instances[k - 1]->select->rank > instance->select->rank; k--) {
      found->instances[k] = found->instances[k - 1];
      found->inputs[k] = found->inputs[k - 1];
    }
    found->instances[k] = instance;
    found->inputs[k] = inputs[i];
  }
}

/// Decides the selects of all branches, or of none.
static bool decide(struct thread *self, const struct found *found) {
  if (found->count == 1) {
    return crucible__decide_select(found->instances[0]->select, decided_for(found->instances[0]));
  }
  uint64_t tag = crucible__claims_begin(self, CLAIM_HELPED);
  for (uint32_t i = 0; i < found->count; i++) {
    struct crucible_select *select = found->instances[i]->select;
    store_relaxed(&select->is_shared, true);
    crucible__claims_note(&self->claims, i, &select->cell, OPEN, decided_for(found->instances[i]));
  }
  crucible__read_lock();  // SELECT-8
  bool done = crucible__claims_carry_out(&self->claims, tag, found->count);
  crucible__read_unlock();
  return done;
}

/// Puts the values in the place of the instances, and withdraws the other instances of their selects.
static void win(const struct found *found) {
  for (uint32_t i = 0; i < found->count; i++) {
    struct instance *instance = found->instances[i];
    const crucible_branch *branch = &instance->select->branches[instance->index];
    memcpy(found->inputs[i], branch->value, crucible__value_size(branch->name));
    crucible__end_others(instance->select, instance);
    crucible_select_release(instance->select);
  }
}

/// Adds molecules without waiting callers, in one step.
static void put_values_back(struct thread *self, struct component *component, crucible_molecule *molecules,
                            size_t count) {
  if (count == 0) return;
  crucible__count_on(molecules, count);
  struct added added = component->matcher->add_together(self, component, molecules, count);
  if (added.reaction) crucible__submit(self, added.reaction);
  if (added.status == CRUCIBLE_OK) return;
  crucible__count_off(component, molecules, count);
  if (added.status != CRUCIBLE_NOT_RUNNING) crucible__die("no memory to put molecules back that a select did not take");
  for (size_t i = 0; i < count; i++) {
    const struct crucible_name *name = molecules[i].name;
    if (name->has_payload) crucible__destroy_value(name, molecules[i].value, CRUCIBLE_STOPPED_SOUP);
    crucible__add_stopped(name, 1);
  }
}

/// The address of the origin of an input. Null: its name has no origins.
static void **origin_place(const struct reaction *reaction, uint32_t i, void *value) {
  const struct crucible_name *name = crucible__input(reaction, i);
  bool has_origin = reaction->rule->inputs[i].is_stored && crucible__has_origins(name);
  return has_origin ? crucible__origin_of(name, value) : NULL;
}

/// Makes the origin of an input that is put back, if the origin was taken (SELECT-7).
static void complete_origin(void **place) {
  if (place && !*place) *place = crucible__make_origin(1);
}

static void *take_origin(void **place) {
  if (!place) return NULL;
  void *origin = *place;
  *place = NULL;
  return origin;
}

/// Puts back the molecules of a firing that did not decide (SELECT-3, SELECT-7).
static void lose(struct thread *self, const struct reaction *reaction, void *const *inputs, const struct found *found) {
  uint64_t attempts = *crucible__attempts_of((void **)(uintptr_t)inputs);
  const crucible_select_binding *binding = found->instances[0]->select->binding;
  crucible_molecule molecules[CRUCIBLE_MAX_INPUTS];
  size_t count = 0;
  crucible__raise(self);  // SELECT-5, SELECT-6
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
    struct crucible_name *name = crucible__input(reaction, i);
    struct instance *instance = instance_of(name, inputs[i]);
    void **origin = origin_place(reaction, i, inputs[i]);
    if (name->kind == CRUCIBLE_STATE) continue;
    if (!instance && crucible__has_callers(name)) {
      complete_origin(origin);
      binding->put_back(name, inputs[i], attempts, take_origin(origin));
    } else if (!instance) {
      complete_origin(origin);
      bool is_double = crucible__shown(name) != name;
      uint64_t times = is_double ? 0 : name->has_payload ? attempts : 1;
      molecules[count++] = (crucible_molecule){.name = name, .value = inputs[i], .times = times, .is_put_back = true};
    } else if (crucible__select_is_open(instance->select)) {
      complete_origin(origin);
      crucible__put_branch_back(instance, attempts, take_origin(origin));
    } else {
      fetch_add_relaxed(&name->soup->withdrawn, 1);
      crucible__branch_left(instance, CRUCIBLE_WITHDRAWN);
      crucible__end_origin(take_origin(origin));
    }
  }
  put_values_back(self, reaction->component, molecules, count);
  for (uint32_t i = 0; i < reaction->rule->input_count; i++) take_origin(origin_place(reaction, i, inputs[i]));
  crucible__lower(self);
}

bool crucible_firing_select(void *const *inputs) {
  struct thread *self = crucible__self;
  const struct reaction *reaction = crucible__running(self);
  struct found found;
  find(reaction, inputs, &found);
  if (found.count == 0) return true;
  if (decide(self, &found)) {
    win(&found);
    return true;
  }
  lose(self, reaction, inputs, &found);
  return false;
}
