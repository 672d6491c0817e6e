// Firing a reaction: see firing.h.
//
// The stack stays bounded however long a chain of inline firings is: at CRUCIBLE_DEPTH a firing is not run but put into its
// thread's slot; the outermost injection runs what it finds there after its own firing has ended, which starts again at
// depth 0. Meanwhile the slot can be stolen by the pool, so that a body which blocks hides nothing behind it.
//
// States come back in a loop, not by recursion.

#include "firing.h"

#include <stdio.h>
#include <stdlib.h>

#include "pool.h"
#include "reclamation.h"
#include "soup.h"

char *crucible__storage(size_t size) {
  char *storage = crucible__allocate(size, 64);
  if (!storage) crucible__die("no memory for the molecules of a firing that is already reserved");
  return storage;
}

void crucible__storage_free(char *storage, size_t size) { crucible__free(storage, size); }

static void (*_Atomic run_job)(void *job);

void crucible_pool_run(void *job, void (*run)(void *job)) {
  store_relaxed(&run_job, run);  // published with the job
  crucible__pool_add((struct reaction *)((uintptr_t)job | 1));
}

void crucible__run_pending(struct thread *self, struct reaction *reaction) {
  if (UNLIKELY((uintptr_t)reaction & 1)) {
    load_relaxed(&run_job)((void *)((uintptr_t)reaction - 1));
    return;
  }
  const struct reaction *outer = load_relaxed(&self->begun);
  store_relaxed(&self->begun, reaction);
  reaction->component->strategy->run(self, reaction);
  store_relaxed(&self->begun, outer);
  crucible__soup_let_go(reaction->soup, CRUCIBLE_PENDING);
}

void crucible__drain_slot(struct thread *self) {
  struct reaction *reaction;
  while ((reaction = crucible__slot_take(self))) crucible__run_pending(self, reaction);
}

static crucible_firing *firing_of(struct reaction *reaction) { return (crucible_firing *)(void *)reaction; }

void crucible__submit(struct thread *self, struct reaction *reaction) {
  fetch_add_acq_rel(&reaction->soup->holds, CRUCIBLE_PENDING);
  if (reaction->placement == CRUCIBLE_EXTERNAL) {
    reaction->submit(crucible__context(reaction), firing_of(reaction));
  } else if (reaction->placement == CRUCIBLE_INLINE || self->is_worker) {
    crucible__slot_put(self, reaction);
  } else {
    crucible__pool_add(reaction);
  }
}

void crucible__submit_last(struct thread *self, struct reaction *reaction) {
  if (LIKELY(!reaction->enter) || self->depth >= CRUCIBLE_DEPTH) {
    crucible__submit(self, reaction);
    return;
  }
  fetch_add_acq_rel(&reaction->soup->holds, CRUCIBLE_PENDING);
  // A body that goes on after it was entered runs no firing of this thread's while it is here: it is counted as one, so
  // that a chain of such bodies nests no deeper than others do.
  const struct reaction *outer = crucible__begin(self, reaction);
  bool entered = reaction->enter(crucible__context(reaction), firing_of(reaction));
  crucible__end(self, outer);
  if (!entered) reaction->submit(crucible__context(reaction), firing_of(reaction));
}

void crucible__submit_elsewhere(struct reaction *reaction) {
  fetch_add_acq_rel(&reaction->soup->holds, CRUCIBLE_PENDING);
  if (reaction->placement == CRUCIBLE_EXTERNAL) {
    reaction->submit(crucible__context(reaction), firing_of(reaction));
  } else {
    crucible__pool_add(reaction);
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// Placed externally
// ---------------------------------------------------------------------------------------------------------------------

static struct reaction *reaction_of(crucible_firing *firing) { return (struct reaction *)(void *)firing; }

/// The thread's record: a firing is reserved, and has to run here.
static struct thread *thread_that_runs(void) {
  struct thread *self = crucible__thread();
  if (!self) crucible__die("no memory for a thread that runs a firing");
  return self;
}

void crucible_firing_run(crucible_firing *firing) {
  struct thread *self = thread_that_runs();
  crucible__run_pending(self, reaction_of(firing));
  crucible__drain(self);
}

void crucible_firing_take(crucible_firing *firing, crucible_body take, void *context) {
  struct reaction *reaction = reaction_of(firing);
  fetch_add_relaxed(&reaction->taken, 1);
  reaction->component->strategy->take(thread_that_runs(), reaction, take, context);
}

void crucible_firing_end(crucible_firing *firing) {
  struct reaction *reaction = reaction_of(firing);
  struct thread *self = thread_that_runs();
  if (reaction->state_count > 0) reaction->component->strategy->end(self, reaction);
  fetch_sub_relaxed(&reaction->taken, 1);
  crucible__drain(self);
  crucible__soup_let_go(reaction->soup, CRUCIBLE_PENDING);
}

static void destroy_inputs(void *context, void *const *inputs) {
  const struct reaction *reaction = context;
  for (uint32_t i = 0; i < reaction->input_count; i++) {
    const struct crucible_name *name = reaction->inputs[i].name;
    if (reaction->inputs[i].is_stored && name->destroy) name->destroy(inputs[i], name->context, CRUCIBLE_DISCARDED);
  }
}

void crucible_firing_discard(crucible_firing *firing) {
  crucible_firing_take(firing, destroy_inputs, reaction_of(firing));
  crucible_firing_end(firing);
}

void crucible_thread_give_away(void) {
  struct thread *self = crucible__self;
  if (self) crucible__slot_flush(self);
}
