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

void crucible__run_pending(struct thread *self, struct reaction *reaction) {
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

void crucible__submit(struct thread *self, struct reaction *reaction) {
  fetch_add_acq_rel(&reaction->soup->holds, CRUCIBLE_PENDING);
  if (reaction->placement == CRUCIBLE_INLINE || self->is_worker) {
    crucible__slot_put(self, reaction);
  } else {
    crucible__pool_add(reaction);
  }
}

void crucible__submit_elsewhere(struct reaction *reaction) {
  fetch_add_acq_rel(&reaction->soup->holds, CRUCIBLE_PENDING);
  crucible__pool_add(reaction);
}
