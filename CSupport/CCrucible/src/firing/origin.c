// See origin.h.

#include "firing/origin.h"

#include "firing/firing.h"

_Thread_local struct injected crucible__injected __attribute__((tls_model("initial-exec")));

/// The hooks of the process. There is one set, because every soup has the same binding.
static crucible_origins hooks;

void crucible_set_origins(const crucible_origins *origins) { hooks = *origins; }

void *crucible__make_origin(uint64_t count) { return hooks.make(count); }

void crucible__end_origins(void *origin, uint64_t count) {
  if (origin) hooks.end(origin, count);
}

size_t crucible__inherited_input(struct crucible_name *const *names, size_t count) {
  size_t first = count;
  for (size_t i = 0; i < count; i++) {
    if (names[i]->kind == CRUCIBLE_FAST) return i;
    if (names[i]->kind != CRUCIBLE_STATE && first == count) first = i;
  }
  return first;
}

void **crucible_input_origin(const crucible_soup *soup, size_t reaction, size_t index, void *const *inputs) {
  const struct input *input = &soup->reactions[reaction]->inputs[index];
  if (!input->is_stored || !crucible__has_origins(input->name)) return NULL;
  return crucible__origin_of(input->name, inputs[index]);
}

bool crucible_name_has_origins(const crucible_name *name) { return load_relaxed(&name->origins) != NO_ORIGINS; }

/// The address of the origin by which the body of the firing must run.
static void **inherited(crucible_firing *firing) {
  const struct reaction *reaction = firing->reaction;
  struct crucible_name *names[CRUCIBLE_MAX_INPUTS];
  for (uint32_t i = 0; i < reaction->input_count; i++) names[i] = reaction->inputs[i].name;
  size_t input = crucible__inherited_input(names, reaction->input_count);
  crucible__take(firing);
  return crucible__origin_of(names[input], firing->room.inputs[input]);
}

bool crucible_firing_has_own_origin(crucible_firing *firing) {
  return firing->is_last_act && *inherited(firing) == crucible__injected.origin;
}

void *crucible_firing_take_origin(crucible_firing *firing) {
  void **place = inherited(firing);
  void *origin = *place;
  *place = NULL;
  return origin;
}
