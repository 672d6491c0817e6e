// See origin.h.

#include "firing/origin.h"

#include "firing/firing.h"

_Thread_local struct injected crucible__injected __attribute__((tls_model("initial-exec")));

/// The hooks of the process. There is one set, because every soup has the same binding.
static crucible_origins hooks;

void crucible_set_origins(const crucible_origins *origins) { hooks = *origins; }

void crucible__run_in_context(void *context, void *const *inputs) { hooks.run(context, inputs); }

void *crucible__make_origin(uint64_t count) { return hooks.make(count); }

void crucible__end_origins(void *origin, uint64_t count) {
  if (origin) hooks.end(origin, count);
}

_Thread_local bool crucible__gives_origins __attribute__((tls_model("initial-exec")));

bool crucible_set_given(bool given) {
  bool before = crucible__gives_origins;
  crucible__gives_origins = given;
  return before;
}

bool crucible_lacks_context(void) { return crucible__lacks_context(); }

void **crucible_input_origin(const crucible_soup *soup, size_t reaction, size_t index, void *const *inputs) {
  const struct crucible_name *name = crucible__input(soup->reactions[reaction], (uint32_t)index);
  bool is_stored = soup->reactions[reaction]->rule->inputs[index].is_stored;
  return is_stored && crucible__has_origins(name) ? crucible__origin_of(name, inputs[index]) : NULL;
}

bool crucible_name_has_origins(const crucible_name *name) { return load_relaxed(&name->origins) != NO_ORIGINS; }

void **crucible_body_origin(const crucible_soup *soup, size_t reaction, void *const *inputs) {
  if (!soup->carries_context) return NULL;
  return crucible_input_origin(soup, reaction, soup->reactions[reaction]->rule->giver, inputs);
}

bool crucible_body_has_own_origin(const void *origin) {
  return origin == crucible__injected.origin && crucible__self->depth == crucible__injected.depth + 1;
}

/// The address of the origin by which the body of the firing must run.
static void **inherited(crucible_firing *firing) {
  const struct reaction *reaction = firing->reaction;
  crucible__take(firing);
  uint8_t giver = reaction->rule->giver;
  return crucible__origin_of(crucible__input(reaction, giver), firing->room.inputs[giver]);
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
