// Checks before a fast call: whether a reply is possible at all, and whether the binding must handle the call first.

#include "CCrucible.h"
#include "firing/firing.h"
#include "firing/visits.h"
#include "matcher/matcher.h"
#include "pool/pool.h"
#include "soup/soup.h"
#include "types.h"

/// The bodies that end only after a call, if the thread blocks for it: those on its stack, and the body of its task.
/// Each keeps its states until it has ended.
struct callers {
  const struct thread *self;       ///< null: only the body of the task, which does not block the thread
  const struct crucible_firing *of_task;  ///< null: none
};

/// Visits the bodies from the innermost outward, beginning with `*step` 0. Null: there are no more. The body of the
/// task comes first: where a task is, a body inside it that blocks is the exception.
static const struct reaction *next_body(const struct callers *callers, uint32_t *step) {
  const struct thread *self = callers->self;
  uint32_t now = (*step)++;
  if (now == 0) return callers->of_task ? callers->of_task->reaction : next_body(callers, step);
  if (!self || crucible__low_depth(self) < now) return NULL;
  return load_relaxed(&self->bodies[crucible__low_depth(self) - now + 1]);
}

/// Whether the body keeps the state.
static bool keeps(const struct reaction *body, const struct crucible_name *state) {
  return body->rule->state_count > 0 && body->component == state->component && crucible__consumes(body, state);
}

/// Finds a state of the reaction that one of the bodies has taken. Null: there is none.
static struct crucible_name *taken_state(const struct callers *callers, const struct reaction *reaction) {
  uint32_t step = 0;
  for (const struct reaction *body; (body = next_body(callers, &step));) {
    for (uint32_t i = 0; i < reaction->rule->input_count; i++) {
      struct crucible_name *input = crucible__input(reaction, i);
      if (input->kind == CRUCIBLE_STATE && keeps(body, input)) return input;
    }
  }
  return NULL;
}

/// Whether every reaction that consumes the name takes a state that one of the bodies has taken. `*state`: one of them.
static NOINLINE bool needs_taken_states(const struct crucible_name *name, const struct callers *callers,
                                        struct crucible_name **state) {
  for (uint32_t r = 0; r < name->component->layout->reaction_count; r++) {
    const struct reaction *reaction = name->component->reactions[r];
    if (!crucible__consumes(reaction, name)) continue;
    struct crucible_name *taken = taken_state(callers, reaction);
    if (!taken) return false;
    *state = taken;
  }
  return true;
}

/// Notes which bodies wait for the call. Its injection, which knows the key, decides whether it is hopeless (KEY-7).
static void note_asking(const struct crucible_name *name, const struct callers *callers) {
  struct thread *self = crucible__thread();
  if (!self) return;
  self->asking.name = name;
  self->asking.thread = callers->self;
  self->asking.firing = callers->of_task ? &callers->of_task->room : self->placed;
}

crucible_name *crucible_last_hopeless(crucible_name **state) {
  *state = crucible__self->asking.state;
  return crucible__self->asking.asker;
}

/// Whether no reply is possible before the bodies have ended. Most bodies have no state of the name's component.
static bool is_hopeless(const struct crucible_name *name, const struct callers *callers, struct crucible_name **state) {
  uint32_t step = 0;
  if (name->species->key) {
    note_asking(name, callers);
    return false;
  }
  for (const struct reaction *body; (body = next_body(callers, &step));) {
    if (body->rule->state_count == 0 || body->component != name->component) continue;
    return needs_taken_states(name, callers, state);
  }
  return false;
}

bool crucible_call_is_hopeless_in(crucible_name *name, const crucible_firing *firing, bool blocks,
                                  crucible_name **state) {
  return is_hopeless(name, &(struct callers){blocks ? crucible__self : NULL, firing}, state);
}

