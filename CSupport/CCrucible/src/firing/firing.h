// Firing a reaction: where its body runs, how deep firings may nest, and where they store inputs.

#ifndef CRUCIBLE_FIRING_H
#define CRUCIBLE_FIRING_H

#include <alloca.h>

#include "base/memory.h"
#include "base/tracepoints.h"
#include "base/tuning.h"
#include "types.h"

struct reserved;

/// The reaction of a thread that runs no body. It has no soup, so tests of a thread's innermost body need no special
/// case. Records of threads get it through base/above.h.
extern const struct reaction crucible__idle;

/// Whether a firing that this thread has just reserved may run on it at once, however much of its stack is left. If
/// not, crucible__submit_last checks the stack.
static inline bool crucible__runs_here(const struct thread *self, const struct reaction *reaction) {
  return self->depth < reaction->depth_limit;
}

/// Whether an inline firing that this thread has just reserved may run on it at once because the stack has room. For
/// firings to which crucible__runs_here answers no.
static inline bool crucible__nests_here(struct thread *self, const struct reaction *reaction) {
  return UNLIKELY(reaction->rule->away == 0) && crucible__thread_has_room(self);
}

/// Whether a firing that this thread reserves as states are given back runs on it.
static inline bool crucible__stays_here(const struct thread *self, const struct reaction *reaction) {
  return self->keeps_pool >= reaction->rule->away;
}

/// Whether a firing that is about to be reserved runs on this thread at once: one of the functions above.
typedef bool (*here_function)(const struct thread *self, const struct reaction *reaction);

/// Room for the values that a firing takes out of bags: pointers in the order of the pattern, and the values. The
/// element before the pointers is a number: the largest number of times that any input has been put back.
struct firing {
  void **inputs;
  char *storage;
};

/// The room of firings with few and small inputs, which lies in the frame of the function that runs them. Other firings
/// get their room by alloca, or from the heap if they are large.
struct small_firing {
  void *inputs[1 + CRUCIBLE_SMALL_INPUTS];
  _Alignas(16) char storage[CRUCIBLE_SMALL_STORAGE];
};

/// What a thread notes as a body begins, to tell at its end whether it was short (visits.c).
struct timing {
  const struct thread *thread;  ///< null: the body is not timed
  uint64_t begin;
  long sleeps;
  uint32_t waits;
};

/// A firing that is placed externally, with its molecules and its hold of the soup, until it has ended.
struct crucible_firing {
  struct reaction *reaction;
  struct firing room;
  size_t size;  ///< of the whole
  bool is_taken;  ///< its molecules have been taken
  /// it is the last act of the innermost injection on its thread whose molecule has an origin, and not of one inside it
  bool is_last_act;
  const void *task;  ///< the task that runs its body, and by which it is listed (bodies.c); null: none
  struct crucible_firing *next, **link;
  struct timing timing;
};

/// Takes the molecules of a firing, once.
void crucible__take(crucible_firing *firing);

static inline uint64_t *crucible__attempts_of(void **inputs) { return (uint64_t *)(void *)&inputs[-1]; }

/// Returns the context with which the body is called.
static inline void *crucible__context(const struct reaction *reaction) {
  return load_acquire(&reaction->context);  // partner: the release in crucible_soup_set_reaction_context
}

/// Calls a body.
static INLINE void crucible__call(const struct reaction *reaction, void *const *inputs) {
  CRUCIBLE_TRACEPOINT(body_begin, reaction->soup->place->options.label, reaction->rule->file, reaction->rule->line);
  reaction->body(crucible__context(reaction), inputs);
  CRUCIBLE_TRACEPOINT(body_end, reaction->rule->file, reaction->rule->line);
}

/// Notes that another body begins after one has ended.
static inline void crucible__begin_next(struct thread *self, const struct reaction *reaction) {
  store_relaxed(&self->bodies[crucible__low_depth(self)], reaction);
}

/// Notes that a body begins on this thread.
static inline void crucible__begin(struct thread *self, const struct reaction *reaction) {
  crucible__add_depth(self, 1);
  crucible__begin_next(self, reaction);
}

/// Notes that a body begins on this thread, which runs no other.
static inline void crucible__begin_first(struct thread *self, const struct reaction *reaction) {
  crucible__set_depth(self, 1);
  store_relaxed(&self->bodies[1], reaction);
}

static inline void crucible__end(struct thread *self) { crucible__add_depth(self, -1u); }

/// Raises the depth, so that no firing runs on this thread until crucible__lower. The lowest byte stays, and with it
/// the innermost body.
static inline void crucible__raise(struct thread *self) { crucible__add_depth(self, 256); }
static inline void crucible__lower(struct thread *self) { crucible__add_depth(self, -256u); }

