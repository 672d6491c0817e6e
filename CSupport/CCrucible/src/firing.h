// Firing a reaction: where its body runs, how deep firings may nest, and who counts them.

#ifndef CRUCIBLE_FIRING_H
#define CRUCIBLE_FIRING_H

#include <alloca.h>
#include <string.h>

#include "types.h"

/// Firings that may nest on one thread's stack; what comes on top is deferred (pool.c).
#ifndef CRUCIBLE_DEPTH
#define CRUCIBLE_DEPTH 16
#endif
/// The most storage of a firing that is taken from the stack.
#define CRUCIBLE_STACK_STORAGE 4096

/// Whether a firing that this thread has just reserved may run on it at once.
static inline bool crucible__runs_here(const struct thread *self, const struct reaction *reaction) {
  return reaction->placement == CRUCIBLE_INLINE && self->depth < CRUCIBLE_DEPTH;
}

/// Runs the body, then whatever the states that it gives back enable, one after the other.
void crucible__run(struct thread *self, struct reaction *reaction, struct firing *firing);
/// Takes the molecules of a reserved firing and runs it. `own`, if any, is a molecule that was never stored: its value is
/// `value`.
void crucible__take_and_run(struct thread *self, struct reaction *reaction, const struct crucible_name *own, void *value);
/// Runs a firing that had been deferred or given to the pool, and lets go of its hold.
void crucible__run_pending(struct thread *self, struct reaction *reaction);
/// Runs what was deferred on this thread; only at depth 0.
void crucible__drain(struct thread *self);
/// Gives a reserved firing to whoever may run it: the pool, or, when it is only too deep for this thread, this thread's slot.
void crucible__submit(struct thread *self, struct reaction *reaction);

/// Room for a firing of `component`, on the stack of the calling function or, when large, from the heap.
#define CRUCIBLE_FIRING(firing, component)                                                               \
  void *firing##_inputs[(component)->input_count];                                                       \
  char *firing##_heap = NULL;                                                                            \
  struct firing firing = {                                                                               \
      .inputs = firing##_inputs,                                                                         \
      .storage = crucible__aligned((component)->storage <= CRUCIBLE_STACK_STORAGE                        \
                                       ? alloca((component)->storage)                                    \
                                       : (firing##_heap = crucible__storage((component)->storage)),      \
                                   (component)->alignment)}
#define CRUCIBLE_FIRING_END(firing, component) \
  do {                                         \
    if (UNLIKELY(firing##_heap != NULL)) crucible__storage_free(firing##_heap, (component)->storage); \
  } while (0)

static inline char *crucible__aligned(void *memory, uint32_t alignment) {
  return (char *)(((uintptr_t)memory + alignment - 1) & ~(uintptr_t)(alignment - 1));
}
/// Aborts with a message when there is no memory: the firing is reserved, and cannot be undone.
char *crucible__storage(size_t size);
void crucible__storage_free(char *storage, size_t size);

/// An injection begins and ends. Single-writer counters: no locked instruction for the first STRIPES threads. The store to
/// `entered` becomes visible with the injection's first read-modify-write, which releases.
static inline struct stripe *crucible__enter(const struct thread *self, struct crucible_soup *soup) {
  if (LIKELY(self->index < STRIPES)) {
    struct stripe *stripe = &soup->stripes[self->index];
    store_relaxed(&stripe->entered, load_relaxed(&stripe->entered) + 1);
    return stripe;
  }
  fetch_add_relaxed(&soup->crowd.entered, 1);
  return NULL;
}

static inline void crucible__leave(struct stripe *stripe, struct crucible_soup *soup) {
  if (LIKELY(stripe != NULL)) {
    store_release(&stripe->left, load_relaxed(&stripe->left) + 1);  // partner: the acquire in crucible_soup_is_quiet
  } else {
    fetch_add_acq_rel(&soup->crowd.left, 1);
  }
}

/// A random number below `bound`, from the soup's seed for the threads that have a stripe.
static inline uint32_t crucible__choose(struct thread *self, struct crucible_soup *soup, uint32_t bound) {
  uint64_t *state = self->index < STRIPES ? &soup->stripes[self->index].random : &self->random;
  return (uint32_t)(((crucible__next_random(state) >> 32) * bound) >> 32);
}

#endif