size_t crucible_thread_bodies(const crucible_name *state, crucible_body_here *bodies, size_t capacity) {
  const struct callers callers = {crucible__self, NULL};
  size_t count = 0;
  uint32_t step = 0;
  for (const struct reaction *body; (body = next_body(&callers, &step));) {
    if (!body->soup) continue;  // the code of the binding that submits a firing
    if (count < capacity) bodies[count] = (crucible_body_here){body->soup, body->rule->index};
    count++;
    if (keeps(body, state)) return count;
  }
  return 0;
}

/// Classifies a call in a body. A hopeless one ends the visits of its reaction, because on the pool it might wait.
static NOINLINE crucible_call kind_in_body(struct thread *self, crucible_name *name, crucible_name **state) {
  self->asking.name = NULL;
  if ((self->depth > 1 || crucible__running(self)->rule->state_count > 0) &&
      is_hopeless(name, &(struct callers){self, NULL}, state)) {
    crucible__note_wait(self);
    return CRUCIBLE_CALL_HOPELESS;
  }
  return (crucible_call)load_acquire(&name->call);  // partner: crucible_name_set_special
}

crucible_call crucible_call_kind(crucible_name *name, crucible_name **state) {
  struct thread *self = crucible__self;
  if (UNLIKELY(self && self->depth > 0)) return kind_in_body(self, name, state);
  return (crucible_call)load_acquire(&name->call);  // partner: crucible_name_set_special
}

crucible_call crucible_call_begin(crucible_name *name, crucible_waiter *waiter, crucible_name **state) {
  waiter->thread = crucible__self;
  return crucible_call_kind(name, state);
}

crucible_call crucible_call_await(crucible_name *name, bool owns) {
  // The name is special until the definition has ended, and has a matcher only afterwards. partner:
  // crucible_name_set_special
  crucible_call call = (crucible_call)load_acquire(&name->call);
  if (UNLIKELY(call != CRUCIBLE_CALL_PLAIN)) {
    if (LIKELY(call == CRUCIBLE_CALL_VISITED)) return owns ? call : CRUCIBLE_CALL_PLAIN;
    if (crucible__self) crucible__self->asking.name = NULL;  // KEY-7
    return call;
  }
  if (!name->completes_here) return CRUCIBLE_CALL_PLAIN;
  const struct thread *self = crucible__self;
  return owns || (self && crucible__runs_in(self, name->soup)) ? CRUCIBLE_CALL_AT_ONCE : CRUCIBLE_CALL_PLAIN;
}

bool crucible_call_at_once(crucible_name *name, void *value, crucible_waiter *waiter) {
  waiter->thread = crucible__self;
  const struct matcher *matcher = name->component->matcher;
  return crucible__has_origins(name) ? crucible__complete_in_own_task(name, value, matcher->complete_own)
                                     : matcher->complete_here(name, value);
}

bool crucible_call_visit(crucible_name *name, void *value, crucible_waiter *waiter) {
  waiter->thread = crucible__thread();
  const struct matcher *matcher = name->component->matcher;
  return crucible__has_origins(name) ? crucible__complete_in_own_task(name, value, matcher->visit)
                                     : matcher->visit(name, value);
}

bool crucible_name_is_special(const crucible_name *name) {
  return load_relaxed(&name->call) == CRUCIBLE_CALL_SPECIAL;
}
bool crucible_name_is_weak(const crucible_name *name) { return load_relaxed(&name->weak); }
void crucible_name_set_weak(crucible_name *name) { store_relaxed(&name->weak, true); }
void crucible_name_set_special(crucible_name *name, bool special) {
  // partner: the load in crucible_call_await
  store_release(&name->call, special ? CRUCIBLE_CALL_SPECIAL : CRUCIBLE_CALL_PLAIN);
  if (!special) crucible__note_visits(name);
}

crucible_soup *crucible_running_soup(const void *task) {
  const struct thread *self = crucible__self;
  if (self && crucible__running(self)->soup) return crucible__running(self)->soup;
  const crucible_firing *firing = task ? crucible_firing_of(task) : NULL;
  return firing ? firing->reaction->soup : NULL;
}
