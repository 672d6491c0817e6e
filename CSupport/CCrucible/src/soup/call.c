// Checks before a fast call: whether a reply is possible at all, and whether the binding must handle the call first.

#include "CCrucible.h"
#include "firing/firing.h"
#include "matcher/matcher.h"
#include "types.h"

/// Finds a state that the running reaction has taken and the other one takes. Null: there is none.
static struct crucible_name *common_state(const struct reaction *running, const struct reaction *other) {
  for (uint32_t i = 0; i < running->input_count; i++) {
    struct crucible_name *input = running->inputs[i].name;
    if (input->kind == CRUCIBLE_STATE && crucible__consumes(other, input)) return input;
  }
  return NULL;
}

/// Whether every reaction that consumes the name takes a state that the running one has taken. `*state`: one of them.
static __attribute__((noinline)) bool needs_held_states(const struct crucible_name *name,
                                                        const struct reaction *running,
                                                        struct crucible_name **state) {
  for (uint32_t r = 0; r < name->component->reaction_count; r++) {
    const struct reaction *reaction = name->component->reactions[r];
    if (!crucible__consumes(reaction, name)) continue;
    struct crucible_name *common = common_state(running, reaction);
    if (!common) return false;
    *state = common;
  }
  return true;
}

/// Whether no reply is possible. Where names have masks, these show at once that a reply is possible.
static bool is_hopeless(const struct crucible_name *name, const struct reaction *running,
                        struct crucible_name **state) {
  if (running->soup != name->soup || running->component != name->component || running->state_count == 0) return false;
  uint64_t held = 0;
  for (uint32_t i = 0; i < running->input_count; i++) {
    const struct crucible_name *input = running->inputs[i].name;
    if (input->kind == CRUCIBLE_STATE) held |= UINT64_C(1) << input->bit % MOST_MASKED;
  }
  for (uint32_t r = 0; r < name->component->reaction_count; r++) {
    uint64_t bits = name->component->reactions[r]->bits;
    if (((bits >> name->bit % MOST_MASKED) & 1) && !(bits & held)) return false;
  }
  return needs_held_states(name, running, state);
}

bool crucible_call_is_hopeless_in(crucible_name *name, const crucible_firing *firing, crucible_name **state) {
  return is_hopeless(name, firing->reaction, state);
}

crucible_call crucible_call_kind(crucible_name *name, crucible_name **state) {
  const struct thread *self = crucible__self;
  *state = NULL;
  if (UNLIKELY(self && self->depth > 0) && is_hopeless(name, load_relaxed(&self->running), state)) {
    return CRUCIBLE_CALL_HOPELESS;
  }
  return UNLIKELY(load_relaxed(&name->special)) ? CRUCIBLE_CALL_SPECIAL : CRUCIBLE_CALL_PLAIN;
}

crucible_call crucible_call_begin(crucible_name *name, crucible_waiter *waiter, crucible_name **state) {
  waiter->thread = crucible__self;
  return crucible_call_kind(name, state);
}

crucible_call crucible_call_await(crucible_name *name, bool owns) {
  // The name is special until the definition has ended, and has a matcher only afterwards. partner:
  // crucible_name_set_special
  if (UNLIKELY(load_acquire(&name->special))) return CRUCIBLE_CALL_SPECIAL;
  if (!name->completes_here) return CRUCIBLE_CALL_PLAIN;
  const struct thread *self = crucible__self;
  return owns || (self && crucible__runs_in(self, name->soup)) ? CRUCIBLE_CALL_AT_ONCE : CRUCIBLE_CALL_PLAIN;
}

bool crucible_call_at_once(crucible_name *name, void *value, crucible_waiter *waiter) {
  waiter->thread = crucible__self;
  return name->component->matcher->complete_here(name, value);
}

bool crucible_name_is_special(const crucible_name *name) { return load_relaxed(&name->special); }
bool crucible_name_is_weak(const crucible_name *name) { return load_relaxed(&name->weak); }
void crucible_name_set_weak(crucible_name *name) { store_relaxed(&name->weak, true); }
void crucible_name_set_special(crucible_name *name, bool special) {
  // partner: the load in crucible_call_await
  store_release(&name->special, special);
}

crucible_soup *crucible_running_soup(const void *task) {
  const struct thread *self = crucible__self;
  if (self && load_relaxed(&self->running)->soup) return load_relaxed(&self->running)->soup;
  const crucible_firing *firing = task ? crucible_firing_of(task) : NULL;
  return firing ? firing->reaction->soup : NULL;
}
