// See abandoned.h.

#include "matcher/abandoned.h"

#include "base/errors.h"
#include "base/memory.h"
#include "firing/firing.h"
#include "firing/origin.h"

struct abandoned {
  struct abandoned *next;
  struct place place;
};

/// Puts the calls from `first` to `last` on the list of their name.
static void push_abandoned(struct crucible_name *name, struct abandoned *first, struct abandoned *last) {
  last->next = load_relaxed(&name->aside.abandoned);
  // partner: the exchange in crucible__retry_abandoned
  while (!cas_seq_cst(&name->aside.abandoned, &last->next, first)) {
  }
}

void crucible__abandon(struct crucible_name *name, const struct place *place) {
  struct abandoned *call = crucible__allocate(sizeof *call, 64);
  if (!call) crucible__die("no memory to note that a call is withdrawn");
  *call = (struct abandoned){.place = *place};
  push_abandoned(name, call, call);
}

bool crucible__retry_abandoned(struct thread *self, struct crucible_name *name, attempt_function attempt,
                               counts_function has_counts) {
  // partner: the CAS in push_abandoned
  struct abandoned *call = exchange_seq_cst(&name->aside.abandoned, NULL), *next;
  bool changed = false;
  CRUCIBLE_FIRING(room, name->component);
  for (; call; call = next) {
    next = call->next;
    bool given_back = false;
    enum withdrawal answer = attempt(self, name, &call->place, room.storage, &given_back);
    if (answer == UNDECIDED) {
      struct abandoned *last = call;
      while (last->next) last = last->next;
      push_abandoned(name, call, last);
      // The call may have been counted meanwhile. The thread that counted it may have found the list empty, while the
      // list was in this thread's hands.
      if (has_counts(name)) changed = true;
      break;
    }
    if (answer == WITHDRAWN) {
      crucible__destroy_value(name, room.storage, CRUCIBLE_WITHDRAWN);
      fetch_add_relaxed(&name->soup->withdrawn, 1);
      changed = true;  // the withdrawal made room
    }
    if (given_back) changed = true;
    crucible__free(call, sizeof *call);
  }
  CRUCIBLE_FIRING_END(room, name->component);
  return changed;
}

bool crucible__retry_all_abandoned(struct thread *self, struct component *component, attempt_function attempt,
                                   counts_function has_counts) {
  bool changed = false;
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct crucible_name *name = component->names[bit];
    if (name->kind == CRUCIBLE_STATE || !load_seq_cst(&name->aside.abandoned) || !has_counts(name)) continue;
    if (crucible__retry_abandoned(self, name, attempt, has_counts)) changed = true;
  }
  return changed;
}

void crucible__forget_abandoned(struct component *component) {
  for (uint32_t bit = 0; bit < component->layout->name_count; bit++) {
    struct abandoned *call = load_acquire(&component->names[bit]->aside.abandoned), *next;
    for (; call; call = next) {
      next = call->next;
      crucible__free(call, sizeof *call);
    }
  }
}
