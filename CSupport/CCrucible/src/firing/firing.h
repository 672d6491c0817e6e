// Firing a reaction: where its body runs, how deep firings may nest, and what room they have.

#ifndef CRUCIBLE_FIRING_H
#define CRUCIBLE_FIRING_H

#include <alloca.h>
#include <string.h>

#include "base/tracepoints.h"
#include "base/tuning.h"
#include "firing/idle.h"
#include "types.h"

struct reserved;

/// Whether a firing that this thread has just reserved may run on it at once, whatever is left of its stack. If not,
/// crucible__submit_last looks at the stack.
static inline bool crucible__runs_here(const struct thread *self, const struct reaction *reaction) {
  return self->depth < reaction->depth_limit;
}

/// Whether an inline firing that this thread has just reserved may run on it at once, although crucible__runs_here says
/// no: whether the stack has room.
static inline bool crucible__nests_here(struct thread *self, const struct reaction *reaction) {
  return UNLIKELY(reaction->away == 0) && crucible__thread_has_room(self);
}

/// Whether a firing that this thread reserves when states come back runs on it.
static inline bool crucible__stays_here(const struct thread *self, const struct reaction *reaction) {
  return self->keeps_pool >= reaction->away;
}

/// Room for what a firing takes out of bags: pointers in the order of the pattern, and the values. In front of the
/// pointers stands, in the room of one, how often the input that was put back most often has been put back.
struct firing {
  void **inputs;
  char *storage;
};

/// Firings with few and small inputs have their room in the frame of the function that runs them; others get it by
/// alloca or, when they are large, from the heap.
struct small_firing {
  void *inputs[1 + CRUCIBLE_SMALL_INPUTS];
  _Alignas(16) char storage[CRUCIBLE_SMALL_STORAGE];
};

/// A firing that is placed externally, with its molecules and its hold of the soup, until it has ended.
struct crucible_firing {
  struct reaction *reaction;
  struct firing room;
  size_t size;  ///< of the whole
  bool is_taken;  ///< its molecules
  bool is_last_act;  ///< of the innermost injection of a molecule with an origin on its thread, not of one inside it
  const void *task;  ///< that runs its body, and by which it is listed (bodies.c); null: none
  struct crucible_firing *next, **link;
};

/// Takes the molecules of a firing, once.
void crucible__take(crucible_firing *firing);

static inline uint64_t *crucible__attempts_of(void **inputs) { return (uint64_t *)(void *)&inputs[-1]; }

/// Returns the context with which the body is called.
static inline void *crucible__context(const struct reaction *reaction) {
  return load_acquire(&reaction->context);  // partner: the release in crucible_soup_set_reaction_context
}

/// Calls a body.
static inline __attribute__((always_inline)) void crucible__call(const struct reaction *reaction, void *const *inputs) {
  CRUCIBLE_TRACEPOINT(body_begin, reaction->soup->label, reaction->file, reaction->line);
  reaction->body(crucible__context(reaction), inputs);
  CRUCIBLE_TRACEPOINT(body_end, reaction->file, reaction->line);
}

/// A body begins: from now on this thread is known to run it. Answers the reaction of the body around it.
static inline const struct reaction *crucible__begin(struct thread *self, const struct reaction *reaction) {
  const struct reaction *outer = load_relaxed(&self->running);
  store_relaxed(&self->running, reaction);
  self->depth++;
  return outer;
}

/// After a body has ended, another one begins.
static inline void crucible__begin_next(struct thread *self, const struct reaction *reaction) {
  store_relaxed(&self->running, reaction);
}

static inline void crucible__end(struct thread *self, const struct reaction *outer) {
  self->depth--;
  store_relaxed(&self->running, outer);
}

/// Whether the innermost body on this thread is the soup's, which so lives.
static inline bool crucible__runs_in(const struct thread *self, const struct crucible_soup *soup) {
  return load_relaxed(&self->running)->soup == soup;
}

/// Takes a reserved firing and runs it, and what comes of it.
void crucible__run(struct thread *self, struct reaction *reaction, const struct crucible_name *own, void *value);
/// In the middle of another firing, whose body has ended and whose states were given back: takes and runs what that
/// enabled.
void crucible__run_on(struct thread *self, struct reserved next);
/// Runs a firing that was deferred or given to the pool, and releases its hold, or keeps it to spare.
void crucible__run_pending(struct thread *self, struct reaction *reaction);
/// Releases the hold that the thread has to spare, if any.
void crucible__let_spare_go(struct thread *self);
/// Runs what was deferred on this thread, if this is the outermost injection.
void crucible__drain_deferred(struct thread *self);
static inline void crucible__drain(struct thread *self) {
  if (UNLIKELY(load_relaxed(&self->deferred) != 0) && crucible__is_outermost(self)) crucible__drain_deferred(self);
}
/// Submits a reserved firing to a place that may run it. One that is inline is deferred.
void crucible__submit(struct thread *self, struct reaction *reaction);
/// Submits a reserved firing as the last act of an injection. If the stack has room, it runs a firing that is inline,
/// and an external one that belongs on this thread.
void crucible__submit_last(struct thread *self, struct reaction *reaction);
/// Submits a reserved firing of the pool that carries `value`, a molecule of `name`. Requires: the value fits
/// (pool/carried.h).
void crucible__submit_carried(struct thread *self, struct reaction *reaction, struct crucible_name *name,
                              const void *value);
/// Gives a reserved firing to the pool, wherever it is placed: for threads that must not run bodies, as a caller that
/// gives up.
void crucible__submit_elsewhere(struct reaction *reaction);

/// Declares `name` as a firing with room for any of `component`, to be ended by CRUCIBLE_FIRING_END.
#define CRUCIBLE_FIRING(name, component)                                                               \
  void *name##_inputs[1 + (component)->input_count];                                                   \
  char *name##_heap = NULL;                                                                            \
  struct firing name = {                                                                               \
      .inputs = name##_inputs + 1,                                                                     \
      .storage = crucible__aligned((component)->storage <= CRUCIBLE_STACK_STORAGE                      \
                                       ? alloca((component)->storage)                                  \
                                       : (name##_heap = crucible__storage((component)->storage)),      \
                                   (component)->alignment)}
#define CRUCIBLE_FIRING_END(name, component)                                                        \
  do {                                                                                              \
    if (UNLIKELY(name##_heap != NULL)) crucible__storage_free(name##_heap, (component)->storage);   \
  } while (0)

static inline char *crucible__aligned(void *memory, uint32_t alignment) {
  return (char *)(((uintptr_t)memory + alignment - 1) & ~(uintptr_t)(alignment - 1));
}
/// Aborts with a message when there is no memory: mostly the molecules are reserved, and that cannot be undone.
char *crucible__storage(size_t size);
void crucible__storage_free(char *storage, size_t size);

#endif