/// Whether the innermost body on this thread belongs to the soup, so that the soup lives.
static inline bool crucible__runs_in(const struct thread *self, const struct crucible_soup *soup) {
  return crucible__running(self)->soup == soup;
}

/// Takes the molecules of a reserved firing, runs it, and runs the firings that follow from it.
void crucible__run(struct thread *self, struct reaction *reaction, struct unstored carried);
/// Takes and runs a firing that the end of another firing enabled. It runs in the middle of that firing, whose body has
/// ended and whose states were given back.
void crucible__run_on(struct thread *self, struct reserved next);
/// Gives the states of a firing back after its body. Then runs the firings that the states enable, and uses `room` for
/// their molecules. Requires: the caller has called crucible__begin, and calls crucible__end afterwards.
void crucible__give_states_back(struct thread *self, struct reaction *reaction, struct firing *room);
/// Runs a firing that was deferred or submitted to the pool. Releases its hold, or keeps it as the advance hold.
void crucible__run_pending(struct thread *self, struct reaction *reaction);
/// Releases the advance hold of the thread, if it has one.
void crucible__release_advance(struct thread *self);
/// Runs the firings that were deferred on this thread, if this is the outermost injection.
void crucible__drain_deferred(struct thread *self);
static inline void crucible__drain(struct thread *self) {
  if (UNLIKELY(load_relaxed(&self->deferred) != 0) && crucible__is_outermost(self)) crucible__drain_deferred(self);
}
/// Submits a reserved firing to a place that may run it. An inline firing is deferred.
void crucible__submit(struct thread *self, struct reaction *reaction);
/// Submits a reserved firing as the last act of an injection. If the stack has room, it runs an inline firing, and an
/// external one whose place is this thread.
void crucible__submit_last(struct thread *self, struct reaction *reaction);
/// Submits a reserved firing of the pool that carries `value`, a molecule of `name`. Requires: the value fits
/// (pool/carried.h).
void crucible__submit_carried(struct thread *self, struct reaction *reaction, struct crucible_name *name,
                              const void *value);
/// Makes the object of a reserved firing that is placed externally. Its molecules are not taken yet.
crucible_firing *crucible__make_firing(struct reaction *reaction);
/// Submits a firing as the last act of an injection, or runs it here. Its molecules were taken; `value`, which was
/// never stored, is among them. `visits`: the body may visit this thread.
void crucible__submit_unstored(struct thread *self, crucible_firing *firing, const void *value, bool visits);
/// Submits a reserved firing to the pool, wherever it is placed. For threads that must not run bodies, such as a caller
/// that gives up.
void crucible__submit_elsewhere(struct reaction *reaction);

/// Lists the firing by the task that runs its body from now on (bodies.c). Requires: the task runs no other body.
void crucible__enlist_body(crucible_firing *firing, const void *task);
/// Removes a firing whose body has ended. Requires: the firing is listed.
void crucible__delist_body(crucible_firing *firing);
/// Clears all lists in the child of a fork, which has no such bodies.
void crucible__bodies_after_fork(void);

/// Whether the call of this waiter has been taken out of its soup (crucible_waiter_set_taken).
bool crucible__waiter_is_taken(const crucible_waiter *waiter);

/// Declares `name` as a firing with room for any firing of `component`. CRUCIBLE_FIRING_END must end it.
#define CRUCIBLE_FIRING(name, component)                                                                       \
  void *name##_inputs[1 + (component)->layout->input_count];                                                   \
  char *name##_heap = NULL;                                                                                    \
  struct firing name = {                                                                                       \
      .inputs = name##_inputs + 1,                                                                             \
      .storage = crucible__aligned((component)->layout->storage <= CRUCIBLE_STACK_STORAGE                      \
                                       ? alloca((component)->layout->storage)                                  \
                                       : (name##_heap = crucible__storage((component)->layout->storage)),      \
                                   (component)->layout->alignment)}
#define CRUCIBLE_FIRING_END(name, component)                                                                   \
  do {                                                                                                         \
    if (UNLIKELY(name##_heap != NULL)) crucible__free(name##_heap, (component)->layout->storage);              \
  } while (0)

static inline char *crucible__aligned(void *memory, uint32_t alignment) {
  return (char *)(((uintptr_t)memory + alignment - 1) & ~(uintptr_t)(alignment - 1));
}
/// Allocates storage, for crucible__free. Aborts with a message when there is no memory, because usually the molecules
/// are reserved, which cannot be undone.
char *crucible__storage(size_t size);

#endif
